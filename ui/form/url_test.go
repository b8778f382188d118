package form

import (
	"strings"
	"testing"

	"callboard/keymap"
	"callboard/model/task"
	"callboard/ui/uitest"

	"github.com/charmbracelet/x/ansi"
)

func TestInspect(t *testing.T) {
	for _, c := range []struct {
		url      string
		host     string // as marked in the text
		also     string // the other reading of it
		opened   bool
		copied   bool
		warnings string
	}{
		{"https://example.com/a?b=c#d", "example.com", "", true, true, ""},
		{"https://example.com:8443/", "example.com", "", true, true, ""},
		{"HTTPS://EXAMPLE.com/", "EXAMPLE.com", "", true, true, ""},
		{"http://localhost:3000/x", "localhost", "", true, true, "not encrypted"},
		{"http://127.0.0.1/x", "127.0.0.1", "", true, true, "not encrypted"},
		{"http://[::1]:80/x", "::1", "", true, true, "not encrypted"},
		{"http://example.com/", "example.com", "", false, true, ""},
		{"http://127.0.0.1.example.com/", "127.0.0.1.example.com", "", false, true, "whose it is: example.com"},
		{"https://bank.com.login.secure.evil.example/", "bank.com.login.secure.evil.example", "", true, true, "whose it is: evil.example"},
		{"https://example.com./x", "example.com.", "", true, true, "dot at the end"},
		{"http://localhost./x", "localhost.", "", true, true, "dot at the end"},
		{"https://ex%61mple.com/", "", "", false, false, ""},
		{"https://%D0%B0pple.com/", "%D0%B0pple.com", "", false, false, ""},
		{"https://example.com/%61?x=%D0%B0", "example.com", "", true, true, ""},
		{"https:\\\\evil.example/", "", "", false, false, ""},
		{"https:/evil.example", "", "", false, false, ""},
		{"https:evil.example", "", "", false, false, ""},
		{"//evil.example/", "", "", false, false, ""},
		{"http://2130706433/", "2130706433", "", false, false, ""},
		{"https://0x7f.1/", "0x7f.1", "", false, false, ""},
		{"https://0300.0250.0.1/", "0300.0250.0.1", "", false, false, ""},
		{"https://93.184.216.34/", "93.184.216.34", "", true, true, "a number, not a name"},
		{"https://[2001:db8::1]/", "2001:db8::1", "", true, true, "a number, not a name"},
		{"https://example.com:0/", "example.com", "", false, false, ""},
		{"https://example.com:99999/", "example.com", "", false, false, ""},
		{"https://ÄPFEL.example/", "ÄPFEL.example", "xn--pfel-koa.example", true, true, "really is xn--pfel-koa.example"},
		{"https://ｂａｎｋ.example/", "ｂａｎｋ.example", "bank.example", true, true, "really is bank.example"},
		{"https://bank.com。evil.example/", "bank.com。evil.example", "bank.com.evil.example", true, true, "whose it is: evil.example"},
		{"https://pаypal.example/", "pаypal.example", "xn--pypal-4ve.example", true, true, "mixes letters of Latin and Cyrillic"},
		{"https://xn--pypal-4ve.example/", "xn--pypal-4ve.example", "pаypal.example", true, true, "mixes letters"},
		{"https://" + strings.Repeat("a.", 130) + "example/", strings.Repeat("a.", 130) + "example", "", false, false, ""},
		{"https://bank.com@evil.example/", "evil.example", "", true, true, "before the @"},
		{"https://bank.com:x@evil.example/@bank.com", "evil.example", "", true, true, "before the @"},
		{"https://аррӏе.com/", "аррӏе.com", "xn--80ak6aa92e.com", true, true, "beyond ASCII"},
		{"https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", "аррӏе.com", true, true, "may show"},
		{"javascript:alert(1)", "", "", false, false, ""},
		{"file:///etc/passwd", "", "", false, false, ""},
		{"ftp://example.com/", "example.com", "", false, false, ""},
		{"https:///nohost", "", "", false, false, ""},
		{"https://bank.com\\@evil.example/", "", "", false, false, ""},
		{"https://example.com/\u202egpj.exe", "", "", false, false, ""},
		{"https://example.com/\x1b[2J", "", "", false, false, ""},
		{"https://example.com/a b", "", "", false, false, ""},
		{"", "", "", false, false, ""},
	} {
		a := inspect(c.url)
		if got := a.text[a.from:a.to]; got != c.host {
			t.Errorf("%q: host %q, want %q", c.url, got, c.host)
		}
		if got := a.ascii + a.unicode; got != c.also {
			t.Errorf("%q: also %q, want %q", c.url, got, c.also)
		}
		if (a.refuse == "") != c.opened || a.noCopy == c.copied {
			t.Errorf("%q: opened %v copied %v (%s)", c.url, a.refuse == "", !a.noCopy, a.refuse)
		}
		if got := strings.Join(a.warnings, " "); !strings.Contains(got, c.warnings) || (c.warnings == "") != (got == "") {
			t.Errorf("%q: warnings %q", c.url, got)
		}
	}
}

