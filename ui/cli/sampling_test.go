package cli

import (
	"strings"
	"testing"
	"time"
)

func TestSamplingOptions(t *testing.T) {
	for line, want := range map[string][2]string{
		"h.example":                          {"off", ""},
		"h.example --sampling manual":        {"manual", ""},
		"h.example --sampling-command draft": {"command", "draft"},
		"run h.example t --sampling command --sampling-command draft": {"command", "draft"},
		"answer h.example i --sampling manual":                        {"manual", ""},
		"watch h.example i --sampling manual":                         {"manual", ""},
		"demo":                                                        {"manual", ""},
		"demo --sampling off":                                         {"off", ""},
		"h.example --read-only":                                       {"off", ""},
	} {
		a := parse(t, line)
		if at := a.At("", "", ""); a.Sampling != want[0] || a.SamplingCommand != want[1] || at.Samples() != (want[0] != "off") {
			t.Errorf("%s: %q %q", line, a.Sampling, a.SamplingCommand)
		}
	}
	for line, want := range map[string]string{
		"h.example --sampling command":                         "which command?",
		"h.example --sampling maybe":                           "--sampling is off, manual or command",
		"h.example --sampling manual --sampling-command draft": "runs no command",
		"h.example --sampling-command=":                        "needs a command",
		"h.example --sampling manual --read-only":              "--read-only answers nothing",
		"watch h.example --sampling manual --prompts eager":    "needs the ID",
		"ls h.example --sampling manual":                       "does not apply to ls",
		"ls h.example --no-audit":                              "does not apply to ls",
		"demo --no-audit":                                      "does not apply to demo",
		"audit a.example b.example":                            "audit takes one URL",
		"audit --since yesterday":                              "--since takes a duration",
	} {
		_, err := Parse(strings.Fields(line), lookup(), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

func TestAuditOptions(t *testing.T) {
	a := parse(t, "audit h.example/mcp --task a --task b --json", "CALLBOARD_SESSION=no session")
	if a.Command != Audit || len(a.Servers) != 1 || a.Servers[0].Shown != "https://h.example/mcp" || len(a.Tasks) != 2 || !a.JSON {
		t.Errorf("%+v", a)
	}
	if a := parse(t, "audit"); len(a.Servers) != 0 || !a.Since.IsZero() {
		t.Errorf("%+v", a)
	}
	if !parse(t, "cancel h.example i --no-audit").NoAudit {
		t.Error("--no-audit is lost")
	}
	now := time.Date(2026, 12, 2, 12, 0, 0, 0, time.FixedZone("here", 3600))
	for word, want := range map[string]time.Time{
		"90m": now.Add(-90 * time.Minute), "7d": now.AddDate(0, 0, -7), "2026-12-01T09:00:00Z": time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC),
		"2026-12-01": time.Date(2026, 12, 1, 0, 0, 0, 0, now.Location()), "2026-12-01T09:30": time.Date(2026, 12, 1, 9, 30, 0, 0, now.Location()),
		"2026-12-01 09:30": time.Date(2026, 12, 1, 9, 30, 0, 0, now.Location()), "": {},
	} {
		if got, err := since(word, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v; want %v", word, got, err, want)
		}
	}
	for _, word := range []string{"-1h", "d", "-3d", "99999999d", "tomorrow", "2026-13-01"} {
		if got, err := since(word, now); err == nil {
			t.Errorf("%q is taken for %v", word, got)
		}
	}
}
