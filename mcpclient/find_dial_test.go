package mcpclient

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

const (
	initialized = `{"protocolVersion":"2025-11-25","serverInfo":{"name":"old","version":"1"},` + withCore + `}`
	modern      = `{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"private",` + withExtension +
		`,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`
	mixed  = `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],` + withCore + `}`
	noTool = `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`
)

var onlyModern = rpcAnswer(400, `{"code":-32022,"message":"unsupported","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}`)

// TestFind: which generation is spoken in the end, and what was asked for it.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name       string
		discover   answer // Method not found where nil
		initialize answer
		protocol   task.Era
		resume     task.Resume
		asked      string // D for server/discover, I for initialize
		era        task.Era
		note       string // in About.Note
		kind       task.ErrorKind
		words      string // of the error; "" where a session begins
	}{
		{name: "modern", discover: result(modern), asked: "D", era: task.Modern},
		{name: "modern, known before", discover: result(modern), resume: task.Resume{Era: task.Modern}, asked: "D", era: task.Modern},
		{name: "modern without tasks", discover: result(`{"supportedVersions":["2026-07-28"],` + withoutTasks + `}`), asked: "D", era: task.Modern, note: "no tasks"},
		{name: "legacy", discover: jsonRPCError(400, -32000, "not initialized"), initialize: result(initialized), asked: "DI", era: task.Legacy},
		{name: "legacy, known before", discover: result(modern), initialize: result(initialized), resume: task.Resume{Era: task.Legacy}, asked: "I", era: task.Legacy},
		{name: "legacy, known before, now modern", discover: result(modern), initialize: onlyModern, resume: task.Resume{Era: task.Legacy}, asked: "ID", era: task.Modern},
		{name: "legacy, known before, now unknown", initialize: jsonRPCError(404, -32601, "Method not found"), resume: task.Resume{Era: task.Legacy}, asked: "ID",
			kind: task.Version, words: "begins no session"},
		{name: "legacy, known before, now away", discover: result(modern), initialize: plainStatus(503), resume: task.Resume{Era: task.Legacy}, asked: "I",
			kind: task.Busy, words: "503"},
		{name: "modern, known before, now legacy", initialize: result(initialized), resume: task.Resume{Era: task.Modern}, asked: "DI", era: task.Legacy},
		{name: "mixed", discover: result(mixed), initialize: result(initialized), asked: "DI", era: task.Legacy, note: "knows 2026-07-28 too"},
		{name: "mixed, and no session", discover: result(mixed), initialize: onlyModern, asked: "DI", era: task.Modern, note: "out of reach"},
		{name: "mixed, and away", discover: result(mixed), initialize: plainStatus(503), asked: "DI", kind: task.Busy, words: "503"},
		{name: "legacy by its own word", discover: rpcAnswer(400, `{"code":-32022,"message":"unsupported","data":{"supported":["2025-11-25"]}}`),
			initialize: result(initialized), asked: "DI", era: task.Legacy},
		{name: "none of ours", discover: result(`{"supportedVersions":["2027-03-01"]}`), initialize: result(initialized), asked: "D", kind: task.Version, words: "2027-03-01"},
		{name: "silent and legacy", discover: silence, initialize: result(initialized), asked: "DI", era: task.Legacy},
		{name: "silent", discover: silence, initialize: silence, asked: "DI", kind: task.Timeout, words: "no answer"},
		{name: "silent, then refusing", discover: silence, initialize: plainStatus(404), asked: "DI", kind: task.HTTP, words: "404"},
		{name: "refusing, then silent", discover: jsonRPCError(400, -32000, "go away"), initialize: silence, asked: "DI", kind: task.RPC, words: "go away"},
		{name: "slow and modern", discover: afterwards(8*time.Second, result(modern)), initialize: onlyModern, asked: "DID", era: task.Modern},
		{name: "slow, modern, and known", discover: afterwards(8*time.Second, result(modern)), resume: task.Resume{Era: task.Modern}, asked: "D", era: task.Modern},
		{name: "refusing twice", discover: jsonRPCError(400, -32000, "a session first"), initialize: plainStatus(400), asked: "DI", kind: task.RPC, words: "a session first"},
		{name: "a stream without a reply", discover: stream("id: 1\ndata:\n\n", true), initialize: result(initialized), asked: "DI", era: task.Legacy},
		{name: "a stream that ends without one", discover: stream("id: 1\ndata:\n\n", false), initialize: result(initialized), asked: "DI", era: task.Legacy},
		{name: "an empty answer", discover: func(w http.ResponseWriter, _ *scriptedRequest) { w.WriteHeader(http.StatusAccepted) }, initialize: result(initialized), asked: "DI", era: task.Legacy},
		{name: "401", discover: plainStatus(401), initialize: result(initialized), asked: "D", kind: task.Unauthorized, words: "wants a token"},
		{name: "403", discover: plainStatus(403), initialize: result(initialized), asked: "D", kind: task.Denied, words: "refuses"},
		{name: "429", discover: plainStatus(429), initialize: result(initialized), asked: "D", kind: task.Busy, words: "too often"},
		{name: "500", discover: plainStatus(500), initialize: result(initialized), asked: "D", kind: task.HTTP, words: "500"},
		{name: "broken", discover: func(http.ResponseWriter, *scriptedRequest) { panic(http.ErrAbortHandler) }, initialize: result(initialized), asked: "D",
			kind: task.Lost, words: "no reply"},
		{name: "a modern error that tells nothing", discover: jsonRPCError(400, -32021, "roots are needed"), initialize: result(initialized), asked: "D", era: task.Modern, note: "roots are needed"},

		{name: "legacy wanted", discover: result(modern), initialize: result(initialized), protocol: task.Legacy, asked: "I", era: task.Legacy},
		{name: "legacy wanted, modern known", discover: result(modern), initialize: result(initialized), protocol: task.Legacy, resume: task.Resume{Era: task.Modern}, asked: "I", era: task.Legacy},
		{name: "legacy wanted of a modern one", discover: result(modern), initialize: onlyModern, protocol: task.Legacy, asked: "I", kind: task.Version, words: "begins no session"},
		{name: "modern wanted", discover: result(modern), initialize: result(initialized), protocol: task.Modern, asked: "D", era: task.Modern},
		{name: "modern wanted, legacy known", discover: result(modern), initialize: result(initialized), protocol: task.Modern, resume: task.Resume{Era: task.Legacy}, asked: "D", era: task.Modern},
		{name: "modern wanted, with a session kept", discover: result(modern), protocol: task.Modern, resume: task.Resume{Era: task.Legacy, Session: "s"}, asked: "D", era: task.Modern},
		{name: "modern wanted of a mixed one", discover: result(mixed), initialize: result(initialized), protocol: task.Modern, asked: "D", era: task.Modern, note: "out of reach"},
		{name: "modern wanted without discovery", initialize: result(initialized), protocol: task.Modern, asked: "D", era: task.Modern, note: "says nothing of itself"},
		{name: "modern wanted of a legacy one", discover: result(`{"supportedVersions":["2025-11-25"]}`), initialize: result(initialized), protocol: task.Modern, asked: "D",
			kind: task.Version, words: "2025-11-25"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := newScripted(t)
				s.on("tools/list", result(noTool))
				if c.discover != nil {
					s.on("server/discover", c.discover)
				}
				if c.initialize != nil {
					s.on("initialize", c.initialize)
				}
				cfg := Config{Protocol: c.protocol}
				if c.words != "" {
					te := s.refused(cfg, c.resume, c.kind)
					if !strings.Contains(te.Message.Line(), c.words) {
						t.Errorf("error %v, want %q", te, c.words)
					}
				} else {
					session := s.dial(cfg, c.resume)
					a := session.About()
					if a.Era != c.era || a.Version != c.era.String() || session.Resume().Era != c.era {
						t.Errorf("%v %q, resume %v; want %v", a.Era, a.Version, session.Resume().Era, c.era)
					}
					if got := a.Note.Line(); c.note == "" && got != "" || !strings.Contains(got, c.note) {
						t.Errorf("note %q, want %q", got, c.note)
					}
				}
				if n := len(s.requests("GET")); n > 1 {
					t.Errorf("%d streams were opened", n)
				}
				letters := map[string]string{"server/discover": "D", "initialize": "I"}
				got := ""
				for _, m := range s.asked() {
					got += letters[m]
				}
				if got != c.asked {
					t.Errorf("asked %s, want %s", got, c.asked)
				}
			})
		})
	}
}

