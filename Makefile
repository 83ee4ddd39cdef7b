# Everything here is also one plain command; make only remembers it.
GO        ?= go
# The TypeScript engine takes minutes to compile; it is never compiled with -race.
WITHOUT_ENGINE = $$($(GO) list ./... | grep -v -e /cmd/ -e /typescript/engine -e /bench)
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: all codemode-ls install check format staticcheck test race update vsix release site bench

all: codemode-ls

codemode-ls:
	CGO_ENABLED=0 $(GO) build -ldflags='-s -w' ./cmd/codemode-ls

install:
	CGO_ENABLED=0 $(GO) install -ldflags='-s -w' ./cmd/codemode-ls

## check: format, vet, staticcheck, tests, documents fresh
check: format staticcheck
	$(GO) vet ./...
	$(MAKE) test race

format:
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt these files:"; echo "$$files"; exit 1; }

staticcheck:
	$(STATICCHECK) ./...

test:
	$(GO) test ./...

race:
	$(GO) test -race -timeout 30m $(WITHOUT_ENGINE)

## update: rewrite golden files and generated documents
update:
	$(GO) test ./catalog ./config ./docs/... ./lsp ./typegen ./editors/... -update

## vsix: package the VS Code extension with the server inside, in dist/
vsix:
	mkdir -p dist
	bash editors/vscode/package.sh $(CURDIR)/dist/codemode.vsix

## release: everything that people install, in dist/ (docs/releasing.md)
release:
	$(GO) run ./release

## site: the documentation as a site, in dist/site
site:
	site/build.sh

## bench: the benchmarks, with their comparisons (bench/README.md)
bench:
	bench/run
