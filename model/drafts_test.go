package model

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"callboard/mcpclient/mcptest"
	"callboard/model/task"
)

// form is what the questions of these tests want: a name and a password.
func form() task.Form {
	return task.Form{
		Schema: []byte(`{"type":"object"}`),
		Fields: []task.Field{{Name: "name"}, {Name: "password", Secret: true}},
	}
}

// question lets a task ask, and returns the prompt.
func question(st *stage, of task.ID, id task.PromptID, words string) *Ask {
	st.s.put(a(string(of), task.InputRequired))
	st.tell(push(a(string(of), task.InputRequired)), task.Prompted{Prompt: task.Prompt{
		ID: id, Key: string(id), Task: of, Message: task.Own(words), Form: form(), At: time.Now(),
	}})
	return st.Ask(id)
}

func isDraft(t *testing.T, what string, got Draft, want Draft) {
	t.Helper()
	if !maps.Equal(got, want) || (got == nil) != (want == nil) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// What is typed is handed to the memory with each key, and stands in its form
// again on the same question after a kill; what was typed into secret fields does
// not.
func TestADraftOutlivesAKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newScript(), newKeeper()
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			question(st, "t", "p", "who?")
			for _, typed := range []string{"A", "Ad", "Ada"} {
				st.SaveDraft("p", Draft{"name": typed, "password": "s3cret"})
				if got := k.drafts(); len(got) != 1 || got[0]["name"] != typed || len(got[0]) != 1 {
					t.Fatalf("kept %q", got)
				}
			}
			at := k.kept.Drafts[0].At
			st.pass(time.Minute)
			st.SaveDraft("p", Draft{"name": "Ada", "password": "s3cret"}) // no key was pressed
			if !k.kept.Drafts[0].At.Equal(at) {
				t.Error("a draft that did not change counts as typed")
			}
			if ok, why := st.DraftsKept("ops"); !ok {
				t.Errorf("not kept: %s", why)
			}
			if lost, kept := st.Unsent(), st.KeptUnsent(); lost != 1 || kept != 0 {
				t.Errorf("with a secret %d are lost, %d kept", lost, kept)
			}
			st.SaveDraft("p", Draft{"name": "Ada"})
			if lost, kept := st.Unsent(), st.KeptUnsent(); lost != 0 || kept != 1 {
				t.Errorf("%d are lost, %d kept", lost, kept)
			}
		}, true)
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			x := question(st, "t", "other", "who?")
			isDraft(t, "after the kill", st.Draft("other"), Draft{"name": "Ada"})
			if !x.Before || x.State != Open {
				t.Errorf("before %v, %v", x.Before, x.State)
			}
			if question(st, "u", "u1", "what?"); st.Draft("u1") != nil {
				t.Error("a draft of another question is filled in")
			}
			st.wish(accept("other"))
			if got := k.drafts(); len(got) != 0 {
				t.Errorf("after its answer %q is kept", got)
			}
		}, false)
	})
}

// The JSON text of a form with a secret field holds that field.
func TestSecretsStayInMemory(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		question(st, "t", "p", "who?")
		st.SaveDraft("p", Draft{"": `{"password":"s3cret"}`})
		if got := k.drafts(); len(got) != 0 {
			t.Errorf("kept %q", got)
		}
		st.SaveDraft("p", Draft{"": `{"password":"s3cret"}`, "name": "Ada"})
		if got := k.drafts(); len(got) != 1 || len(got[0]) != 1 {
			t.Errorf("kept %q", got)
		}
		st.SaveDraft("p", Draft{"password": "s3cret"})
		if got := k.drafts(); len(got) != 0 {
			t.Errorf("what was typed before is still kept: %q", got)
		}
		isDraft(t, "in memory", st.Draft("p"), Draft{"password": "s3cret"})
		st.lose(task.Lost)
		st.pass(5 * time.Second)
		question(st, "t", "p2", "who?")
		isDraft(t, "asked again", st.Draft("p2"), Draft{"password": "s3cret"})
		st.SaveDraft("p2", nil)
		if st.Draft("p2") != nil || len(st.links[0].drafts) != 0 {
			t.Error("it was thrown away, and is still there")
		}
		st.tell(task.Prompted{Prompt: task.Prompt{ID: "url", Mode: task.URLMode, URL: "https://x", Task: "t", Message: task.Own("go")}})
		st.SaveDraft("url", Draft{"name": "x"})
		if got := k.drafts(); len(got) != 0 {
			t.Errorf("of an address %q is kept", got)
		}
	})
}