// afterwards answers when d has passed, unless the client is gone by then.
func afterwards(d time.Duration, a answer) answer {
	return func(w http.ResponseWriter, q *scriptedRequest) {
		select {
		case <-time.After(d):
			a(w, q)
		case <-q.Context().Done():
		}
	}
}

// stream answers with a stream that holds text, and then nothing more.
func stream(text string, open bool) answer {
	return func(w http.ResponseWriter, q *scriptedRequest) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text) // the client may be gone
		w.(http.Flusher).Flush()
		if open {
			<-q.Context().Done()
		}
	}
}

// TestProbe: what server/discover carries, and that it takes 5 s at most.
func TestProbe(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", silence)
		s.on("initialize", result(initialized))
		begun := time.Now()
		s.dial(Config{ClientVersion: "1.2.3", Token: "t0ken"}, task.Resume{})
		if d := time.Since(begun); d != probePatience {
			t.Errorf("dialled after %v", d)
		}
		q := s.requests("server/discover")[0]
		for k, want := range map[string]string{
			"Mcp-Method": "server/discover", "Mcp-Protocol-Version": "2026-07-28", "Content-Type": "application/json",
			"Mcp-Session-Id": "", "Mcp-Name": "", "Authorization": "Bearer t0ken",
		} {
			if got := q.Header.Get(k); got != want {
				t.Errorf("%s: %q, want %q", k, got, want)
			}
		}
		for _, want := range []string{`"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"version":"1.2.3"`, `"io.modelcontextprotocol/tasks":{}`, "clientInfo", "clientCapabilities"} {
			if !strings.Contains(string(q.params), want) {
				t.Errorf("params %s lack %s", q.params, want)
			}
		}
	})
}

