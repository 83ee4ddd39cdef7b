// Package telemetry sends OpenTelemetry spans of runs and their calls to a
// collector (OBS-3), when the standard OTEL_* variables say so and never
// otherwise. Spans carry no argument and no result.
//
// It writes OTLP over HTTP itself, as protobuf or JSON: the few messages that
// are needed fit in one file, while the library with its exporter brings a gRPC
// stack along that every process of this program, the sandbox's short-lived
// children among them, would initialise.
package telemetry
