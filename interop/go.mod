module callboard/interop

go 1.26.0

replace callboard => ../

require (
	callboard v0.0.0
	github.com/mark3labs/mcp-go v1.2.1
	go.uber.org/goleak v1.3.0
)

require (
	github.com/google/jsonschema-go v0.4.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/r3labs/sse/v2 v2.10.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	github.com/spf13/cast v1.7.1 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	gopkg.in/cenkalti/backoff.v1 v1.1.0 // indirect
)
