package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// settings are what the OTEL_* variables say.
type settings struct {
	endpoint string
	headers  map[string]string
	timeout  time.Duration // of one request
	delay    time.Duration // before a batch is sent
	json     bool
	resource []attribute
	sample   float64 // of all runs, 0…1
	client   *http.Client
}

// Defaults of the OpenTelemetry specification.
const (
	defaultEndpoint = "http://localhost:4318"
	defaultTimeout  = 10 * time.Second
	defaultDelay    = 5 * time.Second
)

// read reads the variables; off is why nothing is sent, "" with ok false when
// nothing was asked for.
func read(lookup func(string) (string, bool), version string) (s settings, ok bool, off string) {
	get := func(names ...string) string {
		for _, name := range names {
			if v, ok := lookup(name); ok && strings.TrimSpace(v) != "" {
				return strings.TrimSpace(v)
			}
		}
		return ""
	}
	if strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") {
		return s, false, ""
	}
	exporter := get("OTEL_TRACES_EXPORTER")
	endpoint := get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	base := get("OTEL_EXPORTER_OTLP_ENDPOINT")
	switch {
	case exporter == "none", exporter == "" && endpoint == "" && base == "":
		return s, false, ""
	case exporter != "" && exporter != "otlp":
		return s, false, fmt.Sprintf("OTEL_TRACES_EXPORTER %q is not offered: use otlp", exporter)
	}
	switch protocol := get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); protocol {
	case "", "http/protobuf":
	case "http/json":
		s.json = true
	default:
		return s, false, fmt.Sprintf("OTEL_EXPORTER_OTLP_PROTOCOL %q is not offered: use http/protobuf or http/json", protocol)
	}
	if endpoint == "" {
		if base == "" {
			base = defaultEndpoint
		}
		endpoint = strings.TrimRight(base, "/") + "/v1/traces"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return s, false, "the OTLP endpoint is not an http or https URL"
	}
	s.endpoint = endpoint
	s.headers = pairs(get("OTEL_EXPORTER_OTLP_HEADERS"))
	for k, v := range pairs(get("OTEL_EXPORTER_OTLP_TRACES_HEADERS")) {
		s.headers[k] = v
	}
	s.timeout = milliseconds(get("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"), defaultTimeout)
	s.delay = milliseconds(get("OTEL_BSP_SCHEDULE_DELAY"), defaultDelay)
	if s.sample, err = ratio(get("OTEL_TRACES_SAMPLER"), get("OTEL_TRACES_SAMPLER_ARG")); err != nil {
		return s, false, err.Error()
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if file := get("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE"); file != "" {
		pem, err := os.ReadFile(file)
		pool := x509.NewCertPool()
		if err != nil || !pool.AppendCertsFromPEM(pem) {
			return s, false, "OTEL_EXPORTER_OTLP_CERTIFICATE names no readable certificate"
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	s.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the headers are for this endpoint alone
	}}
	s.resource = resource(get("OTEL_SERVICE_NAME"), pairs(get("OTEL_RESOURCE_ATTRIBUTES")), version)
	return s, true, ""
}

// resource describes this process.
func resource(service string, given map[string]string, version string) []attribute {
	all := map[string]string{
		"service.name": "codemode-ls", "service.version": version,
		"telemetry.sdk.language": "go", "telemetry.sdk.name": "codemode-ls", "telemetry.sdk.version": version,
	}
	for k, v := range given {
		all[k] = v
	}
	if service != "" {
		all["service.name"] = service
	}
	var list []attribute
	for k, v := range all {
		if v != "" {
			list = append(list, attribute{k, v})
		}
	}
	return list
}

// pairs reads "key=value,key=value", percent-encoded.
func pairs(s string) map[string]string {
	m := map[string]string{}
	for _, part := range strings.Split(s, ",") {
		name, value, ok := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); !ok || name == "" {
			continue
		}
		if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
			m[name] = plain
		}
	}
	return m
}

func milliseconds(s string, fallback time.Duration) time.Duration {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return time.Duration(n) * time.Millisecond
	}
	return fallback
}

// ratio is how many of the runs are sampled. There is no parent here: the
// samplers that look at one behave as for a root.
func ratio(sampler, arg string) (float64, error) {
	switch strings.TrimPrefix(sampler, "parentbased_") {
	case "", "always_on":
		return 1, nil
	case "always_off":
		return 0, nil
	case "traceidratio":
		f, err := strconv.ParseFloat(arg, 64)
		if arg == "" {
			return 1, nil
		}
		if err != nil || math.IsNaN(f) || f < 0 || f > 1 {
			return 0, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG %q is not a number from 0 to 1", arg)
		}
		return f, nil
	}
	return 0, fmt.Errorf("OTEL_TRACES_SAMPLER %q is not offered", sampler)
}

// FromEnvironment is a tracer as the OTEL_* variables want it; nil, which does
// nothing, when they do not. What is wrong with them goes to the log. lookup nil
// is os.LookupEnv.
func FromEnvironment(lookup func(string) (string, bool), version string, log *slog.Logger) *Tracer {
	if lookup == nil {
		lookup = os.LookupEnv
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s, ok, off := read(lookup, version)
	if off != "" {
		log.Error("no spans are sent", "reason", off)
	}
	if !ok {
		return nil
	}
	return newTracer(s, version, log)
}
