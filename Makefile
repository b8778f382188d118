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

# Prints the figures of docs/PERFORMANCE.md, ratios against a reference in the
# same run among them. It takes some minutes, and a quiet machine. One package
# at a time, or they would measure each other.
bench:
	go test -p 1 -run '^$$' -bench . ./...

demo:
	go run . demo

# What the continuous integration runs.
check:
	.ci/run
