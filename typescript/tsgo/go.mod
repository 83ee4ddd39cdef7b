// The module path sits below github.com/microsoft/typescript-go on purpose:
// Go's internal rule compares import paths, so this module may import
// github.com/microsoft/typescript-go/internal/... (see README.md).
module github.com/microsoft/typescript-go/codemodeshim

go 1.26.0

require (
	github.com/go-json-experiment/json v0.0.0-20260623181947-01eb4420fa68
	github.com/microsoft/typescript-go v0.0.0-20260708042240-2bd066d87f5b
)

require (
	github.com/Microsoft/go-winio v0.6.2 // indirect
	github.com/klauspost/cpuid/v2 v2.3.0 // indirect
	github.com/mackerelio/go-osstat v0.2.7 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
