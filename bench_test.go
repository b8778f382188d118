//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/ui/term/termtest"

	"github.com/creack/pty"
)

// The benchmarks of this package run the real program, built as it is shipped,
// on a pseudo-terminal against mcptest. docs/PERFORMANCE.md says what they
// should give. They are not timed tests: a busy machine makes them slow, and
// fails nothing.

var built struct {
	once sync.Once
	path string
	err  error
}

// program builds callboard once for all benchmarks and returns its path.
func program(b *testing.B) string {
	b.Helper()
	built.once.Do(func() {
		var dir string
		if dir, built.err = os.MkdirTemp("", "callboard-bench"); built.err != nil {
			return
		}
		built.path = dir + "/callboard"
		out, err := exec.CommandContext(context.Background(), "go", "build", "-trimpath", "-o", built.path, ".").CombinedOutput()
		if err != nil {
			built.err = errors.New(string(out))
		}
	})
	if built.err != nil {
		b.Fatal(built.err)
	}
	return built.path
}

// screening is callboard on a terminal whose bytes are looked at, but drawn
// nowhere: an emulator would take longer than callboard does.
type screening struct {
	b     *testing.B
	cmd   *exec.Cmd
	tty   *os.File
	began time.Time

	mu      sync.Mutex
	raw     []byte
	total   int // bytes so far
	changed chan struct{}
	over    bool
}

// screen starts callboard on a terminal of 120 by 40 cells.
func screen(b *testing.B, args ...string) *screening {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program(b), args...)
	cmd.Env = termtest.Environ("XDG_STATE_HOME="+b.TempDir(), "XDG_CONFIG_HOME="+b.TempDir())
	s := &screening{b: b, cmd: cmd, changed: make(chan struct{}), began: time.Now()}
	var err error
	if s.tty, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		b.Fatal(err)
	}
	go s.read()
	return s
}

func (s *screening) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := s.tty.Read(buf)
		s.mu.Lock()
		s.raw = append(s.raw, buf[:n]...)
		s.total += n
		s.over = err != nil
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// see waits until text came, forgets all bytes so far and returns how many
// came since it last did.
func (s *screening) see(text string) (n int) {
	s.b.Helper()
	deadline := time.After(time.Minute)
	for {
		s.mu.Lock()
		i, changed, over := bytes.Index(s.raw, []byte(text)), s.changed, s.over
		if i >= 0 {
			n, s.raw = len(s.raw), nil
		}
		s.mu.Unlock()
		if i >= 0 {
			return n
		}
		if over {
			s.b.Fatalf("callboard ended before it showed %q", text)
		}
		select {
		case <-changed:
		case <-deadline:
			s.b.Fatalf("callboard never showed %q", text)
		}
	}
}

func (s *screening) press(keys string) {
	if _, err := s.tty.WriteString(keys); err != nil {
		s.b.Fatal(err)
	}
}

// written returns how many bytes came to the terminal so far.
func (s *screening) written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// cpu returns the processor time used so far, 0 where the system does not tell.
func (s *screening) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / 100 // USER_HZ
}

// peak returns the most memory that was ever resident, in MiB, 0 where the
// system does not tell. The rusage of an ended child would not do: it knows
// also what its parent used when it was forked.
func (s *screening) peak() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseFloat(kib, 64)
	return n / 1024
}