// TestProbeOnAStream: the reply to server/discover may come behind others.
func TestProbeOnAStream(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", func(w http.ResponseWriter, q *scriptedRequest) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, ": hello\n\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{}}\n\n"+
				"data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", q.id, modern, q.id)
			w.(http.Flusher).Flush()
			<-q.Context().Done()
		})
		if a := s.dial(Config{}, task.Resume{}).About(); a.Era != task.Modern || a.Name.Line() != "new" {
			t.Errorf("%+v", a)
		}
	})
}

// TestProbeIsGivenUp: the end of the dial's context is the end of all of it.
func TestProbeIsGivenUp(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", silence)
		ctx, cancel := contextFor(t, 2*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := s.endpoint(Config{}).Dial(ctx, task.Resume{})
		kind(t, err, task.Timeout)
		if d := time.Since(begun); d != 2*time.Second || !slices.Equal(s.asked(), []string{"server/discover"}) {
			t.Errorf("after %v: %v", d, s.asked())
		}
	})
}

// TestSessionOfAnotherGeneration: a server that gave up sessions has none to
// rejoin, which is told as a session that is gone.
func TestSessionOfAnotherGeneration(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("server/discover", result(modern))
		s.on("tasks/list", onlyModern)
		s.on("initialize", onlyModern)
		kept := task.Resume{Era: task.Legacy, Session: "s1"}
		_ = s.refused(Config{}, kept, task.SessionLost)
		if a := s.dial(Config{}, kept.Afresh()).About(); a.Era != task.Modern {
			t.Errorf("%+v", a)
		}
	})
}

// TestExtensionInASession: a server may list the tasks extension in its reply to
// initialize.
func TestExtensionInASession(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newScripted(t)
		s.on("initialize", result(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"},`+withExtension+`}`))
		session := s.dial(Config{}, task.Resume{})
		a := session.About()
		if a.Era != task.Legacy || a.Cancel != task.CanYes || a.List != task.CanUnknown || !strings.Contains(a.Note.Line(), "within a session") {
			t.Errorf("%+v", a)
		}
		_, err := session.Page(t.Context(), task.Cursor{})
		kind(t, err, task.Unsupported)
		if a := session.About(); a.List != task.CanNo {
			t.Errorf("after the refusal: %+v", a)
		}
	})
}

// TestPostOnly: a session whose GET stream another process holds is joined
// without one.
func TestPostOnly(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		r := newRig(t, Config{}, sleeping())
		r.dial(task.Resume{})
		r.start("work")
		any1[task.Started](r)
		kept := r.s.Resume()
		r.close(true)
		streams := len(requestsOf(r, mcptest.KindStream))
		kept.PostOnly = true
		r.dial(kept)
		if e := any1[task.Stream](r); !e.Never || e.Up || !strings.Contains(e.Why, "other callboards") {
			t.Errorf("%+v", e)
		}
		if p, err := r.s.Page(t.Context(), task.Cursor{}); err != nil || len(p.Tasks) != 1 {
			t.Errorf("%v, %v", p, err)
		}
		if !r.s.Resume().PostOnly {
			t.Error("a later dial would take the stream")
		}
		if n := len(requestsOf(r, mcptest.KindStream)); n != streams {
			t.Errorf("%d GET streams were opened", n-streams)
		}
		r.close(true)
		// A new session is nobody else's.
		r.dial(task.Resume{PostOnly: true})
		if e := any1[task.Stream](r); !e.Up {
			t.Errorf("%+v", e)
		}
	})
}

