package state

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"callboard/model/task"
)

func jwt(claims string) task.Secret {
	part := base64.RawURLEncoding.EncodeToString
	return task.Secret(part([]byte(`{"alg":"none"}`)) + "." + part([]byte(claims)) + ".c2lnbmF0dXJl")
}

// file returns the path of a token's file.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	write(t, path, content)
	return path
}

func TestAccounts(t *testing.T) {
	opaque := file(t, "one\n")
	ann, refreshed, bob := jwt(`{"iss":"https://a","sub":"ann","exp":1}`), jwt(`{"sub":"ann","iss":"https://a","exp":2}`), jwt(`{"iss":"https://a","sub":"bob"}`)
	type who struct {
		address string
		c       Credentials
	}
	header := func(name, value string) who {
		return who{server, Credentials{Header: http.Header{name: {value}}}}
	}
	token := func(t task.Secret) who { return who{server, Credentials{Token: t}} }
	for _, each := range []struct {
		what string
		a, b who
		same bool
	}{
		{"nobody", who{server, Credentials{}}, who{server, Credentials{}}, true},
		{"nobody and a token", who{server, Credentials{}}, token("x"), false},
		{"a token", token("x"), token("x"), true},
		{"two tokens", token("x"), token("y"), false},
		{"a token in the header", token("x"), header("Authorization", "bearer  x"), true},
		{"a refreshed JWT", token(ann), token(refreshed), true},
		{"two people's JWT", token(ann), token(bob), false},
		{"a JWT of no subject", token(jwt(`{"iss":"https://a"}`)), token(jwt(`{"iss":"https://a","exp":1}`)), false},
		{"a JWT in a file", token(ann), who{server, Credentials{TokenFile: file(t, string(refreshed)+"\n")}}, true},
		{"files of two tokens", who{server, Credentials{TokenFile: opaque}}, who{server, Credentials{TokenFile: file(t, "one\n")}}, false},
		{"a harmless header", who{server, Credentials{}}, header("User-Agent", "x"), true},
		{"a key", header("X-Api-Key", "1"), header("X-Api-Key", "2"), false},
		{"a tenant", header("X-Tenant", "1"), header("X-Tenant", "2"), false},
		{"basic", header("Authorization", "Basic YTpi"), header("Authorization", "Basic YTpj"), false},
		{"users of the address", who{"https://ann:1@example.com/mcp", Credentials{}}, who{"https://bob:1@example.com/mcp", Credentials{}}, false},
		{"a key in the address", who{server + "?key=1", Credentials{}}, who{server + "?key=2", Credentials{}}, false},
		{"certificates", who{server, Credentials{ClientCert: "/a"}}, who{server, Credentials{ClientCert: "/b"}}, false},
		{"the address in other words", who{server, Credentials{}}, who{"HTTPS://EXAMPLE.com:443/mcp#x", Credentials{}}, true},
		{"another port", who{server, Credentials{}}, who{"https://example.com:8443/mcp", Credentials{}}, false},
		{"another path", who{server, Credentials{}}, who{"https://example.com/mcp/", Credentials{}}, false},
		{"no path", who{"http://[::1]:80", Credentials{}}, who{"http://[::1]/", Credentials{}}, true},
		{"addresses that are none", who{"::", Credentials{}}, who{"::2", Credentials{}}, false},
	} {
		f := open(t, t.TempDir())
		if _, err := f.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		a, b := f.Server(each.a.address, each.a.c).path(), f.Server(each.b.address, each.b.c).path()
		if (a == b) != each.same {
			t.Errorf("%s: one file %v, want %v", each.what, a == b, each.same)
		}
	}
}

// The content of an opaque token's file is rotated; the account stays.
func TestRotatedTokenFile(t *testing.T) {
	dir, path := t.TempDir(), file(t, "one")
	m := process(t, dir, Credentials{TokenFile: path})
	flush(t, m, task.KeepHandle{Handle: live("a", time.Now())})
	write(t, path, "two")
	if k := recall(t, process(t, dir, Credentials{TokenFile: path})); ids(k.Handles) != "a" {
		t.Errorf("%+v", k)
	}
}

func TestHandlesOfOtherCredentialsAreForeign(t *testing.T) {
	dir := t.TempDir()
	ann, bob := Credentials{Token: "ann's"}, Credentials{Token: "bob's"}
	m := process(t, dir, ann)
	flush(t, m, task.KeepHandle{Handle: live("of ann", time.Now())}, task.KeepHandle{Handle: live("of both", time.Now())},
		task.KeepResume{Resume: task.Resume{Era: task.Legacy, Session: "ann's session"}},
		task.KeepSent{Sent: task.Sent{Call: "ann's call", At: time.Now()}})
	end(t, m)
	n := process(t, dir, bob)
	flush(t, n, task.KeepHandle{Handle: live("of both", time.Now())})
	k := recall(t, n)
	if ids(k.Foreign) != "of ann" || ids(k.Handles) != "of both" || len(k.Unsettled) != 0 {
		t.Errorf("foreign %q, own %q, unsettled %v", ids(k.Foreign), ids(k.Handles), k.Unsettled)
	}
	if k.Resume != (task.Resume{Era: task.Legacy}) {
		t.Errorf("%#v, want what is the server's and not ann's: the generation", k.Resume)
	}
	other := open(t, dir).Server("https://example.org/mcp", bob)
	defer func() { _ = other.Close(t.Context()) }()
	if k := recall(t, other); len(k.Foreign) != 0 || k.Resume.Era != task.AnyEra {
		t.Errorf("of another server: %+v", k)
	}
}

