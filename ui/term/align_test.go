package term

import (
	"io"
	"os"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestAligned(t *testing.T) {
	for _, tt := range []struct{ name, frame, want string }{
		{"ascii", "\x1b[H abc\r\n def\x1b[K", "\x1b[H abc\r\n def\x1b[K"},
		{"our glyphs", "│ ◆ asking ✓…│", "│ ◆ asking ✓…│"},
		{"kana, Chinese, Hangul", "│日本語のメモ 한글│é", "│日本語のメモ 한글│é"},
		{"skin tone", "a 👍🏽 b", "a   \x1b[3G👍🏽\x1b[5G b"},
		{"one run", "👍🏽😀.", "    \x1b[1G👍🏽😀\x1b[5G."},
		{"joined to ASCII", "xe\u0301y", "x \x1b[2Ge\u0301\x1b[3Gy"},
		{"behind a wide one", "日\u0301x", "  \x1b[1G日\u0301\x1b[3Gx"},
		{"the colour is not cut", "\x1b[31mab\x1b[7m👍🏽\x1b[0m", "\x1b[31mab\x1b[7m  \x1b[3G👍🏽\x1b[5G\x1b[0m"},
		{"next line", "ab\r\n❤\ufe0f", "ab\r\n  \x1b[1G❤\ufe0f\x1b[3G"},
		{"line feed alone", "\r\n\n❤\ufe0f\r\n", "\r\n\n  \x1b[1G❤\ufe0f\x1b[3G\r\n"},
		{"placed", "abc\x1b[3;11H①", "abc\x1b[3;11H \x1b[11G①\x1b[12G"},
		{"home", "abc\x1b[H①", "abc\x1b[H \x1b[1G①\x1b[2G"},
		{"behind a link", "\x1b]8;;http://x/①\x1b\\①\x1b]8;;\a", "\x1b]8;;http://x/①\x1b\\ \x1b[1G①\x1b[2G\x1b]8;;\a"},
		{"no UTF-8", "a\xff", "a \x1b[2G\xff\x1b[3G"},
		{"cut short", "ab\x1b[", "ab\x1b["},
	} {
		if got := string(aligned(nil, []byte(tt.frame))); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// What is left as it is takes as many cells as callboard counts elsewhere, and none
// of it is joined to what follows.
func TestWhatIsAgreed(t *testing.T) {
	n := 0
	for c := rune(' '); c < 0x20000; c++ {
		s := string(c)
		if c == 0x7f {
			continue
		}
		if _, w := agreed([]byte(s)); w >= 0 {
			n++
			if got := ansi.StringWidth(s); got != w {
				t.Errorf("%U %q: %d cells, and %d elsewhere", c, s, w, got)
			}
			if got := ansi.StringWidth("a" + s + "日" + s + s + "a"); got != 4+3*w {
				t.Errorf("%U %q is joined to others", c, s)
			}
		}
	}
	if n < 20000 {
		t.Errorf("only %d are agreed on", n)
	}
}

// Behind any line the cursor stands where callboard takes it to stand.
func TestALineEndsWhereItShould(t *testing.T) {
	for _, line := range []string{
		"a👍🏽 देवनागरी 日本 e\u0301🇩🇪", "👨‍👩‍👧x❤\ufe0f☎y1\ufe0f\u20e3", "مرحبا สวัสดี ①②③★ ｗｉｄｅ", "\u0301\u200b", "가\u11a8나",
	} {
		col := 7
		out := string(alignedText(nil, []byte(line), &col))
		if want := 7 + ansi.StringWidth(line); col != want {
			t.Errorf("%q ends in column %d, want %d: %q", line, col, want, out)
		}
		if out == line {
			t.Errorf("%q is in doubt, and stays as it was", line)
		}
	}
}

// A frame is whole by itself: wrapping is off in it, and on behind it.
func TestAFrameDoesNotWrap(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{File: w, vanished: func() { t.Error("vanished") }}
	if n, err := s.Write([]byte("a👍🏽")); n != len("a👍🏽") || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	_ = w.Close()
	got, err := io.ReadAll(r)
	if want := "\x1b[?2026h\x1b[?7la  \x1b[2G👍🏽\x1b[4G\x1b[?7h\x1b[?2026l"; string(got) != want || err != nil {
		t.Errorf("%q, %v\nwant %q", got, err, want)
	}
}