// end quits callboard and returns the processor time that it took.
func (s *screening) end() time.Duration {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait() // it was told to
	_ = s.tty.Close()
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

// tasks returns a server with n working tasks, in pages of so many, 0 for all
// in one. Where quiet, it keeps no sessions and pushes nothing.
func tasks(b *testing.B, n, page int, quiet bool) (*mcptest.Server, string) {
	b.Helper()
	options := []mcptest.Option{mcptest.WithSharedTasks(), mcptest.WithPageSize(page), mcptest.WithRecord(0), mcptest.WithTaskIDs(ids()),
		mcptest.WithTTL(mcptest.Unlimited, mcptest.Unlimited)}
	if quiet {
		options = append(options, mcptest.WithStateless())
	}
	s := mcptest.New(options...)
	b.Cleanup(func() { _ = s.Close() })
	url, err := s.Start()
	if err != nil {
		b.Fatal(err)
	}
	add(s, n)
	return s, url
}

// ids returns what makes ids that look random, and are the same in each run.
func ids() func() string {
	n := uint32(0)
	return func() string { n++; return fmt.Sprintf("%08x-9e0d-44bd-8f29-%012d", n*2654435761, n) }
}

func add(s *mcptest.Server, n int) {
	for range n {
		s.AddTask(mcptest.Task{Status: mcptest.Working, Message: "Analyzing content across many sources"})
	}
}

// quantile returns the q quantile of some times, in milliseconds.
func quantile(times []time.Duration, q float64) float64 {
	slices.Sort(times)
	return float64(times[min(int(q*float64(len(times))), len(times)-1)]) / float64(time.Millisecond)
}

// BenchmarkStart is the time from the start of the process to the first frame,
// and to the 10,000 tasks of a server that lists them in one page or in many.
func BenchmarkStart(b *testing.B) {
	for _, page := range []int{0, 100} {
		b.Run(fmt.Sprintf("page=%d", page), func(b *testing.B) {
			_, url := tasks(b, 10_000, page, true)
			program(b)
			var first, all, cpu []time.Duration
			for b.Loop() {
				for range 5 {
					s := screen(b, url)
					s.see("callboard")
					first = append(first, time.Since(s.began))
					s.see("Tasks 10000")
					all = append(all, time.Since(s.began))
					cpu = append(cpu, s.end())
				}
			}
			b.ReportMetric(quantile(first, 0.5), "ms-first-frame")
			b.ReportMetric(quantile(first, 0), "ms-first-frame-min")
			b.ReportMetric(quantile(all, 0.5), "ms-10000-tasks")
			b.ReportMetric(quantile(all, 0), "ms-10000-tasks-min")
			b.ReportMetric(quantile(cpu, 0.5), "ms-cpu")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkMemory is the most memory that was ever resident: with tasks that
// were there at the start, and with those that appear while callboard watches.
func BenchmarkMemory(b *testing.B) {
	for _, c := range []struct{ tasks, page int }{{10_000, 0}, {10_000, 100}, {100_000, 1000}, {100_000, 0}} {
		b.Run(fmt.Sprintf("tasks=%d/page=%d", c.tasks, c.page), func(b *testing.B) {
			_, url := tasks(b, c.tasks, c.page, true)
			var peak float64
			for b.Loop() {
				s := screen(b, url)
				s.see(fmt.Sprintf("Tasks %d", c.tasks))
				time.Sleep(12 * time.Second) // two sweeps more
				peak = s.peak()
				s.end()
			}
			b.ReportMetric(peak, "MiB")
			b.ReportMetric(0, "ns/op")
		})
	}
	b.Run("appearing=10000", func(b *testing.B) {
		var peak float64
		for b.Loop() {
			server, url := tasks(b, 0, 0, true)
			s := screen(b, url)
			s.see("quiet")
			for range 100 {
				add(server, 100)
				time.Sleep(150 * time.Millisecond)
			}
			s.see("Tasks 10000")
			time.Sleep(6 * time.Second)
			peak = s.peak()
			s.end()
		}
		b.ReportMetric(peak, "MiB")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkIdle is what a dashboard costs on which nothing happens.
func BenchmarkIdle(b *testing.B) {
	const span = 10 * time.Second
	for _, quiet := range []bool{false, true} {
		b.Run(fmt.Sprintf("push=%v", !quiet), func(b *testing.B) {
			server, url := tasks(b, 40, 0, quiet)
			for b.Loop() {
				s := screen(b, url)
				s.see("Tasks 40")
				time.Sleep(2 * time.Second)
				cpu, bytes, requests := s.cpu(), s.written(), asked(server)
				time.Sleep(span)
				b.ReportMetric(100*(s.cpu()-cpu).Seconds()/span.Seconds(), "%-of-a-core")
				b.ReportMetric(float64(s.written()-bytes)/span.Seconds(), "B/s-terminal")
				b.ReportMetric(float64(asked(server)-requests)*60/span.Seconds(), "requests/min")
				s.end()
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func asked(s *mcptest.Server) int { return s.Count("tasks/list") + s.Count("tasks/get") }

// BenchmarkQuietTasks counts the requests about tasks that nobody pushes.
func BenchmarkQuietTasks(b *testing.B) {
	const span = 20 * time.Second
	for _, c := range []struct{ tasks, page int }{{100, 0}, {10_000, 0}, {10_000, 100}} {
		b.Run(fmt.Sprintf("tasks=%d/page=%d", c.tasks, c.page), func(b *testing.B) {
			server, url := tasks(b, c.tasks, c.page, true)
			for b.Loop() {
				s := screen(b, url)
				s.see(fmt.Sprintf("Tasks %d", c.tasks))
				lists, gets, cpu := server.Count("tasks/list"), server.Count("tasks/get"), s.cpu()
				time.Sleep(span)
				perMinute := 60 / span.Seconds()
				b.ReportMetric(float64(server.Count("tasks/list")-lists)*perMinute, "lists/min")
				b.ReportMetric(float64(server.Count("tasks/get")-gets)*perMinute, "gets/min")
				b.ReportMetric(100*(s.cpu()-cpu).Seconds()/span.Seconds(), "%-of-a-core")
				s.end()
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
