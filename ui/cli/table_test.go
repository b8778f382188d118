package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"callboard/ui/term/termtest"
)

// The table is whole: what a command takes exists, and each option has a command.
func TestTable(t *testing.T) {
	var known []string
	for _, o := range options {
		if slices.Contains(known, o.name) {
			t.Errorf("--%s stands twice", o.name)
		}
		known = append(known, o.name)
		if !slices.Contains(groups, o.group) {
			t.Errorf("--%s is in no group", o.name)
		}
		if o.group != ofAll && !slices.ContainsFunc(commands[:], func(c command) bool { return slices.Contains(c.takes, o.name) }) {
			t.Errorf("no command takes --%s", o.name)
		}
		if strings.HasSuffix(o.help, ".") || o.help == "" {
			t.Errorf("--%s: %q", o.name, o.help)
		}
	}
	for _, c := range commands {
		for _, name := range c.takes {
			if !slices.Contains(known, name) {
				t.Errorf("%s takes --%s, which does not exist", c.name, name)
			}
		}
		if c.brief == "" || commandOf(c.is).name != c.name {
			t.Errorf("%q is not found, or says nothing", c.name)
		}
	}
}

func TestHelpNamesAll(t *testing.T) {
	all := HelpText(Dashboard)
	if words := HelpText(Demo); !strings.Contains(words, "[in the demo manual]") || strings.Contains(all, "[in the demo manual]") {
		t.Errorf("the default of --sampling in the demo:\n%s", words)
	}
	for _, o := range options {
		if !strings.Contains(all, "--"+o.name) {
			t.Errorf("the help says nothing of --%s", o.name)
		}
	}
	for _, c := range commands {
		if !strings.Contains(all, c.brief) {
			t.Errorf("the help says nothing of %s", c.name)
		}
		own := HelpText(c.is)
		for _, name := range c.takes {
			if !strings.Contains(own, "--"+name) {
				t.Errorf("the help of %s says nothing of --%s", c.name, name)
			}
		}
		if !strings.Contains(own, c.name) {
			t.Errorf("the help of %s does not name it: %s", c.name, own)
		}
		for line := range strings.Lines(all + own) {
			if len([]rune(line)) > helpWidth+1 && !strings.HasPrefix(line, "  ") {
				t.Errorf("too long: %s", line)
			}
		}
	}
}

// shell runs a script in a shell, or skips where there is none.
func shell(t *testing.T, name string, args []string, script string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("there is no " + name + " here")
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdin = strings.NewReader(script)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("%s: %v\n%s", name, err, &errs)
	}
	return out.String()
}

// completions are what is offered behind a line, in each shell that is here.
var completions = []struct {
	line       string // "|" stands where the cursor is
	has, hasNo []string
}{
	{"callboard |", []string{"watch", "run", "completion"}, []string{"bash"}},
	{"callboard --|", []string{"--theme", "--task", "--protocol"}, []string{"--json", "--wait", "--field"}},
	{"callboard run h t --|", []string{"--arg", "--wait", "--json", "--field", "--token-file"}, []string{"--theme", "--prompt", "--listen"}},
	{"callboard ls h --protocol |", []string{"auto", "2026-07-28"}, []string{"eager"}},
	{"callboard completion |", []string{"bash", "powershell"}, []string{"watch"}},
	{"callboard help |", []string{"watch", "run"}, []string{"bash"}},
}

func TestCompletionOfBash(t *testing.T) {
	for _, c := range completions {
		line := strings.TrimSuffix(c.line, "|")
		words := strings.Fields(line)
		if strings.HasSuffix(line, " ") {
			words = append(words, "")
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, quote(w))
		}
		script := CompletionScript("bash") + "COMP_WORDS=(" + strings.Join(quoted, " ") + "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _callboard; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
		offers(t, c.line, strings.Fields(shell(t, "bash", []string{"--norc", "--noprofile"}, script)), c.has, c.hasNo)
	}
	script := CompletionScript("bash") + "COMP_WORDS=(callboard ls h --protocol = 20); COMP_CWORD=5; _callboard; printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p callboard\n"
	out := shell(t, "bash", []string{"--norc", "--noprofile"}, script)
	if !strings.Contains(out, "2026-07-28") || strings.Contains(out, "auto") || !strings.Contains(out, "complete -F _callboard callboard") {
		t.Errorf("behind --protocol=: %s", out)
	}
}

