package telemetry

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A collector takes OTLP over HTTP as any other does, and keeps the spans.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []span
	resource map[string]any
	requests []*http.Request
	answers  []int // statuses of the next requests; then 200
}

type span struct {
	trace, id, parent, name string
	kind                    uint64
	start, end              time.Time
	attributes              map[string]any
	failed                  bool
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests = append(c.requests, r)
		if len(c.answers) > 0 {
			status := c.answers[0]
			c.answers = c.answers[1:]
			if status != 200 {
				w.WriteHeader(status)
				return
			}
		}
		switch r.Header.Get("Content-Type") {
		case "application/x-protobuf":
			c.protobuf(t, body)
		case "application/json":
			c.json(t, body)
		default:
			w.WriteHeader(http.StatusUnsupportedMediaType)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// fields reads a protobuf message into its fields.
func fields(t *testing.T, b []byte) map[int][]any {
	t.Helper()
	m := map[int][]any{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatal("broken protobuf")
		}
		b = b[n:]
		number := int(tag >> 3)
		switch tag & 7 {
		case 0:
			v, n := binary.Uvarint(b)
			m[number] = append(m[number], v)
			b = b[n:]
		case 1:
			m[number] = append(m[number], binary.LittleEndian.Uint64(b))
			b = b[8:]
		case 2:
			size, n := binary.Uvarint(b)
			b = b[n:]
			m[number] = append(m[number], b[:size])
			b = b[size:]
		default:
			t.Fatalf("wire type %d", tag&7)
		}
	}
	return m
}

func text(values []any) string {
	if len(values) == 0 {
		return ""
	}
	return string(values[0].([]byte))
}

func number(values []any) uint64 {
	if len(values) == 0 {
		return 0
	}
	return values[0].(uint64)
}

func attributesOf(t *testing.T, list []any) map[string]any {
	m := map[string]any{}
	for _, a := range list {
		kv := fields(t, a.([]byte))
		value := fields(t, kv[2][0].([]byte))
		switch {
		case value[1] != nil:
			m[text(kv[1])] = text(value[1])
		case value[2] != nil:
			m[text(kv[1])] = number(value[2]) == 1
		case value[3] != nil:
			m[text(kv[1])] = int64(number(value[3]))
		}
	}
	return m
}

func (c *collector) protobuf(t *testing.T, body []byte) {
	for _, rs := range fields(t, body)[1] {
		r := fields(t, rs.([]byte))
		c.resource = attributesOf(t, fields(t, r[1][0].([]byte))[1])
		for _, ss := range r[2] {
			for _, raw := range fields(t, ss.([]byte))[2] {
				f := fields(t, raw.([]byte))
				s := span{
					trace: hex.EncodeToString([]byte(text(f[1]))), id: hex.EncodeToString([]byte(text(f[2]))), parent: hex.EncodeToString([]byte(text(f[4]))),
					name: text(f[5]), kind: number(f[6]), start: time.Unix(0, int64(number(f[7]))), end: time.Unix(0, int64(number(f[8]))),
					attributes: attributesOf(t, f[9]),
				}
				if f[15] != nil {
					s.failed = number(fields(t, f[15][0].([]byte))[3]) == 2
				}
				c.spans = append(c.spans, s)
			}
		}
	}
}

func (c *collector) json(t *testing.T, body []byte) {
	type kv struct {
		Key   string
		Value struct {
			StringValue *string
			IntValue    *string
			BoolValue   *bool
		}
	}
	var request struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []kv }
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name string
					Kind                                uint64
					StartTimeUnixNano, EndTimeUnixNano  string
					Attributes                          []kv
					Status                              struct{ Code int }
				}
			}
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Error(err)
	}
	plain := func(list []kv) map[string]any {
		m := map[string]any{}
		for _, a := range list {
			switch {
			case a.Value.StringValue != nil:
				m[a.Key] = *a.Value.StringValue
			case a.Value.BoolValue != nil:
				m[a.Key] = *a.Value.BoolValue
			case a.Value.IntValue != nil:
				var n int64
				fmt.Sscan(*a.Value.IntValue, &n)
				m[a.Key] = n
			}
		}
		return m
	}
	when := func(s string) time.Time {
		var n int64
		fmt.Sscan(s, &n)
		return time.Unix(0, n)
	}
	for _, rs := range request.ResourceSpans {
		c.resource = plain(rs.Resource.Attributes)
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				c.spans = append(c.spans, span{
					s.TraceID, s.SpanID, s.ParentSpanID, s.Name, s.Kind, when(s.StartTimeUnixNano), when(s.EndTimeUnixNano),
					plain(s.Attributes), s.Status.Code == 2,
				})
			}
		}
	}
}

