package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"callboard/model/task"
	"callboard/ui/cli/config"
)

const twoServers = `
prompts = "on-demand"
sampling-command = "draft"
[servers.prod]
url = "https://prod.example/mcp"
headers = { Authorization = "Bearer ${PROD}", X-Team = "ops" }
guard = "prod"
read-only = true
protocol = "2025-11-25"
client-cert = "/c.pem"
client-key = "/k.pem"
[servers.staging]
url = "staging.example/mcp"
token-file = "/staging-token"
prompts = "eager"
[servers."ops.example"]
url = "https://elsewhere.example/mcp"
connect = false
`

// beside parses a command line beside a configuration.
func beside(t *testing.T, document string, args []string, extra ...string) (*Args, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	load := func(path string, must bool, lists []string) (*config.Config, error) {
		return config.Load(path, must, lists, config.Checks{})
	}
	return Parse(args, lookup(append(extra, "CALLBOARD_CONFIG="+path, "PROD=s3cret")...), load)
}

func TestServersByName(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "prod staging"},
		{"watch", "prod staging"},
		{"staging", "staging"},
		{"staging prod staging", "staging prod"},
		{"ops.example", "ops.example"},
		{"ls ops.example", "ops.example"},
		{"https://ops.example", "ops.example #2"},
		{"prod.example prod", "prod.example prod"},
		{"localhost lss.example", "localhost lss.example"}, // hosts, though like no command
		{"watch prod staging", "prod staging"},
		{"watch prod t-1", "prod"},
		{"audit prod", "prod"},
	} {
		a, err := beside(t, twoServers, strings.Fields(c.line))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		var names []string
		for _, s := range a.Servers {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("callboard %s: %s, want %s", c.line, got, c.want)
		}
	}
}

// What belongs to one server reaches no other, and options are stronger.
func TestServersKeepWhatIsTheirs(t *testing.T) {
	a, err := beside(t, twoServers, []string{"prod", "staging", "other.example"}, "CALLBOARD_TOKEN=tok", "CALLBOARD_SESSION=sess")
	if err != nil {
		t.Fatal(err)
	}
	prod, staging, other := a.Servers[0], a.Servers[1], a.Servers[2]
	if prod.Header.Get("Authorization") != "Bearer s3cret" || prod.Token != "" || prod.TokenFile != "" || prod.Session != "" || prod.ClientCert != "/c.pem" || prod.Guard != "prod" {
		t.Errorf("prod: %+v", prod)
	}
	if len(staging.Header) != 0 || staging.TokenFile != "/staging-token" || staging.Token != "" || staging.Session != "" || staging.ClientCert != "" || staging.Guard != "" {
		t.Errorf("staging: %+v", staging)
	}
	if len(other.Header) != 0 || string(other.Token) != "tok" || other.TokenFile != "" || string(other.Session) != "sess" {
		t.Errorf("other: %+v", other)
	}
	if !prod.OnDemand || staging.OnDemand || !other.OnDemand || !prod.ReadOnly || staging.ReadOnly || a.ReadOnly {
		t.Errorf("prompts and read-only: %v %v %v, %v %v", prod.OnDemand, staging.OnDemand, other.OnDemand, prod.ReadOnly, staging.ReadOnly)
	}
	if prod.Samples() || !staging.Samples() || staging.SamplingCommand != "draft" || prod.Protocol != task.Legacy || staging.Protocol != 0 {
		t.Errorf("sampling %q %q, protocol %v %v", prod.Sampling, staging.Sampling, prod.Protocol, staging.Protocol)
	}

	a, err = beside(t, twoServers, []string{"ls", "prod", "--token-file", "mine", "--header", "X-Team: dev", "--protocol", "2026-07-28"})
	if err != nil {
		t.Fatal(err)
	}
	prod = a.Servers[0]
	if prod.TokenFile != "mine" || prod.Header.Get("Authorization") != "" || prod.Header.Get("X-Team") != "dev" || prod.Protocol != task.Modern || !prod.OnDemand {
		t.Errorf("options: %+v", prod)
	}
	later, err := a.Find("staging", lookup())
	if err != nil || later.TokenFile != "/staging-token" || len(later.Header) != 0 {
		t.Errorf("connected later: %+v, %v", later, err)
	}
	one, err := beside(t, twoServers, []string{"h.example", "--token-file", "mine"})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{"h.example": "mine", "https://h.example": "mine", "h.example/other": "", "prod": ""} {
		if later, err = one.Find(word, lookup("PROD=x")); err != nil || later.TokenFile != want {
			t.Errorf("%s, connected later: %+v, %v", word, later, err)
		}
	}
	if later, err = a.Find("https://ops.example", lookup()); err != nil || later.Name != "ops.example #2" {
		t.Errorf("a URL like a name: %+v, %v", later, err)
	}
	if later, err = a.Find("third.example", lookup("CALLBOARD_TOKEN=tok")); err != nil || later.TokenFile != "" || later.Token != "" || len(later.Header) != 0 {
		t.Errorf("connected later: %+v, %v", later, err)
	}
}

