package telemetry

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

// retryPause is how long to wait before the one second try, unless the collector
// says otherwise.
const (
	retryPause    = time.Second
	maxRetryPause = 5 * time.Second
)

// export sends one batch. What cannot be sent is dropped, and the log says so.
func (t *Tracer) export(batch []*Span) {
	body, kind := t.protobuf(batch), "application/x-protobuf"
	if t.s.json {
		body, kind = t.json(batch), "application/json"
	}
	again, err := t.post(body, kind)
	if err != nil && again > 0 {
		timer := time.NewTimer(again)
		select {
		case <-timer.C:
			_, err = t.post(body, kind)
		case <-t.ctx.Done():
			timer.Stop()
		}
	}
	if err != nil {
		t.log.Warn("spans not sent", "spans", len(batch), "err", err)
	}
}

// post makes one request. again says after which time another one may help; 0 is
// never.
func (t *Tracer) post(body []byte, kind string) (again time.Duration, err error) {
	req, err := http.NewRequestWithContext(t.ctx, http.MethodPost, t.s.endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("the endpoint is not a URL")
	}
	for name, value := range t.s.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", "codemode-ls/"+t.version)
	client := *t.s.client
	client.Timeout = t.s.timeout
	resp, err := client.Do(req)
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.closed {
			return 0, err // a program that ends does not wait for a collector that is not there
		}
		return retryPause, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = retryPause
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
			again = min(time.Duration(seconds)*time.Second, maxRetryPause)
		}
	}
	if resp.StatusCode/100 != 2 {
		return again, fmt.Errorf("the collector answered %s", resp.Status)
	}
	return 0, nil
}

const scopeName = "codemode-ls"

// protobuf is an ExportTraceServiceRequest of OTLP 1.x (opentelemetry-proto,
// collector/trace/v1). The numbers are those of its fields.
func (t *Tracer) protobuf(batch []*Span) []byte {
	var resource, scope message
	for _, a := range t.s.resource {
		resource.bytes(1, keyValue(a))
	}
	scope.string(1, scopeName)
	scope.string(2, t.version)
	var scopeSpans message
	scopeSpans.bytes(1, scope)
	for _, s := range batch {
		scopeSpans.bytes(2, s.protobuf())
	}
	var resourceSpans, request message
	resourceSpans.bytes(1, resource)
	resourceSpans.bytes(2, scopeSpans)
	request.bytes(1, resourceSpans)
	return request
}

func (s *Span) protobuf() message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m message
	m.bytes(1, s.trace[:])
	m.bytes(2, s.id[:])
	if s.parent != nil {
		m.bytes(4, s.parent[:])
	}
	m.string(5, s.name)
	m.int(6, uint64(s.kind))
	m.fixed64(7, uint64(s.start.UnixNano()))
	m.fixed64(8, uint64(s.end.UnixNano()))
	for _, a := range s.attributes {
		m.bytes(9, keyValue(a))
	}
	if s.failed {
		var status message
		status.int(3, statusError)
		m.bytes(15, status)
	}
	return m
}

const statusError = 2

func keyValue(a attribute) message {
	var value, m message
	switch v := a.value.(type) {
	case string:
		value.bytes(1, []byte(v)) // an empty string is a value, too
	case bool:
		n := uint64(0)
		if v {
			n = 1
		}
		value.field(2, 0)
		value = binary.AppendUvarint(value, n)
	case int64:
		value.field(3, 0)
		value = binary.AppendUvarint(value, uint64(v))
	}
	m.string(1, a.key)
	m.bytes(2, value)
	return m
}

// message is a protobuf message that is being written.
type message []byte

func (m *message) field(number, wireType int) {
	*m = binary.AppendUvarint(*m, uint64(number)<<3|uint64(wireType))
}

func (m *message) bytes(number int, b []byte) {
	m.field(number, 2)
	*m = append(binary.AppendUvarint(*m, uint64(len(b))), b...)
}

func (m *message) string(number int, s string) {
	if s != "" {
		m.bytes(number, []byte(s))
	}
}

func (m *message) int(number int, n uint64) {
	m.field(number, 0)
	*m = binary.AppendUvarint(*m, n)
}

func (m *message) fixed64(number int, n uint64) {
	m.field(number, 1)
	*m = binary.LittleEndian.AppendUint64(*m, n)
}

// The same in OTLP's JSON form.
type (
	jsonRequest struct {
		ResourceSpans []jsonResourceSpans `json:"resourceSpans"`
	}
	jsonResourceSpans struct {
		Resource struct {
			Attributes []jsonAttribute `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []jsonScopeSpans `json:"scopeSpans"`
	}
	jsonScopeSpans struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"scope"`
		Spans []jsonSpan `json:"spans"`
	}
	jsonSpan struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		ParentID   string          `json:"parentSpanId,omitzero"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []jsonAttribute `json:"attributes"`
		Status     jsonStatus      `json:"status"`
	}
	jsonStatus struct {
		Code int `json:"code,omitzero"`
	}
	jsonAttribute struct {
		Key   string    `json:"key"`
		Value jsonValue `json:"value"`
	}
	jsonValue struct {
		String *string `json:"stringValue,omitzero"`
		Int    *string `json:"intValue,omitzero"`
		Bool   *bool   `json:"boolValue,omitzero"`
	}
)

func (t *Tracer) json(batch []*Span) []byte {
	var rs jsonResourceSpans
	rs.Resource.Attributes = jsonAttributes(t.s.resource)
	var ss jsonScopeSpans
	ss.Scope.Name, ss.Scope.Version = scopeName, t.version
	for _, s := range batch {
		ss.Spans = append(ss.Spans, s.json())
	}
	rs.ScopeSpans = []jsonScopeSpans{ss}
	b, err := json.Marshal(jsonRequest{[]jsonResourceSpans{rs}})
	if err != nil { // a name that is not UTF-8
		t.log.Warn("spans cannot be written", "err", err)
		return []byte("{}")
	}
	return b
}

func (s *Span) json() jsonSpan {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := jsonSpan{
		TraceID: hex.EncodeToString(s.trace[:]), SpanID: hex.EncodeToString(s.id[:]), Name: s.name, Kind: s.kind,
		Start: strconv.FormatInt(s.start.UnixNano(), 10), End: strconv.FormatInt(s.end.UnixNano(), 10),
		Attributes: jsonAttributes(s.attributes),
	}
	if s.parent != nil {
		j.ParentID = hex.EncodeToString(s.parent[:])
	}
	if s.failed {
		j.Status.Code = statusError
	}
	return j
}

func jsonAttributes(attributes []attribute) []jsonAttribute {
	list := make([]jsonAttribute, len(attributes))
	for i, a := range attributes {
		list[i].Key = a.key
		switch v := a.value.(type) {
		case string:
			list[i].Value.String = &v
		case int64:
			n := strconv.FormatInt(v, 10)
			list[i].Value.Int = &n
		case bool:
			list[i].Value.Bool = &v
		}
	}
	return list
}
