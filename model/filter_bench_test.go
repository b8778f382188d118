package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"callboard/model/task"
)

// filters are texts of each kind that a filter can hold; the dear ones too.
var filters = []struct{ name, text string }{
	{"text", "analyzing chunk"}, {"nowhere", "no such words"}, {"fuzzy", "anlzch"}, {"status", "status:completed"},
	{"id", "id:9e0d-44bd"}, {"regex", `/(chunk|part)s? of .*put$/`}, {"regex-nowhere", `/a.*b.*c.*[xyz]{2,5}\d$/`},
	{"age", "age>5m"}, {"many", "!failed /chunk|part/ ttl>1m age<30d"},
}

// BenchmarkFilterKey is a key typed into the filter over 100,000 rows: the Update
// that begins a new filter, with the rows of a screen, then each slice of it, as a
// key may come behind any. ms-all is until the filter has gone through all rows.
func BenchmarkFilterKey(b *testing.B) {
	for _, f := range filters {
		b.Run(f.name, func(b *testing.B) {
			m, _ := full(100_000)
			defer m.Shutdown()
			for i, r := range m.board.all {
				r.Tool = task.Own([]string{"deploy_service", "analyze_input", "import"}[i%3])
				r.Began = At(m.now.Add(-time.Duration(i) * 10 * time.Millisecond))
			}
			m.selected = m.board.all[50_000].Key
			var took, all []time.Duration
			n := 0
			for b.Loop() {
				n++
				began := time.Now()
				m.filter(fmt.Sprint(f.text, " !", n))
				screenful(m.board)
				took = append(took, time.Since(began))
				for m.board.Busy() {
					step := time.Now()
					m.cmds = nil
					m.Update(sliceMsg{m.board.gen})
					screenful(m.board)
					took = append(took, time.Since(step))
				}
				all = append(all, time.Since(began))
			}
			slices.Sort(took)
			slices.Sort(all)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
			b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-most")
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms-all")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func screenful(b *Board) {
	for i := range min(60, b.Len()) {
		_ = b.At(i).words()
	}
}