func TestConfigurationFaults(t *testing.T) {
	for _, c := range []struct {
		document, line, want string
	}{
		{"theem = 1", "ls h.example", "config.toml:1: theem: no such setting"},
		{"", "--config /nowhere/config.toml h.example", "/nowhere/config.toml cannot be read: no such file"},
		{"", "h.example --mcp-json /nowhere/mcp.json", "/nowhere/mcp.json cannot be read"},
		{"", "--config x --no-config h.example", "exclude each other"},
		{"", "", "which server?"},
		{"", "config", "callboard config show, check or template"},
		{twoServers, "https://me@h:x", "one word of the command line is not a URL, nor the name of a server"},
		{twoServers, "ls prdo", `the configuration has no server "prdo": there is prod, staging, ops.example; of a host that is called so, give the URL (https://prdo/)`},
		{"", "lss", `there is no command "lss": did you mean callboard ls? Of a host that is called so, give the URL (https://lss/)`},
		{"", "wach h.example", "did you mean callboard watch?"},
		{twoServers, "lss", "did you mean callboard ls?"},
		{twoServers, "prdo", `the configuration has no server "prdo"`}, // more like a server
		{"", "help rsult", "did you mean result?"},
		{"", "ls", "which server?"},
		{twoServers, "prod staging --token-file x", "--token-file belongs to one server"},
		{twoServers, "a.example b.example prod", "CALLBOARD_TOKEN belongs to one server"},
		{"[servers.p]\nurl = 'h'\nheaders.A = '${NOPE}'", "ls p", "config.toml:1: p: headers.A: the variable NOPE is not set"},
		{"[servers.p]\nurl = 'h'\nconnect = false", "", "None of the configuration's is attached to by itself; there is p"},
	} {
		_, err := beside(t, c.document, strings.Fields(c.line), "CALLBOARD_TOKEN=s3cret")
		var u *Usage
		if !errors.As(err, &u) || !strings.Contains(u.Line, c.want) || strings.Contains(u.Line, "s3cret") {
			t.Errorf("%s: %v, want %q", c.line, err, c.want)
		}
	}
	for _, line := range []string{"h.example --no-config", "man", "config check", "--config= h.example"} {
		if _, err := beside(t, "theem = 1", strings.Fields(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// A guard and read-only hold for the place, under each of its names; credentials
// are those of the name alone.
func TestAnAddressKeepsWhatItsNameHas(t *testing.T) {
	const here = "[servers.here]\nurl = \"http://127.0.0.1:8080/mcp\"\nread-only = true\nguard = \"live\"\nheaders = { X-Key = \"s3cret\" }\nsampling = \"manual\"\n"
	for line, held := range map[string]bool{
		"localhost:8080/mcp": true, "http://[::1]:8080/mcp/": true, "HTTP://LOCALHOST:8080/mcp": true,
		"localhost:8081/mcp": false, "localhost:8080/mcp2": false, "example.com:8080/mcp": false,
		"--read-only=false localhost:8080/mcp": false,
	} {
		a, err := beside(t, here, append(strings.Fields(line), "--sampling=manual"))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		s := a.Servers[0]
		if s.ReadOnly != held || s.Samples() == held || (s.Guard == "live") != (held || a.given["read-only"]) || len(s.Header) > 0 || s.Config != nil {
			t.Errorf("%s: %+v", line, s)
		}
	}
}

func TestGuard(t *testing.T) {
	for _, c := range []struct {
		line, want string
		terminal   bool
		ask        bool
	}{
		{"cancel prod t", "prod is guarded: say --confirm prod", false, false},
		{"cancel prod t", "", true, true},
		{"cancel prod t --confirm prod", "", false, false},
		{"cancel prod t --confirm staging", "--confirm is not for this server: it is prod", true, false},
		{"run staging t --confirm prod", "--confirm is not for this server: it is staging", true, false},
		{"answer staging t --confirm staging", "", false, false},
		{"run staging t", "", false, false},
		{"cancel https://PROD.example:443/mcp/ t", "PROD.example:443 is guarded", false, false},
		{"cancel prod.example/mcp t --confirm prod.example", "", false, false},
		{"cancel prod.example/other t", "", false, false},
	} {
		a, err := beside(t, twoServers, strings.Fields(c.line))
		if err != nil {
			t.Fatal(err)
		}
		ask, err := a.confirmed(c.terminal)
		if ask != c.ask || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.line, ask, err)
		}
	}
}
