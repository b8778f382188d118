package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format    string
		good, bad []string
	}{
		{"email",
			[]string{"a@b.example", "a@localhost", "a.b+c@d-e.example", "müller@exämple.de", "用户@例子.广告", "δοκιμή@παράδειγμα.δοκιμή", `"a b"@c.example`, `"a@b"@c.example`, "a@[192.0.2.1]", "o'neil@b.example", strings.Repeat("a", 64) + "@b.example"},
			[]string{"", "a", "@b", "a@", "a b@c.example", "a@b c", "a@b..c", ".a@b.example", "a.@b.example", "a..b@c.example", "Ada <a@b.example>", "<a@b.example>", "a@b.example (Ada)", " a@b.example", "a@b.example ", "a@-b.example", "a@b_c.example", "a@b.example, c@d.example", "g: a@b.example;", "a@b.example\n", "a @b.example", strings.Repeat("a", 65) + "@b.example", "a@" + strings.Repeat("b.", 130) + "c"}},
		{"uri",
			[]string{"https://example.com/", "https://example.com", "http://[::1]:80/a?b#c", "mailto:a@b.example", "urn:isbn:0451450523", "file:///etc/hosts", "tel:+1-816-555-1212", "https://exämple.de/ü", "https://a.example/%20", "custom+x.y-z:1", "data:,x"},
			[]string{"", "example.com", "/a/b", "//example.com/a", "https://", "http:///a", "https:a", "https://a.example/a b", "https://a b/", `C:\x`, "https://a.example/<x>", ":x", "1a:b", "https://[::1", "https://a.example/%zz", "https://a.example/\x07", "x:"}},
		{"date",
			[]string{"2026-12-01", "2024-02-29", "0001-01-01"},
			[]string{"", "2026-02-29", "2026-13-01", "2026-1-1", "26-01-01", "2026-12-01T00:00:00Z", "12/01/2026", "2026-12-01 ", "+2026-12-01", "２０２６-12-01"}},
		{"date-time",
			[]string{"2026-12-01T09:00:00Z", "2026-12-01t09:00:00z", "2026-12-01T09:00:00.123456789+05:45", "2026-12-01T09:00:00-00:00", "2016-12-31T23:59:60Z", "2016-12-31T15:59:60-08:00", "2017-01-01T05:29:60+05:30", "2017-01-01T00:59:60.5+01:00", "2026-12-01T09:00:00+23:59"},
			[]string{"", "2026-12-01", "2026-12-01 09:00:00Z", "2026-12-01T09:00Z", "2026-12-01T09:00:00", "2026-12-01T24:00:00Z", "2026-12-01T09:60:00Z", "2026-12-01T09:00:61Z", "2026-12-01T09:00:60Z", "2016-12-31T23:59:60+01:00", "2026-12-01T09:00:00+24:00", "2026-12-01T09:00:00+0200", "2026-02-29T09:00:00Z", "2026-12-01T+9:00:00Z", "2026-12-01T09:00:00.Z", "2026-12-01T09:00:00Z "}},
		{"time", []string{"09:00:00Z", "23:59:60Z"}, []string{"09:00", "9:00:00Z", "09:00:60Z"}},
		{"uuid", []string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"}, []string{"", "123e4567e89b12d3a456426614174000", "x"}},
		{"ipv4", []string{"192.0.2.1"}, []string{"192.0.2.256", "x"}},
		// What JSON Schema does not know, or what dialects differ in, is no wall.
		{"colour", []string{"", "x"}, nil},
		{"password", []string{"", "hunter2"}, nil},
		{"regex", []string{"(?<=a)b", "["}, nil},
		{"semver", []string{"v1", "1.2.3"}, nil},
		{"phone", []string{"+49 30 1"}, nil},
		{"", []string{"x"}, nil},
	} {
		form := Form(json.RawMessage(`{"properties":{"p":{"type":"string","format":"` + c.format + `"}}}`))
		if len(form.Warnings) != 0 {
			t.Errorf("%s warns: %v", c.format, form.Warnings)
		}
		for i, s := range append(c.good[:len(c.good):len(c.good)], c.bad...) {
			content, _ := json.Marshal(map[string]string{"p": s})
			if list := form.Check(content); (list == nil) != (i < len(c.good)) {
				t.Errorf("%s %q: %v", c.format, s, list)
			}
		}
	}
}