func requestsOf(r *rig, kind mcptest.Kind) []mcptest.Request {
	var found []mcptest.Request
	for _, q := range r.srv.Requests() {
		if q.Kind == kind {
			found = append(found, q)
		}
	}
	return found
}

// TestDiscoveryHolds: what a server said of itself is not asked for again before
// its time, but where the server shows to have changed.
func TestDiscoveryHolds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(token string) {
		if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inBubble(t, func(t *testing.T) {
		write("one")
		s := newScripted(t)
		s.on("tools/list", result(noTool))
		ep := s.endpoint(Config{TokenFile: file})
		asked := 0
		again := func(what string, discovers int) {
			t.Helper()
			session, err := ep.Dial(t.Context(), task.Resume{Era: task.Modern})
			if err != nil {
				t.Fatal(what, err)
			}
			if n := len(s.requests("server/discover")) - asked; n != discovers {
				t.Errorf("%s: %d discoveries, want %d", what, n, discovers)
			}
			asked = len(s.requests("server/discover"))
			if a := session.About(); a.Era != task.Modern || a.Name.Line() != "new" {
				t.Errorf("%s: %+v", what, a)
			}
			if err := session.Close(t.Context(), false); err != nil {
				t.Error(err)
			}
		}
		says := func(ttl int, scope string) {
			s.on("server/discover", result(strings.NewReplacer(`"ttlMs":0`, fmt.Sprintf(`"ttlMs":%d`, ttl), "private", scope).Replace(modern)))
		}
		says(0, "private")
		again("first", 1)
		says(60_000, "private")
		again("held for no time", 1)
		again("held for a minute", 0)
		<-time.After(61 * time.Second)
		again("over", 1)
		change := func(token string) {
			write(token)
			s.on("tools/list", func(w http.ResponseWriter, q *scriptedRequest) {
				if q.Header.Get("Authorization") != "Bearer "+token {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				result(noTool)(w, q)
			})
		}
		change("two")
		again("another account", 1)
		says(60_000, "public")
		<-time.After(61 * time.Second)
		again("over again", 1)
		change("three")
		again("another account, where that makes no difference", 0)
		s.on("tools/list", rpcAnswer(400, `{"code":-32022,"message":"unsupported","data":{"supported":["2027-01-01"]}}`))
		again("another version", 1)
		s.on("tools/list", plainStatus(503))
		_, err := ep.Dial(t.Context(), task.Resume{})
		kind(t, err, task.Busy)
	})
}

// TestFindTheTestServer: a real server of either generation, or of both, is found
// out, and what is sent for it fits the official schemas.
func TestFindTheTestServer(t *testing.T) {
	for _, c := range []struct {
		eras  mcptest.Era
		era   task.Era
		asked []string
	}{
		{mcptest.LegacyEra, task.Legacy, []string{"server/discover", "initialize"}},
		{mcptest.ModernEra, task.Modern, []string{"server/discover"}},
		{mcptest.LegacyEra | mcptest.ModernEra, task.Modern, []string{"server/discover"}},
	} {
		inBubble(t, func(t *testing.T) {
			r := newRig(t, Config{}, mcptest.WithEra(c.eras), sleeping())
			r.ep.cfg.Protocol = task.AnyEra
			r.dial(task.Resume{})
			if a := r.s.About(); a.Era != c.era || a.Version != c.era.String() || a.TaskCalls != task.CanYes || !a.Note.IsZero() {
				t.Errorf("%v: %+v", c.eras, a)
			}
			r.start("work")
			started := any1[task.Started](r)
			if c.era == task.Modern {
				wait1(r, func(e task.Stream) bool { return slices.Contains(e.Tasks, started.Task.ID) })
			}
			if _, err := r.s.Cancel(t.Context(), started.Task.ID); err != nil {
				t.Error(err)
			}
			wait1(r, func(e task.Changed) bool { return e.How == task.Pushed && e.Task.Status == task.Cancelled })
			var asked []string
			for _, q := range r.srv.Requests() {
				if q.Method == "server/discover" || q.Method == "initialize" {
					asked = append(asked, q.Method)
				}
			}
			if !slices.Equal(asked, c.asked) {
				t.Errorf("%v: asked %v", c.eras, asked)
			}
		})
	}
}