func TestCompletionOfFish(t *testing.T) {
	for _, c := range completions {
		line := strings.TrimSuffix(c.line, "|")
		out := shell(t, "fish", []string{"--no-config"}, CompletionScript("fish")+"complete -C "+quote(line)+"\n")
		var words []string
		for l := range strings.Lines(out) {
			words = append(words, strings.TrimSpace(strings.SplitN(l, "\t", 2)[0]))
		}
		offers(t, c.line, words, c.has, c.hasNo)
	}
}

// zsh completes in its line editor alone, so it gets a terminal.
func TestCompletionOfZsh(t *testing.T) {
	path, err := exec.LookPath("zsh")
	if err != nil {
		t.Skip("there is no zsh here")
	}
	dir := t.TempDir()
	// Of zsh's own functions only what it takes: to look through all of them needs
	// seconds on a busy machine.
	setup := `PS1='z> '; LISTMAX=1000
mkdir -p $ZDOTDIR/own
ln -sf $^fpath/(comp(init|audit|dump|install)|_files|_path_files|_urls)(N) ${^${(M)fpath:#*/Base}}/_*(N) $ZDOTDIR/own
[[ -e $ZDOTDIR/own/_arguments ]] && fpath=($ZDOTDIR/own)
autoload -Uz compinit; compinit -D -u; source $ZDOTDIR/_callboard
`
	for name, text := range map[string]string{".zshrc": setup, "_callboard": CompletionScript("zsh")} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), path, "-i", "-o", "NO_GLOBAL_RCS")
	cmd.Env = termtest.Environ("ZDOTDIR="+dir, "HISTFILE=/dev/null")
	s := termtest.Start(t, cmd, 160, 70)
	s.See("z>")
	for _, c := range completions {
		s.Type("\x0c" + strings.TrimSuffix(c.line, "|") + "\x04") // clear the screen; list the choices
		for _, w := range c.has {
			s.See(w)
		}
		for _, w := range c.hasNo {
			s.SeeNot(w)
		}
		s.Type("\x15")
	}
	s.Type("exit\r")
	s.Exit()
}

func offers(t *testing.T, line string, words, has, hasNo []string) {
	t.Helper()
	for _, w := range has {
		if !slices.Contains(words, w) {
			t.Errorf("%s: no %s in %q", line, w, words)
		}
	}
	for _, w := range hasNo {
		if slices.Contains(words, w) {
			t.Errorf("%s: %s is offered", line, w)
		}
	}
}

// There is no PowerShell to be asked: that all is there, and each quote and
// brace has its other half, is what can be told without.
func TestCompletionOfPowerShell(t *testing.T) {
	script := CompletionScript("powershell")
	for _, pair := range []string{"{}", "()", "[]"} {
		if a, b := strings.Count(script, pair[:1]), strings.Count(script, pair[1:]); a != b {
			t.Errorf("%d %q and %d %q", a, pair[:1], b, pair[1:])
		}
	}
	if strings.Count(script, "'")%2 != 0 {
		t.Error("a quote stands alone")
	}
	for _, c := range commands {
		for _, o := range c.options() {
			if !strings.Contains(script, "'--"+o.name+"'") {
				t.Errorf("--%s is missing", o.name)
			}
		}
		if !strings.Contains(script, "'"+c.name+"' = @(") {
			t.Errorf("%s is missing", c.name)
		}
	}
}

func TestManPage(t *testing.T) {
	page := ManPage("v1.2")
	for _, o := range options {
		if !strings.Contains(page, `\-\-`+escape(o.name)) {
			t.Errorf("the page says nothing of --%s", o.name)
		}
	}
	for _, c := range exitCodes {
		if !strings.Contains(page, ".B "+c[0]+"\n") {
			t.Errorf("the page says nothing of exit code %s", c[0])
		}
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, ".") && !regexp.MustCompile(`^\.(TH|SH|SS|TP|B|I|IP|EX|EE|br)\b`).MatchString(line) {
			t.Errorf("text that looks like a request: %s", line)
		}
	}
	path, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff here")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-man", "-Tutf8", "-ww", "-rLL=100n")
	cmd.Stdin = strings.NewReader(page)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Fatalf("groff: %v\n%s", err, &errs)
	}
	text := regexp.MustCompile("\x1b\\[[0-9;]*m|.\b").ReplaceAllString(out.String(), "")
	for _, want := range []string{"CALLBOARD(1)", "callboard v1.2", "--accept-defaults", "EXIT STATUS", `"$id"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}