func TestForeignHandlesAreFewAndOneEach(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for i, who := range []task.Secret{"ann's", "bob's"} {
		m := process(t, dir, Credentials{Token: who})
		m.Keep(task.KeepHandle{Handle: live("of both", now.Add(time.Hour))})
		for n := range maxForeign {
			m.Keep(task.KeepHandle{Handle: live(fmt.Sprint(i, " ", n), now)})
		}
		end(t, m)
	}
	m := process(t, dir, Credentials{})
	if k := recall(t, m); len(k.Foreign) != maxForeign || k.Foreign[0].Task.ID != "of both" || k.Foreign[1].Task.ID == "of both" {
		t.Errorf("%d, beginning with %s", len(k.Foreign), ids(k.Foreign[:min(2, len(k.Foreign))]))
	}
	m.folder.now = func() time.Time { return now.Add(unseenStays + 2*time.Hour) }
	if k := recall(t, m); len(k.Foreign) != 0 {
		t.Errorf("%d are foreign after their time", len(k.Foreign))
	}
}

// What is read from a pipe would be missing for the one who sends it.
func TestTokenOfAPipeIsLeftInIt(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("no /dev/fd here")
	}
	if _, err := w.WriteString("token"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	_ = Credentials{TokenFile: path}.account(nil)
	if content, err := io.ReadAll(r); err != nil || string(content) != "token" {
		t.Errorf("left in the pipe: %q, %v", content, err)
	}
}

func TestNoSecretOnDisk(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir).Server("https://user:passw0rd@example.com/mcp?key=query-key", Credentials{
		Token: "t0ken", Header: http.Header{"X-Api-Key": {"header-key"}},
	})
	flush(t, m, task.KeepHandle{Handle: live("a", time.Now())})
	end(t, m)
	files, err := open(t, dir).Files(t.Context())
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v; want the salt and one server", files, err)
	}
	for _, f := range files {
		content, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"passw0rd", "query-key", "t0ken", "header-key", fingerprint(nil, "t0ken")} {
			if strings.Contains(string(content)+f.Path+f.URL, secret) {
				t.Errorf("%s holds %s", f.Path, secret)
			}
		}
	}
}

func TestFiles(t *testing.T) {
	dir, path := written(t)
	write(t, path+damaged+"1", "x")
	write(t, filepath.Join(filepath.Dir(path), "newer.json"), `{"version":9}`)
	f := open(t, dir)
	write(t, f.TastePath(), `{"met":true}`)
	files, err := f.Files(t.Context())
	if err != nil || len(files) != 5 {
		t.Fatalf("%+v, %v", files, err)
	}
	for _, each := range files {
		switch {
		case each.Path == path:
			if each.URL != server || each.Handles != 1 || each.Size == 0 || each.Changed.IsZero() || each.Problem != "" {
				t.Errorf("%+v", each)
			}
		case strings.Contains(each.Path, damaged), strings.HasSuffix(each.Path, "newer.json"):
			if each.Problem == "" {
				t.Errorf("%+v has no problem", each)
			}
		case each.Path == f.TastePath():
			if each.Problem != "" {
				t.Errorf("a taste that is fine: %+v", each)
			}
		case each.Path != filepath.Join(dir, "salt"):
			t.Errorf("%+v is listed", each)
		}
	}
	write(t, f.TastePath(), "no JSON")
	files, _ = f.Files(t.Context())
	if i := slices.IndexFunc(files, func(each File) bool { return each.Path == f.TastePath() }); i < 0 || files[i].Problem == "" {
		t.Errorf("a damaged taste has no problem: %+v", files)
	}
	if files, err := open(t, filepath.Join(dir, "none")).Files(t.Context()); err != nil || files != nil {
		t.Errorf("of a folder that is not there: %v, %v", files, err)
	}
}

func TestDirFollowsTheEnvironment(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", filepath.FromSlash("/somewhere/state"))
	if filepath.Separator != '/' {
		t.Skip("the paths are of Unix")
	}
	if dir, err := Dir(); err != nil || dir != "/somewhere/state/callboard" {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "/home/somebody")
	if dir, err := Dir(); err != nil || !strings.HasPrefix(dir, "/home/somebody/") {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv("XDG_STATE_HOME", "relative") // is to be ignored
	if dir, err := Dir(); err != nil || !strings.HasPrefix(dir, "/home/somebody/") {
		t.Errorf("%s, %v", dir, err)
	}
}
