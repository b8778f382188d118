package mcpclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"callboard/mcpclient/internal/jsonrpc"
	"callboard/model/task"
)

// stub is a server that answers initialize, and pours one body into the GET
// stream, without a network in between.
type stub struct{ stream io.Reader }

func (s stub) RoundTrip(q *http.Request) (*http.Response, error) {
	r := &http.Response{StatusCode: http.StatusOK, Proto: "HTTP/1.1", Header: http.Header{}, Body: http.NoBody, Request: q}
	if q.Body == nil {
		r.Header.Set("Content-Type", "text/event-stream")
		r.Body = io.NopCloser(io.MultiReader(s.stream, untilDone{q.Context()}))
		return r, nil
	}
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	m, err := jsonrpc.Decode(body)
	if err != nil {
		return nil, err
	}
	if !m.Request() {
		r.StatusCode = http.StatusAccepted
		return r, nil
	}
	r.Header.Set("Content-Type", "application/json")
	r.Body = io.NopCloser(bytes.NewReader(fmt.Appendf(nil,
		`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, m.ID)))
	return r, nil
}

// untilDone is a stream on which nothing comes any more.
type untilDone struct{ ctx context.Context }

func (u untilDone) Read([]byte) (int, error) {
	<-u.ctx.Done()
	return 0, u.ctx.Err()
}

// statuses is a stream of n status notifications of that many tasks.
func statuses(n, tasks int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "id: %d\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tasks/status\",\"params\":{\"taskId\":"+
			"\"786512e2-9e0d-44bd-8f29-%012d\",\"status\":\"working\",\"statusMessage\":\"Step %d of the work\",\"createdAt\":\"2026-01-02T03:04:05.678Z\","+
			"\"lastUpdatedAt\":\"2026-01-02T03:04:06.%03dZ\",\"ttl\":300000,\"pollInterval\":1000}}\n\n", i, i%tasks, i/tasks%500, i/tasks%1000)
	}
	return b.Bytes()
}

// bare is the least that anybody could do with the same bytes.
func bare(stream []byte) time.Duration {
	begun := time.Now()
	sc := bufio.NewScanner(bytes.NewReader(stream))
	for sc.Scan() {
		data, ok := bytes.CutPrefix(sc.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var m struct {
			Method string
			Params struct {
				TaskID, Status, StatusMessage, CreatedAt, LastUpdatedAt string
				TTL, PollInterval                                       *float64
			}
		}
		if json.Unmarshal(data, &m) != nil || m.Params.TaskID == "" {
			panic("the stream is faulty")
		}
	}
	return time.Since(begun)
}

// BenchmarkStatus takes status notifications in, from the body of the GET
// stream to the batches of Next. "of-bare" is the speed as a part of that of
// scanning and decoding the same bytes, and nothing else; the goal is 0.35.
func BenchmarkStatus(b *testing.B) {
	for _, tasks := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("tasks=%d", tasks), func(b *testing.B) {
			const n = 50_000
			stream := statuses(n, tasks)
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			var took, least time.Duration
			for b.Loop() {
				b.StopTimer()
				least += bare(stream)
				b.StartTimer()
				begun := time.Now()
				takeAll(b, stream, n)
				took += time.Since(begun)
			}
			b.ReportMetric(float64(n)*float64(b.N)/took.Seconds(), "events/s")
			b.ReportMetric(least.Seconds()/took.Seconds(), "of-bare")
		})
	}
}

func takeAll(b *testing.B, stream []byte, n int) {
	b.Helper()
	ep, err := NewEndpoint(Config{URL: "http://127.0.0.1/mcp", RoundTripper: stub{bytes.NewReader(stream)}})
	if err != nil {
		b.Fatal(err)
	}
	s, err := ep.Dial(b.Context(), task.Resume{})
	if err != nil {
		b.Fatal(err)
	}
	last := fmt.Sprint(n - 1)
	for string(s.Resume().LastEvent) != last {
		if _, err := s.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(b.Context(), true); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDecodeTask reads one Task.
func BenchmarkDecodeTask(b *testing.B) {
	raw := []byte(`{"taskId":"786512e2-9e0d-44bd-8f29-789f320fe840","status":"working","statusMessage":"Step 3 of the work",` +
		`"createdAt":"2026-01-02T03:04:05.678Z","lastUpdatedAt":"2026-01-02T03:04:06.123Z","ttl":300000,"pollInterval":1000}`)
	var in interner
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := in.task(raw); !ok {
			b.Fatal("not read")
		}
	}
}

// BenchmarkPage reads one page of 10,000 tasks.
func BenchmarkPage(b *testing.B) {
	var raw bytes.Buffer
	raw.WriteString(`{"tasks":[`)
	for i := range 10_000 {
		if i > 0 {
			raw.WriteByte(',')
		}
		fmt.Fprintf(&raw, `{"taskId":"786512e2-9e0d-44bd-8f29-%012d","status":"working","createdAt":"2026-01-02T03:04:05.678Z","lastUpdatedAt":"2026-01-02T03:04:06.123Z","ttl":300000}`, i)
	}
	raw.WriteString(`]}`)
	var in interner
	b.SetBytes(int64(raw.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if p, _ := in.page(raw.Bytes()); len(p.Tasks) != 10_000 {
			b.Fatal("not read")
		}
	}
}