// A draft leaves the disk when its answer was delivered, and is there while that
// failed or is not known.
func TestWhenADraftLeaves(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		kept int
	}{
		{"delivered", nil, 0},
		{"failed", &task.Error{Kind: task.RPC, Message: task.Own("no")}, 1},
		{"unknown", &task.Error{Kind: task.Timeout, Message: task.Own("no answer in time")}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, k := newScript(), newKeeper()
			s.onAll = func([]task.Reply) (task.Receipt, error) { return task.Receipt{At: time.Now()}, c.err }
			remembering(t, s, k, func(st *stage) {
				st.settle()
				question(st, "t", "p", "who?")
				st.SaveDraft("p", Draft{"name": "Ada"})
				st.wish(accept("p"))
				if got := k.drafts(); len(got) != c.kept {
					t.Errorf("kept %q", got)
				}
				if c.kept == 0 {
					st.SaveDraft("p", Draft{"name": "Ada L"})
					if got := k.drafts(); len(got) != 0 {
						t.Errorf("a form that closes late keeps %q", got)
					}
				}
				if st.KeptUnsent() != c.kept {
					t.Errorf("%d are told as not sent", st.KeptUnsent())
				}
				if c.kept == 1 { // the truth comes: the task went on
					st.pass(time.Second)
					s.put(a("t", task.Working))
					st.tell(push(a("t", task.Working)))
					if got := k.drafts(); c.name == "unknown" && len(got) != 0 {
						t.Errorf("taken, and %q is kept", got)
					}
				}
			})
		})
	}
}

// What the server lost after it had taken it is typed once, not twice.
func TestADraftOfADeliveredAnswer(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		question(st, "t", "p", "who?")
		st.SaveDraft("p", Draft{"name": "Ada"})
		st.wish(accept("p"))
		question(st, "u", "u", "who?")
		if st.Draft("u") != nil {
			t.Error("the answer of another task is filled in")
		}
		x := question(st, "t", "again", "who?")
		isDraft(t, "asked again", st.Draft("again"), Draft{"name": "Ada"})
		if got := k.drafts(); !x.Before || len(got) != 1 {
			t.Errorf("before %v, kept %q", x.Before, got)
		}
		st.wish(accept("again"))
		st.pass(time.Second)
		s.put(a("t", task.Working))
		st.tell(push(a("t", task.Working)))
		st.pass(time.Second)
		if question(st, "t", "third", "who?"); st.Draft("third") != nil {
			t.Error("an answer that was taken is filled in")
		}
	})
}

// A draft is offered where the same is asked: to the same task first, and to
// another only where nobody else is about to use it.
func TestWhoGetsADraft(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		question(st, "t", "t1", "who?")
		st.SaveDraft("t1", Draft{"name": "of t"})
		if question(st, "u", "u1", "who?"); st.Draft("u1") != nil {
			t.Error("the draft of an open form went to another task")
		}
		st.pass(time.Second)
		st.SaveDraft("u1", Draft{"name": "of u"})
		st.lose(task.Lost) // both will be asked again, in another order
		st.pass(5 * time.Second)
		if question(st, "v", "v1", "who?"); st.Draft("v1") != nil {
			t.Error("a draft went to another task while its own still asks")
		}
		question(st, "u", "u2", "who?")
		isDraft(t, "u", st.Draft("u2"), Draft{"name": "of u"})
		question(st, "t", "t2", "who?")
		isDraft(t, "t", st.Draft("t2"), Draft{"name": "of t"})
		for _, x := range st.Inbox() {
			if x.State == Withdrawn && st.Draft(x.Prompt.ID) != nil {
				t.Errorf("%s stands in the inbox for its draft, which is in another form", x.Prompt.ID)
			}
		}
		st.pass(time.Second)
		s.put(a("t", task.Failed))
		st.tell(push(a("t", task.Failed)))
		question(st, "w", "w1", "who?")
		isDraft(t, "w, after t ended", st.Draft("w1"), Draft{"name": "of t"})
		st.wish(accept("w1"))
		if got := k.drafts(); len(got) != 1 || got[0]["name"] != "of u" {
			t.Errorf("after its answer %q are kept", got)
		}
	})
}

