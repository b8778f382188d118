.PHONY: build test race lint bench demo check

build:
	go build -trimpath -o callboard .

test:
	go test ./...

race:
	go test -race ./...

lint:
	gofmt -l . | (! grep .)
	go vet ./...
	golangci-lint run ./...

# Prints ratios against a reference in the same run: see docs/PERFORMANCE.md.
bench:
	go test -run '^$$' -bench . -benchmem ./...

demo:
	go run . demo

# What the continuous integration runs.
check:
	.ci/run