func environ(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

// OBS-3: run → call, in both forms of OTLP over HTTP.
func TestObs3Spans(t *testing.T) {
	for _, protocol := range []string{"", "http/json"} {
		t.Run(protocol, func(t *testing.T) {
			c := newCollector(t)
			tracer := FromEnvironment(environ(
				"OTEL_EXPORTER_OTLP_ENDPOINT", c.URL+"/base/", "OTEL_EXPORTER_OTLP_PROTOCOL", protocol,
				"OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b,x-other=1", "OTEL_SERVICE_NAME", "me",
				"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test,service.name=other",
			), "1.2", nil)
			start := time.Now().Add(-time.Second)
			run := tracer.Run(start, "codemode.run.id", "R")
			call := run.Call("mcp__a__b", start.Add(time.Millisecond), "codemode.queued_ms", 5, "yes", true, "no", false, "empty", "")
			call.Fail("TIMEOUT")
			call.End()
			run.Call(Unknown, start).End()
			run.End()
			run.End()
			tracer.Close()
			if len(c.spans) != 3 {
				t.Fatalf("%d spans: %+v", len(c.spans), c.spans)
			}
			a, b, r := c.spans[0], c.spans[1], c.spans[2]
			if len(r.trace) != 32 || len(r.id) != 16 || r.parent != "" || a.trace != r.trace || a.parent != r.id || b.parent != r.id || a.id == b.id {
				t.Errorf("ids: %+v", c.spans)
			}
			if r.name != "codemode.exec" || r.kind != 1 || a.name != "tools/call mcp__a__b" || a.kind != 3 || b.name != "tools/call unknown" {
				t.Errorf("names: %+v", c.spans)
			}
			if !r.start.Equal(start.Round(0)) || r.end.Sub(r.start) < time.Second || a.start.Before(r.start) {
				t.Errorf("times: %v %v", r.start, r.end)
			}
			if !a.failed || b.failed || r.failed || a.attributes["error.type"] != "TIMEOUT" || a.attributes["codemode.queued_ms"] != int64(5) ||
				a.attributes["yes"] != true || a.attributes["no"] != false || a.attributes["empty"] != "" || r.attributes["codemode.run.id"] != "R" {
				t.Errorf("attributes: %+v", c.spans)
			}
			if c.resource["service.name"] != "me" || c.resource["deployment.environment"] != "test" || c.resource["service.version"] != "1.2" {
				t.Errorf("resource: %v", c.resource)
			}
			q := c.requests[0]
			if q.URL.Path != "/base/v1/traces" || q.Header.Get("x-key") != "a b" || q.Header.Get("x-other") != "1" || q.Method != "POST" {
				t.Errorf("request: %s %s %v", q.Method, q.URL, q.Header)
			}
		})
	}
}

// OBS-3: off unless the variables are set; and what is wrong with them is said.
func TestObs3Off(t *testing.T) {
	for _, c := range []struct {
		env  []string
		on   bool
		says string
	}{
		{nil, false, ""},
		{[]string{"OTEL_SERVICE_NAME", "x"}, false, ""},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"}, true, ""},
		{[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/x"}, true, ""},
		{[]string{"OTEL_TRACES_EXPORTER", "otlp"}, true, ""},
		{[]string{"OTEL_TRACES_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"}, false, ""},
		{[]string{"OTEL_SDK_DISABLED", "True", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"}, false, ""},
		{[]string{"OTEL_TRACES_EXPORTER", "zipkin"}, false, "zipkin"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, false, "grpc"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318"}, false, "not an http"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "2"}, false, "from 0 to 1"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere"}, false, "certificate"},
	} {
		var log bytes.Buffer
		tracer := FromEnvironment(environ(c.env...), "1", slog.New(slog.NewTextHandler(&log, nil)))
		if (tracer != nil) != c.on {
			t.Errorf("%v: %v", c.env, tracer)
		}
		if c.says == "" && log.Len() > 0 || !strings.Contains(log.String(), c.says) {
			t.Errorf("%v: logged %q", c.env, log.String())
		}
		span := tracer.Run(time.Now()) // of a nil tracer too
		if c.on != (span != nil) {
			t.Errorf("%v: span %v", c.env, span)
		}
		if tracer == nil {
			span.Call("x", time.Now()).Fail("y")
			span.End()
		}
		tracer.Close()
	}
}

func TestSampling(t *testing.T) {
	for arg, want := range map[string][2]int{"0": {0, 0}, "1": {1000, 1000}, "0.25": {180, 320}} {
		tracer := FromEnvironment(environ("OTEL_TRACES_EXPORTER", "otlp", "OTEL_TRACES_SAMPLER", "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG", arg), "1", nil)
		n := 0
		for range 1000 {
			if tracer.Run(time.Now()) != nil {
				n++
			}
		}
		tracer.Close()
		if n < want[0] || n > want[1] {
			t.Errorf("%s: %d of 1000", arg, n)
		}
	}
}

// A collector that fails is tried once more when that may help, and never holds
// anything up for long.
func TestCollectorFails(t *testing.T) {
	for _, c := range []struct {
		answers  []int
		requests int
		spans    int
	}{
		{[]int{503}, 2, 1},
		{[]int{503, 503}, 2, 0},
		{[]int{400}, 1, 0},
		{[]int{301}, 1, 0},
	} {
		server := newCollector(t)
		server.answers = c.answers
		var log bytes.Buffer
		tracer := FromEnvironment(environ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", server.URL), "1", slog.New(slog.NewTextHandler(&log, nil)))
		tracer.Run(time.Now()).End()
		tracer.Close()
		if len(server.requests) != c.requests || len(server.spans) != c.spans {
			t.Errorf("%v: %d requests, %d spans", c.answers, len(server.requests), len(server.spans))
		}
		if (log.Len() > 0) != (c.spans == 0) {
			t.Errorf("%v: logged %q", c.answers, log.String())
		}
	}

	hung := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hung }))
	defer server.Close()
	defer close(hung)
	tracer := FromEnvironment(environ("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL), "1", nil)
	for range maxQueued + maxBatch + 10 {
		tracer.Run(time.Now()).End()
	}
	began := time.Now()
	tracer.Close()
	if took := time.Since(began); took > closeTime+2*time.Second {
		t.Errorf("Close took %s", took)
	}
}

// Batches are sent while the program goes on.
func TestBatches(t *testing.T) {
	c := newCollector(t)
	tracer := FromEnvironment(environ("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL, "OTEL_BSP_SCHEDULE_DELAY", "1"), "1", nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 300 {
				run := tracer.Run(time.Now())
				run.Call("mcp__a__b", time.Now()).End()
				run.End()
			}
		})
	}
	wg.Wait()
	tracer.Close()
	// A queue that was full drops; these were sent as they came.
	if len(c.spans) < maxQueued || len(c.spans) > 2400 {
		t.Errorf("%d spans", len(c.spans))
	}
}
