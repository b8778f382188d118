package model

import (
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

func TestWhyEmpty(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(*script)
		o     Options
		words []string
		not   string
	}{
		{"a new session", func(*script) {}, Options{}, []string{"lists no tasks", "only its own", "--session-file", "n starts"}, ""},
		{"no sessions", func(s *script) { s.about.Session = false }, Options{}, []string{"lists no tasks"}, "session"},
		{"read-only", func(*script) {}, Options{ReadOnly: true}, []string{"lists no tasks"}, "n starts"},
		{"no list", func(s *script) { s.about.List = task.CanNo }, Options{}, []string{"cannot be listed", "tasks.list", ":force"}, ""},
		{"joined", func(s *script) { s.about.Joined = true }, Options{}, []string{"in the session that was joined"}, ""},
		{"down for good", func(s *script) {
			s.onDial = func(int) error {
				return &task.Error{Kind: task.Version, Message: task.Own("it speaks 2024"), Advice: task.Own("update it")}
			}
		}, Options{}, []string{"not reached: it speaks 2024", "Update it.", "r tries again"}, ""},
		{"down for now", func(s *script) { s.onDial = func(int) error { return unreachable() } }, Options{}, []string{"connection refused"}, "Nothing more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScript()
			c.edit(s)
			play(t, c.o, s, func(st *stage) {
				st.settle()
				why := strings.Join(st.Why(screenKeys), "\n")
				for _, w := range c.words {
					if !strings.Contains(why, w) {
						t.Errorf("%q is not said: %s", w, why)
					}
				}
				if c.not != "" && strings.Contains(why, c.not) {
					t.Errorf("%q is said: %s", c.not, why)
				}
			})
		})
	}
}

func TestDeadKeysSayWhy(t *testing.T) {
	s := newScript()
	s.about.Tools = task.CanNo
	play(t, Options{}, s, func(st *stage) {
		s.put(a("asks", task.InputRequired), a("works", task.Working))
		st.pass(6 * time.Second)
		key := func(id string) task.Key { return task.Key{Server: "ops", ID: task.ID(id)} }
		for _, c := range []struct{ got, want string }{
			{st.CanStart("ops"), "no tools"},
			{st.CanStart("nobody"), "no such server"},
			{st.CanAnswer(key("works")), "does not ask"},
			{st.CanAnswer(key("asks")), "has not sent the question"},
			{st.CanAnswer(key("nothing")), "no row"},
			{st.CanCancel(key("nothing")), "no row"},
		} {
			if !strings.Contains(c.got, c.want) {
				t.Errorf("%q, want %q", c.got, c.want)
			}
		}
		st.byName["ops"].about.Unsampled = true
		if got := st.CanAnswer(key("asks")); !strings.Contains(got, "begun without sampling") {
			t.Errorf("a session that was begun without sampling: %q", got)
		}
		st.lose(task.Version)
		for _, got := range []string{st.CanCancel(key("works")), st.CanAnswer(key("asks")), st.CanStart("ops")} {
			if !strings.Contains(got, "not connected") {
				t.Errorf("%q", got)
			}
		}
		before := st.Revision()
		if cmd := st.Update("a message of somebody else"); cmd != nil || st.Revision() != before {
			t.Error("a message of somebody else is taken for ours")
		}
	})
}

// screenKeys names the keys of the screen, as it has them by default.
func screenKeys(action string) string {
	return map[string]string{"everywhere.back": "esc", "everywhere.refresh": "r", "everywhere.new": "n"}[action]
}