// Nor to another call while the one that it was typed for is open, nor while the
// server is looking at it, nor for ever.
func TestWhoGetsNoDraft(t *testing.T) {
	s, k := newScript(), newKeeper()
	k.kept.Drafts = []task.KeptDraft{{
		Asked: (&task.Prompt{Message: task.Own("who?"), Form: form()}).Asked(), Task: "old",
		Fields: map[string]string{"name": "old"}, At: birth.Add(-draftLife),
	}}
	remembering(t, s, k, func(st *stage) {
		st.settle()
		ask := func(id task.PromptID, of task.ID) *Ask {
			st.tell(task.Prompted{Prompt: task.Prompt{ID: id, Task: of, Message: task.Own("who?"), Form: form(), At: time.Now()}})
			return st.Ask(id)
		}
		if ask("p", ""); st.Draft("p") != nil {
			t.Errorf("what was typed 7 days ago: %q", st.Draft("p"))
		}
		st.SaveDraft("p", Draft{"name": "Ada"})
		if ask("q", ""); st.Draft("q") != nil {
			t.Errorf("the draft of an open form: %q", st.Draft("q"))
		}
		s.put(a("t", task.Working), a("u", task.Working))
		st.tell(push(a("t", task.Working)), push(a("u", task.Working)))
		ask("t1", "t")
		st.SaveDraft("t1", Draft{"name": "Eve"})
		st.wish(accept("t1"))
		if ask("u1", "u"); st.Draft("u1") != nil {
			t.Errorf("an answer that is being looked at: %q", st.Draft("u1"))
		}
	})
}

// One that another task got meanwhile is there again where its own asks again.
func TestADraftComesBackToItsTask(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		x := question(st, "t", "p", "who?")
		st.SaveDraft("p", Draft{"name": "Ada"})
		goesOn(st, "t", task.Working)
		question(st, "u", "q", "who?")
		isDraft(t, "of another task", st.Draft("q"), Draft{"name": "Ada"})
		if st.Draft("p") != nil {
			t.Error("it stands in two places")
		}
		goesOn(st, "t", task.InputRequired)
		isDraft(t, "asked again", st.Draft("p"), Draft{"name": "Ada"})
		if x.State != Open {
			t.Errorf("%v", x.State)
		}
	})
}

// What was read before it was taken from the disk does not come back.
func TestADraftThatWasDroppedStaysDropped(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		question(st, "t", "p", "who?")
		st.SaveDraft("p", Draft{"name": "Ada"})
		old := k.state().Drafts
		st.pass(time.Second)
		st.wish(accept("p"))
		goesOn(st, "t", task.Working)
		k.another(st, func(kept *task.Kept) { kept.Drafts = old })
		if question(st, "u", "q", "who?"); st.Draft("q") != nil {
			t.Errorf("%q came back", st.Draft("q"))
		}
		k.another(st, func(kept *task.Kept) { kept.Drafts = nil })
		if n := len(st.links[0].dropped); n != 0 {
			t.Errorf("%d are remembered as dropped", n)
		}
	})
}

// What another process types shows here, unless something is typed here; what it
// sent or threw away is offered no more.
func TestDraftsOfOtherProcesses(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		x := question(st, "t", "p", "who?")
		elsewhere := task.KeptDraft{Asked: x.Prompt.Asked(), Task: "t", Fields: map[string]string{"name": "A"}, At: time.Now()}
		type_ := func(name string) {
			st.pass(time.Second)
			k.another(st, func(kept *task.Kept) {
				elsewhere.Fields, elsewhere.At = map[string]string{"name": name}, time.Now()
				kept.Drafts = []task.KeptDraft{elsewhere}
			})
		}
		type_("A")
		isDraft(t, "typed elsewhere", st.Draft("p"), Draft{"name": "A"})
		type_("Ad")
		isDraft(t, "typed on", st.Draft("p"), Draft{"name": "Ad"})
		if x.Offered != 2 || !x.Before {
			t.Errorf("offered %d times", x.Offered)
		}
		k.another(st, func(kept *task.Kept) { kept.Drafts = nil })
		if st.Draft("p") != nil || x.Before {
			t.Errorf("sent elsewhere, and here still %q", st.Draft("p"))
		}
		type_("Ada")
		st.SaveDraft("p", Draft{"name": "Bob"})
		type_("Adam")
		isDraft(t, "typed here", st.Draft("p"), Draft{"name": "Bob"})
		k.another(st, func(kept *task.Kept) { kept.Drafts = nil })
		isDraft(t, "typed here, and dropped elsewhere", st.Draft("p"), Draft{"name": "Bob"})
	})
}

