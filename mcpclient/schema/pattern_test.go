package schema

import (
	"encoding/json"
	"testing"
)

// TestPatterns holds that a pattern means what ECMA-262 says it means, or is
// not run at all.
func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern   string
		good, bad []string
	}{
		{`^\d+$`, []string{"12"}, []string{"", "1a", "１"}},
		{`b`, []string{"abc"}, []string{"ac"}},
		{`^a.b$`, []string{"axb", "aäb", "a😀b"}, []string{"a\nb", "a\rb", "a\u2028b"}},
		{`^\s+$`, []string{" ", "\t\v\f", "\u00a0", "\u3000", "\ufeff"}, []string{"", "a", "\u200b"}},
		{`^\S+$`, []string{"a", "ä", "\u200b"}, []string{" ", "\u00a0", "a b"}},
		{`^[\S]+$`, []string{"a"}, []string{"\u00a0"}},
		{`^[^\s]+$`, []string{"a"}, []string{"\u00a0"}},
		{`^[\s\S]*$`, []string{"", "a\nb \u00a0"}, nil},
		{`^[^]+$`, []string{"\n", "a"}, []string{""}},
		{`^[]$`, nil, []string{"", "a"}},
		{`^[[:alpha:]$`, []string{"[", ":", "a"}, []string{"b", "x"}},
		{`^[\b]$`, []string{"\b"}, []string{"b"}},
		{`^\bfoo\b$`, []string{"foo"}, nil},
		{`^\cJ$`, []string{"\n"}, []string{"J", "cJ"}},
		{`^\cj\cZ$`, []string{"\n\x1a"}, nil},
		{`^\x41\u0042\u{43}\/\-\0$`, []string{"ABC/-\x00"}, nil},
		{`^\uD83D\uDE00$`, []string{"😀"}, nil},
		{`^\u{1F600}$`, []string{"😀"}, nil},
		{`^\p{L}+$`, []string{"añ"}, []string{"1"}},
		{`^\p{Lu}\P{Lu}$`, []string{"Äx"}, []string{"xÄ"}},
		{`^\p{Letter}$`, []string{"ß"}, []string{"1"}},
		{`^\p{Script=Greek}+$`, []string{"αβ"}, []string{"ab"}},
		{`^[\p{sc=Cyrillic}\d]+$`, []string{"Да1"}, []string{"a"}},
		{`^\p{General_Category=Decimal_Number}$`, []string{"٣"}, []string{"a"}},
		{`^(?<year>\d{4})-(?<month>\d\d)$`, []string{"2026-12"}, []string{"2026"}},
		{`^(?<$ä>a)$`, []string{"a"}, []string{"b"}},
		{`^(?P<x>a)$`, []string{"a"}, []string{"b"}},
		{`^(?i)yes$`, []string{"YES"}, []string{"no"}},
		{`^(?i:yes)$`, []string{"Yes"}, []string{"no"}},
		{`^(?=.*[A-Z])(?=.*\d)[^ ]{4,}$`, []string{"aB1x"}, []string{"ab1x", "aBxx", "B1", "aB1 x"}},
		{`^(?!xn--)[a-z-]+$`, []string{"abc", "x-n"}, []string{"xn--a", "A"}},
		{`^(?!a|b)(?:c|a)`, []string{"c"}, []string{"a", "b", "d"}},
		{`^(?!.*\)\()[()]+$`, []string{"()"}, []string{")("}},
		{`^(?=[)]a)`, []string{")a"}, []string{"a"}},
		{`^a{,2}$`, []string{"a{,2}"}, []string{"aa"}},
		{`^[\w-.]+$`, []string{"a-.b"}, []string{"a b"}},
		{`a$`, []string{"a"}, []string{"a\n"}},
	} {
		p, err := compilePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for i, s := range append(c.good[:len(c.good):len(c.good)], c.bad...) {
			if got := p.MatchString(s); got != (i < len(c.good)) {
				t.Errorf("%s matches %q: %v", c.pattern, s, got)
			}
		}
		if p.String() != c.pattern {
			t.Errorf("%s is called %s", c.pattern, p)
		}
	}
}

// TestPatternsThatCannotRun holds that what cannot be run is a warning and
// never a wall.
func TestPatternsThatCannotRun(t *testing.T) {
	for _, p := range []string{
		`(?=a)b`, `a(?!b)`, `(?<=a)b`, `(?<!a)b`, `^(?:(?!x).)*$`, `^(?=(?=a))a`, `^(?=a)b|c`, `^(?=a)+b`, `^(?=a`,
		`(a)\1`, `(?<x>a)\k<x>`, `\A`, `a\z`, `\Z`, `\Qa\E`, `\a`, `\pL`, `\p{Emoji}`, `\p{scx=Greek}`, `\p{}`, `\p{L`,
		`\uD83D`, `\uDE00\uD83D`, `\u12`, `\u{110000}`, `\u{zz}`, `\c1`, `\x1`, `\01`, `[\B]`, `(?s).`, `(?>a)`, `(?#a)b`, `a++`, `a{1,2000}`, `[a`, `(`, `a\`, `*`, `[z-a]`,
	} {
		if re, err := compilePattern(p); err == nil {
			t.Errorf("%s is run as %s", p, re.whole)
		}
		quoted, _ := json.Marshal(p)
		form := Form(json.RawMessage(`{"properties":{"p":{"type":"string","pattern":` + string(quoted) + `}}}`))
		if want := "The pattern " + p + " cannot be checked here; the server will."; len(form.Warnings) != 1 || form.Warnings[0].String() != want {
			t.Errorf("%s warns %v", p, form.Warnings)
		}
		if list := form.Check(json.RawMessage(`{"p":"anything"}`)); list != nil {
			t.Errorf("%s is a wall: %v", p, list)
		}
		if f := form.Fields[0]; f.Pattern != p {
			t.Errorf("%s is not shown: %q", p, f.Pattern)
		}
	}
}
