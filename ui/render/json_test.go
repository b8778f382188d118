package render

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"callboard/ui/uitest"
)

// forwards returns all places of a block and its plain lines.
func forwards(b *jsonBlock) (places []place, lines []string) {
	for p, ok := b.first(), true; ok; p, ok = b.next(p) {
		places = append(places, p)
		l := b.line(p.line, p.depth)
		var s strings.Builder
		from := max(p.seg, l.start)
		for _, sp := range b.cells(l, from, min(from+maxSegment, l.end)) {
			s.WriteString(sp.text)
		}
		lines = append(lines, s.String())
	}
	return places, lines
}

func backwards(b *jsonBlock) []place {
	var places []place
	for p, ok := b.last(), true; ok; p, ok = b.prev(p) {
		places = append(places, p)
	}
	slices.Reverse(places)
	return places
}

var jsonSamples = []string{
	`1`, `"x"`, `[]`, `{}`, `[[],{}]`, ` { "a" : [ 1 , 2.50 , {"b":null} ] , "c" : "d,:{}[]\"" , "e":{} } `,
	`{"a":{"a":{"a":[true,false]}}}`, `["\\","\\\"","a\\\\"]`, "[\n1,\n\n2\n]\n", `{"":""}`,
	`{"n":12345678901234567890.10,"z":1,"a":2}`,
}

func TestJSONIsPrettyAsTheStandardLibraryHasIt(t *testing.T) {
	for _, raw := range jsonSamples {
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(raw), "", "  "); err != nil {
			t.Fatal(err)
		}
		_, lines := forwards(&jsonBlock{raw: []byte(raw), theme: uitest.Mono(t, false)})
		if got := strings.Join(lines, "\n"); got != strings.TrimSpace(want.String()) {
			t.Errorf("%s\ngot  %s\nwant %s", raw, got, want.String())
		}
	}
}

func TestJSONIsTheSameBackwards(t *testing.T) {
	long := `{"k":"` + strings.Repeat(`long \" text `, 2000) + `","l":[1]}`
	for _, raw := range append(jsonSamples, long) {
		b := &jsonBlock{raw: []byte(raw), theme: uitest.Mono(t, false)}
		f, _ := forwards(b)
		if g := backwards(b); !slices.Equal(f, g) {
			t.Errorf("%.60s\nforwards  %v\nbackwards %v", raw, f, g)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range jsonSamples {
		f.Add([]byte(s))
	}
	f.Add([]byte(`}{"a`))
	f.Add([]byte(`:,"\`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) == 0 || len(raw) > 1<<14 {
			return
		}
		th := uitest.Mono(t, false)
		b := &jsonBlock{raw: raw, theme: th}
		places, lines := forwards(b)
		back := backwards(b)
		if json.Valid(raw) {
			var want bytes.Buffer
			if json.Indent(&want, raw, "", "  ") == nil && plainASCII(raw) && len(raw) < maxSegment {
				if got := strings.Join(lines, "\n"); got != strings.Trim(want.String(), " \n\r\t") {
					t.Errorf("got %q, want %q", got, want.String())
				}
			}
			if !slices.Equal(places, back) {
				t.Errorf("%q: forwards %v, backwards %v", raw, places, back)
			}
		}
		d := JSON(raw, th)
		for range 3 {
			d.View(20, 4)
			d.Bottom()
			d.View(20, 4)
			d.Scroll(-3)
			d.Sideways(5)
		}
	})
}

func plainASCII(raw []byte) bool {
	return !bytes.ContainsFunc(raw, func(r rune) bool { return r >= 0x7f })
}