// One that is read late is offered all the same.
func TestDraftsThatAreReadLate(t *testing.T) {
	s, k := newScript(), newKeeper()
	k.recallErr = errors.New("it is locked")
	remembering(t, s, k, func(st *stage) {
		st.settle()
		x := question(st, "t", "p", "who?")
		if ok, why := st.DraftsKept("ops"); ok || why != "it is locked" || !strings.Contains(st.link().Trouble, "locked") {
			t.Errorf("kept %v, %q", ok, why)
		}
		st.SaveDraft("p", Draft{"name": "Ada"})
		if st.Unsent() != 1 || st.KeptUnsent() != 0 {
			t.Errorf("%d are lost, %d kept", st.Unsent(), st.KeptUnsent())
		}
		st.SaveDraft("p", nil)
		k.recallErr = nil
		st.pass(2 * time.Second)
		k.another(st, func(kept *task.Kept) {
			kept.Drafts = []task.KeptDraft{
				{Asked: x.Prompt.Asked(), Task: "gone", Fields: map[string]string{"name": "older"}, At: time.Now().Add(-time.Hour)},
				{Asked: x.Prompt.Asked(), Task: "lost", Fields: map[string]string{"name": "oldest"}, At: time.Now().Add(-8 * 24 * time.Hour)},
			}
		})
		isDraft(t, "read late", st.Draft("p"), Draft{"name": "older"})
		if ok, why := st.DraftsKept("ops"); !ok {
			t.Errorf("it can be kept again, but: %s", why)
		}
	})
}

// An answer that is held when callboard is killed is typed once.
func TestAHeldAnswerIsFilledInAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newModern(), newKeeper()
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			question(st, "t", "p", "who?")
			question(st, "t", "q", "what?")
			st.SaveDraft("p", Draft{"name": "Ada"})
			st.wish(held("p"))
			if st.Ask("p").State != Held || st.Unsent() != 1 {
				t.Errorf("%v, %d would be lost", st.Ask("p").State, st.Unsent())
			}
		}, true)
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			question(st, "t", "p'", "who?")
			isDraft(t, "after the kill", st.Draft("p'"), Draft{"name": "Ada"})
		}, false)
	})
}

// The arguments of a call are kept under the tool's name and what they began with.
func TestCallDrafts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newScript(), newKeeper()
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			st.SaveCallDraft("ops", "deploy", "", Draft{"to": "prod"})
			if got := k.drafts(); len(got) != 0 || st.Unsent() != 1 {
				t.Errorf("of a tool that is not known %q is kept", got)
			}
			st.wish(ToolsMsg{"ops"})
			st.links[0].tools.Tools[0].Input = form()
			st.SaveCallDraft("ops", "deploy", "", Draft{"name": "web", "password": "s3cret"})
			st.SaveCallDraft("ops", "deploy", "0123", Draft{"name": "db"})
			isDraft(t, "here", st.CallDraft("ops", "deploy", ""), Draft{"name": "web", "password": "s3cret"})
			if got := k.drafts(); len(got) != 2 || len(got[0]) != 1 || len(got[1]) != 1 {
				t.Errorf("kept %q", got)
			}
			if st.Unsent() != 1 || st.KeptUnsent() != 1 {
				t.Errorf("%d are lost, %d kept", st.Unsent(), st.KeptUnsent())
			}
		}, true)
		lives(t, Options{}, s, k, func(st *stage) {
			st.settle()
			isDraft(t, "afterwards", st.CallDraft("ops", "deploy", ""), Draft{"name": "web"})
			isDraft(t, "afterwards", st.CallDraft("ops", "deploy", "0123"), Draft{"name": "db"})
			if st.KeptUnsent() != 0 {
				t.Error("what was typed long ago is told at the end")
			}
			st.SaveCallDraft("ops", "deploy", "0123", nil)
			if got := k.drafts(); len(got) != 1 || st.CallDraft("ops", "deploy", "0123") != nil {
				t.Errorf("thrown away, and %q is kept", got)
			}
			if st.CallDraft("nobody", "deploy", "") != nil {
				t.Error("a draft of no server")
			}
		}, false)
	})
}

