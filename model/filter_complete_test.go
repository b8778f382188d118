package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"callboard/model/task"
)

func TestCompleteFilter(t *testing.T) {
	s := newScript()
	for i := range 80 {
		s.put(a(fmt.Sprintf("id-%02d", i), task.Working))
	}
	play(t, Options{}, s, func(st *stage) {
		st.settle()
		st.wish(ToolsMsg{"ops"})
		st.wish(StartMsg{"ops", task.Call{ID: "c", Tool: "import all"}})
		for _, c := range []struct {
			text   string
			cursor int
			from   int
			want   string
		}{
			{"", 0, 0, "age>,id:,is:,message:,progress>,server:,status:,tool:,ttl<"},
			{"st", 2, 0, "status:"}, {"disk !T", 7, 6, "tool:,ttl<"}, {"über s", 6, 5, "server:,status:"}, {"disk ", 5, 5, "age>,id:,is:,message:,progress>,server:,status:,tool:,ttl<"},
			{"status:c", 8, 7, "calling,cancelled,cancelling,completed"}, {"status:failed,canc", 18, 14, "cancelled,cancelling"}, {"status:not", 10, 7, "not-ours"},
			{"is:ma", 5, 3, "marked"}, {"server:O", 8, 7, "ops"}, {"tool:", 5, 5, `"import all",Deploy,deploy`}, {`tool:"imp`, 9, 5, `"import all"`},
			{"tool:all", 8, 5, `"import all"`}, {"id:ID-07", 8, 3, "id-07"}, {"id:none", 7, 3, ""}, {"zzz", 3, 0, ""}, {"/st", 3, 3, ""}, {`"st`, 3, 3, ""},
			{"st disk", 2, 0, "status:"}, {"message:x", 9, 8, ""}, {"st", 99, 0, "status:"}, {"st", -1, 0, "age>,id:,is:,message:,progress>,server:,status:,tool:,ttl<"},
		} {
			from, got := CompleteFilter(c.text, c.cursor, st.Model)
			if from != c.from || strings.Join(got, ",") != c.want {
				t.Errorf("%q at %d: from %d %q, want %d %q", c.text, c.cursor, from, got, c.from, c.want)
			}
		}
		if _, got := CompleteFilter("id:", 3, st.Model); len(got) != candidatesMost || !slices.IsSorted(got) {
			t.Errorf("%d ids", len(got))
		}
	})
	for _, tok := range FilterTokens() {
		if tok.Help == "" || len(tok.Token)+len(tok.Help) > 76 {
			t.Errorf("%s: %s", tok.Token, tok.Help)
		}
	}
}