func visit(url string) Spec {
	s := question(task.Form{})
	s.Mode, s.URL, s.Message = task.URLMode, url, task.Own("Log in to the bank, please.")
	return s
}

func TestURLIsWholeAndItsHostMarked(t *testing.T) {
	long := "https://login.example.com/" + strings.Repeat("segment/", 30) + "?end=here"
	f := open(t, visit(long))
	view := look(t, f, 80, 24)
	squeezed := strings.NewReplacer("║", "", " ", "", "\n", "").Replace(view)
	if !strings.Contains(squeezed, long) {
		t.Errorf("the URL is not whole:\n%s", view)
	}
	if !strings.Contains(f.View(80, 24), f.theme.Host.Paint("login.example.com")) {
		t.Error("the host is not marked")
	}
	uitest.Golden(t, "url-80x24", view)
	uitest.Golden(t, "url-40x8", look(t, f, 40, 8))
	press(f, "pgdown", "pgdown", "pgdown", "pgdown")
	uitest.Golden(t, "url-40x8-end", look(t, f, 40, 8))
}

func TestURLViews(t *testing.T) {
	var all []string
	for _, u := range []string{
		"https://аррӏе.com/login", "https://bank.com@evil.example/", "http://example.com/", "javascript:alert(1)", "http://127.0.0.1:9/cb",
	} {
		f := open(t, visit(u))
		all = append(all, look(t, f, 76, 15))
	}
	uitest.Golden(t, "urls", strings.Join(all, "\n"))
}

// An address that deceives in every way, at each size and in ASCII.
func TestViewsOfADeceivingAddress(t *testing.T) {
	const u = "https://bank.com@pаypal.com.secure.login.evil.example.:8443/a?b=c"
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {40, 12}} {
		uitest.Golden(t, "url-deceives-"+itoa(size[0])+"x"+itoa(size[1]), look(t, open(t, visit(u)), size[0], size[1]))
	}
	f := New(uitest.Mono(t, true), keymap.Default(), visit(u))
	uitest.Golden(t, "url-deceives-80x24-ascii", look(t, f, 80, 24))
}

func TestURLIsOpenedOnConsentOnly(t *testing.T) {
	const u = "https://example.com/x"
	f := open(t, visit(u))
	if e := press(f, "x"); e.Kind != Nothing || f.Message() == "" {
		t.Errorf("a stray key: %+v", e)
	}
	if e := press(f, "d"); e.Kind != Nothing {
		t.Errorf("done before consent: %+v", e)
	}
	if e := press(f, "o"); e.Kind != OpenURL || e.Text != u {
		t.Errorf("o: %+v", e)
	}
	if e := press(f, "y"); e.Kind != CopyURL || e.Text != u {
		t.Errorf("y: %+v", e)
	}
	if e := press(f, "ctrl+o", "c"); e.Kind != Dismiss {
		t.Errorf("cancel: %+v", e)
	}
}

func TestURLIsWaitedFor(t *testing.T) {
	const u = "https://example.com/x"
	f := open(t, visit(u))
	f.SetState(State{Phase: Waiting, At: start.Add(-10 * 1e9)})
	uitest.Golden(t, "url-waiting", look(t, f, 76, 15))
	for keys, want := range map[string]EventKind{"d": Done, "r": Reopen, "o": Reopen, "y": CopyText} {
		if e := press(f, keys); e.Kind != want {
			t.Errorf("%s: event %d, want %d", keys, e.Kind, want)
		}
	}
	if view := look(t, f, 76, 15); !strings.Contains(view, "y copy") {
		t.Errorf("the copy is not named:\n%s", view)
	}
	if e := press(f, "ctrl+o", "y"); e.Kind != CopyText || e.Text != u {
		t.Errorf("copy from the menu: %+v %q", e, f.Message())
	}
	if e := press(f, "ctrl+o", "o"); e.Kind != Reopen {
		t.Errorf("open from the menu: %+v %q", e, f.Message())
	}
	if e := press(f, "ctrl+o", "c"); e.Kind != GiveUp {
		t.Errorf("give up: %+v", e)
	}
	if e := press(f, "ctrl+o", "d"); e.Kind != Nothing || f.Message() == "" {
		t.Errorf("declined after consent: %+v", e)
	}
}

func TestURLThatIsRefused(t *testing.T) {
	f := open(t, visit("http://example.com/"))
	if e := press(f, "o"); e.Kind != Nothing || !strings.HasPrefix(f.Message(), "Not opened. It is not encrypted") {
		t.Errorf("o: %+v %q", e, f.Message())
	}
	if e := press(f, "y"); e.Kind != CopyURL {
		t.Errorf("y: %+v %q", e, f.Message())
	}
	f = open(t, visit("javascript:alert(1)"))
	for _, keys := range [][]string{{"o"}, {"y"}, {"ctrl+o", "o"}, {"ctrl+o", "y"}} {
		if e := press(f, keys...); e.Kind != Nothing || f.Message() == "" {
			t.Errorf("%v: %+v %q", keys, e, f.Message())
		}
		f.menu = nil
	}
	if view := ansi.Strip(f.View(80, 24)); !strings.Contains(view, "javascript:alert(1)") {
		t.Errorf("the URL is not shown:\n%s", view)
	}
}