// Without a memory all goes on, and says that nothing is kept.
func TestDraftsWithoutAMemory(t *testing.T) {
	s := newScript()
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		question(st, "t", "p", "who?")
		st.SaveDraft("p", Draft{"name": "Ada"})
		if ok, why := st.DraftsKept("ops"); ok || why == "" || st.Unsent() != 1 || st.KeptUnsent() != 0 {
			t.Errorf("%v %q, %d lost", ok, why, st.Unsent())
		}
		st.lose(task.SessionLost)
		st.pass(time.Second)
		question(st, "t", "p2", "who?")
		isDraft(t, "asked again", st.Draft("p2"), Draft{"name": "Ada"})
	})
}

// Two questions of one task that ask the same share a name on the disk: what is
// answered takes away what is typed for the other one there only for a moment.
func TestTwinsOfOneTask(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		question(st, "t", "p", "who?")
		question(st, "t", "q", "who?")
		st.SaveDraft("p", Draft{"name": "Ada"})
		st.SaveDraft("q", Draft{"name": "Bob"})
		st.wish(accept("q"))
		if got := k.drafts(); len(got) != 1 || got[0]["name"] != "Ada" {
			t.Errorf("kept %q", got)
		}
	})
}

// Over the wire, with both generations: typed, killed, started again, and filled in
// on the same question.
func TestDraftsOverTheWire(t *testing.T) {
	for era, opts := range map[string][]mcptest.Option{"legacy": nil, "modern": {modern}} {
		t.Run(era, func(t *testing.T) {
			severalLives(t, func(_ *mcptest.Server, k *keeper, live func(bool, func(*stage))) {
				var id task.ID
				asks := func(st *stage) *Ask {
					st.pass(5 * time.Second)
					r := st.row(id)
					if len(r.Asks) != 1 {
						t.Fatalf("it does not ask: %+v", r)
					}
					return r.Asks[0]
				}
				live(true, func(st *stage) {
					call := task.Call{ID: NewCallID(), Tool: "deploy", Args: []byte(`{}`), AsTask: true}
					st.wish(StartMsg{"ops", call})
					st.pass(4 * time.Second)
					id = st.Row(task.Key{Server: "ops", Call: call.ID}).Key.ID
					st.SaveDraft(asks(st).Prompt.ID, Draft{"why": "because"})
				})
				live(false, func(st *stage) {
					x := asks(st)
					isDraft(t, "after the kill", st.Draft(x.Prompt.ID), Draft{"why": "because"})
					if !x.Before {
						t.Error("it does not say that it was typed before")
					}
					st.wish(accept(x.Prompt.ID))
					st.pass(5 * time.Second)
					if got := k.drafts(); len(got) != 0 || st.row(id).Task.Status != task.Completed {
						t.Errorf("%v, and %q is kept", st.row(id).Task.Status, got)
					}
				})
			}, append(opts, mcptest.WithTools(deploys), mcptest.WithEventStore(100))...)
		})
	}
}

// Many drafts of many questions cost no more than they are.
func TestManyDrafts(t *testing.T) {
	s, k := newScript(), newKeeper()
	remembering(t, s, k, func(st *stage) {
		st.settle()
		for i := range 50 {
			id := fmt.Sprint("t", i)
			question(st, task.ID(id), task.PromptID(id), "who is "+id+"?")
			st.SaveDraft(task.PromptID(id), Draft{"name": id})
		}
		st.lose(task.SessionLost)
		st.pass(5 * time.Second)
		for i := 49; i >= 0; i-- {
			id := fmt.Sprint("t", i)
			question(st, task.ID(id), task.PromptID(id+"'"), "who is "+id+"?")
			isDraft(t, id, st.Draft(task.PromptID(id+"'")), Draft{"name": id})
		}
	})
}
