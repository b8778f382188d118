//go:build unix

package term

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSamplerGivesParamsAndTakesTheReply(t *testing.T) {
	hostile := json.RawMessage(`{"messages":[{"text":"$(touch HERE) ; 'rm' \"x\""}]}`)
	dir := t.TempDir()
	t.Chdir(dir)
	got, err := Sampler("cat; printf '\\n\\n'")(t.Context(), hostile)
	if err != nil || got != string(hostile) {
		t.Errorf("%q, %v", got, err)
	}
	// The server's words are neither arguments nor environment.
	got, err = Sampler(`printf '%s|' "$#" "$@"; env; tr '\0' ' ' < /proc/$$/cmdline`)(t.Context(), hostile)
	if err != nil || strings.Contains(got, "touch HERE") || !strings.HasPrefix(got, "0|") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := os.Stat("HERE"); err == nil {
		t.Error("words of the server were run")
	}
}

func TestSamplerReadsNothingOfParams(t *testing.T) {
	big := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	if got, err := Sampler("printf 'one\ntwo\n'")(t.Context(), big); err != nil || got != "one\ntwo" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSamplerSaysWhatWentWrong(t *testing.T) {
	for _, tt := range []struct{ name, command, want string }{
		{"exit status", "echo first >&2; echo 'no \033[31mkey\033[0m' >&2; echo >&2; exit 3", "the command failed (exit status 3): no key"},
		{"no words", "exit 1", "the command failed (exit status 1)"},
		{"signal", "kill -9 $$", "the command failed (signal: killed)"},
		{"nothing", "echo why >&2; echo ' '", "the command wrote nothing: why"},
		{"no text", `printf 'a\377b'`, "what the command wrote is no text (UTF-8)"},
		{"a NUL", `printf '\000null'`, "what the command wrote is no text (UTF-8)"},
		{"too much", "trap '' PIPE; while :; do head -c 65536 /dev/zero 2>/dev/null; done", "the command wrote more than 1 MiB"},
		{"a long tail", "head -c 100000 /dev/zero | tr '\\0' y >&2; exit 1", "the command failed (exit status 1): y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Sampler(tt.command)(t.Context(), json.RawMessage(`{}`))
			if err == nil || got != "" || !strings.HasPrefix(err.Error(), tt.want) || len(err.Error()) > 400 || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
	most, err := Sampler("head -c 1048576 /dev/zero | tr '\\0' y")(t.Context(), nil)
	if err != nil || len(most) != 1<<20 {
		t.Errorf("1 MiB: %d bytes, %v", len(most), err)
	}
}

// gone fails unless the processes with the ids in a file are over.
func gone(t *testing.T, file string) {
	t.Helper()
	ids, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(ids))
	if len(fields) == 0 {
		t.Fatal("no process was noted")
	}
	for _, id := range fields {
		pid, err := strconv.Atoi(id)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "process "+id+" ends", func() bool { return !running(pid) })
	}
}

// running reports whether a process is there and no zombie.
func running(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for !is() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("not seen: %s", what)
		}
	}
}

// The command's own children hold its output open, and end with it.
const withChildren = `sleep 300 & echo $! >>PIDS; (trap '' TERM INT; sleep 300 & echo $! >>PIDS; wait) & echo $$ >>PIDS; touch UP; wait; sleep 300`

func TestSamplerIsCancelled(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := Sampler(withChildren)(ctx, json.RawMessage(`{}`))
		done <- err
	}()
	eventually(t, "the command is up", func() bool {
		ids, _ := os.ReadFile("PIDS")
		_, err := os.Stat("UP")
		return err == nil && len(strings.Fields(string(ids))) == 3
	})
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	gone(t, "PIDS")
}

func TestSamplerTakesTooLong(t *testing.T) {
	dir := t.TempDir()
	pids := filepath.Join(dir, "PIDS")
	for patience := 500 * time.Millisecond; ; patience *= 2 {
		_, err := runSampler(t.Context(), "echo $$ >"+pids+"; echo half; sleep 300", nil, patience)
		if want := "the command took longer than " + patience.String() + ", and was ended"; err == nil || err.Error() != want {
			t.Fatalf("error %v", err)
		}
		if ids, _ := os.ReadFile(pids); len(ids) > 0 || patience > time.Minute { // a busy machine may not even have begun it
			break
		}
	}
	gone(t, pids)
}

// A command that leaves something running behind is not waited for, and what
// it left does not outlive it.
func TestSamplerLeavesNothingBehind(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "PIDS")
	got, err := Sampler("sleep 300 & echo $! >"+pids+"; echo hello")(t.Context(), nil)
	if err != nil || got != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	gone(t, pids)
}
