# Every target is one or two lines that call go. Help: make help

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT  ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS  = -s -w -buildid= -X main.stamped=$(VERSION) -X main.stampedCommit=$(COMMIT)
BUILD    = CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)'

.DEFAULT_GOAL := help
.PHONY: help build engine share api demo demo-dryrun test test-engine test-snapshot verdicts bench bench-engine fuzz generate schemas playground integration clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

build: ## bin/schedconf, static and trimmed
	$(BUILD) -o bin/schedconf ./cmd/schedconf

engine: build ## bin/schedconf-engine, which dry runs need; minutes, once
	cd dryrun/engine && $(BUILD) -o ../../bin/schedconf-engine .

share: ## completions and manual pages, in bin/share
	sh hack/share

demo-dryrun: build engine ## place a bundled workload on a bundled cluster under two configurations
	@sh testdata/demo/dryrun/run

demo: build ## judge, complete, convert and compare a bundled configuration
	@sh testdata/demo/run

test: ## vet and all tests that need no network and no big build
	$(GO) vet ./...
	$(GO) test -shuffle=on -parallel 16 ./...
	cd examples && $(GO) vet ./... && $(GO) test -shuffle=on ./...

test-engine: engine ## the tests of the engine, and of what needs it
	cd dryrun/engine && CGO_ENABLED=0 $(GO) vet ./... && CGO_ENABLED=0 $(GO) test -trimpath -shuffle=on -parallel 16 ./...
	cd examples && SCHEDCONF_ENGINE=$(CURDIR)/bin/schedconf-engine $(GO) test -count=1 ./placement

test-snapshot: ## snapshots of a real kube-apiserver, which is built for it
	cd dryrun/engine && CGO_ENABLED=0 $(GO) test -trimpath -tags apiserver ./apiserver

verdicts: ## our verdicts and bytes beside those of the real kube-schedulers, per minor
	@$(GO) test -count=1 -run '^(TestRecordedVerdicts|TestRecordedBytes)$$' -v . | sed -n 's/^ *recorded_test.go:[0-9]*: //p; /^---/p; /^FAIL/p; /^ok/p'

bench: build ## speed and memory, beside kubeconform where it can be installed
	$(GO) test -run '^$$' -bench . -benchmem .
	sh testdata/bench/run
	sh testdata/bench/scan

bench-engine: ## pods a second beside the loop of kube-scheduler; takes long
	cd dryrun/engine && $(GO) test -run "^$$" -bench . -benchtime 1x -timeout 2h .

fuzz: ## every fuzz target for FUZZTIME (30s)
	sh hack/fuzz

generate: ## deep copies and conversions
	$(GO) generate ./scheme/... ./conversion/...

api: ## record what the packages export, and print what is different
	$(GO) test -count=1 -run '^TestAPI$$' -v . -renew-api

schemas: ## the JSON Schemas of every minor, from the sources of its release
	$(GO) run ./schemas/record all

playground: build ## playground/dist/index.html, a page to try schedconf: one file, no server
	npm ci --prefix playground --no-fund --no-audit
	GOOS=wasip1 GOARCH=wasm $(GO) build -trimpath -buildmode=c-shared -ldflags '$(LDFLAGS)' -o bin/schedconf.wasm ./cmd/schedconf
	bin/schedconf versions -o json >bin/versions.json
	node playground/build.mjs bin/schedconf.wasm bin/versions.json

integration: playground ## what needs npm, Debian packages or the Go module proxy
	npm ci --prefix integration --no-fund --no-audit
	sh hack/chromium
	sh hack/pre-commit
	sh hack/ci-tools
	sh hack/packages
	$(GO) test -count=1 -timeout 40m -tags integration ./integration/... ./schemas/record/...

clean: ## remove what was built
	rm -rf bin playground/dist
