package cli

import (
	"fmt"

	"strings"
)

// shells are the shells that there are completions for.
var shells = map[string]func() string{"bash": bash, "zsh": zsh, "fish": fish, "powershell": powershell}

func shellNames() []string { return []string{"bash", "fish", "powershell", "zsh"} }

// CompletionScript is what a shell reads to complete callboard's command lines,
// "" for a shell that is not known.
func CompletionScript(shell string) string {
	if script := shells[shell]; script != nil {
		return script()
	}
	return ""
}

// values are what may stand behind an option or, as a word, behind a command.
func (c *command) values() []string {
	switch c.is {
	case Completion:
		return shellNames()
	case Help:
		return named()
	default:
		return nil
	}
}

// flags are the options of c as they are typed.
func (c *command) flags() []string {
	var all []string
	for _, o := range c.options() {
		all = append(all, "--"+o.name)
	}
	return all
}

// bash needs no bash-completion: it reads COMP_WORDS alone. Bash takes "=" for a
// word of its own.
func bash() string {
	var b strings.Builder
	b.WriteString(`# bash completion for callboard: source <(callboard completion bash)
_callboard() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words= word
    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    COMPREPLY=()
    case $prev in
`)
	for _, o := range options {
		switch {
		case o.choices != nil:
			fmt.Fprintf(&b, "        --%s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", o.name, quote(strings.Join(o.choices, " ")))
		case o.file:
			fmt.Fprintf(&b, "        --%s) compopt -o filenames 2>/dev/null; local IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", o.name)
		case o.value != "":
			fmt.Fprintf(&b, "        --%s) return ;;\n", o.name)
		}
	}
	fmt.Fprintf(&b, `    esac
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in %s) command=$word; break ;; esac
    done
    case $command in
`, strings.Join(named(), "|"))
	for _, c := range commands {
		words := append(c.flags(), c.values()...)
		if c.is == Dashboard {
			words = append(words, named()...)
		}
		fmt.Fprintf(&b, "        %s) words=%s ;;\n", quote(c.name), quote(strings.Join(words, " ")))
	}
	b.WriteString(`    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _callboard callboard
`)
	return b.String()
}

// zsh works as a file _callboard in fpath, and sourced.
func zsh() string {
	var b strings.Builder
	b.WriteString(`#compdef callboard
# zsh completion for callboard: callboard completion zsh > "${fpath[1]}/_callboard"
_callboard() {
    local word command=
    local -a commands
    commands=(
`)
	for _, c := range commands {
		if c.name != "" {
			fmt.Fprintf(&b, "        %s\n", quote(c.name+":"+c.brief))
		}
	}
	fmt.Fprintf(&b, `    )
    for word in ${words[2,CURRENT-1]}; do
        case $word in (%s) command=$word; break ;; esac
    done
    case $command in
`, strings.Join(named(), "|"))
	for _, c := range commands {
		fmt.Fprintf(&b, "        (%s)\n            _arguments -s", quote(c.name))
		for _, o := range c.options() {
			b.WriteString(" \\\n                " + quote(o.zsh()))
		}
		switch {
		case c.is == Dashboard:
			b.WriteString(" \\\n                '*: :{_describe -t commands command commands; _urls}'")
		case c.values() != nil:
			fmt.Fprintf(&b, " \\\n                %s", quote("*:word:("+strings.Join(append([]string{c.name}, c.values()...), " ")+")"))
		default:
			b.WriteString(" \\\n                '*: :'")
		}
		b.WriteString("\n            ;;\n")
	}
	b.WriteString(`    esac
}
if [[ $funcstack[1] == _callboard ]]; then _callboard "$@"; else compdef _callboard callboard; fi
`)
	return b.String()
}

// zsh is o as _arguments reads it.
func (o *option) zsh() string {
	escaped := strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(o.help)
	spec := "*--" + o.name + "[" + escaped + "]"
	switch {
	case o.choices != nil:
		return spec + ":" + o.value + ":(" + strings.Join(o.choices, " ") + ")"
	case o.file:
		return spec + ":" + o.value + ":_files"
	case o.value != "":
		return spec + ":" + strings.NewReplacer(":", `\:`, "'", "").Replace(o.value) + ": "
	}
	return spec
}

func fish() string {
	var b strings.Builder
	b.WriteString("# fish completion for callboard: callboard completion fish | source\ncomplete -c callboard -f\n")
	bare := "not __fish_seen_subcommand_from " + strings.Join(named(), " ")
	for _, c := range commands {
		if c.name != "" {
			fmt.Fprintf(&b, "complete -c callboard -n %s -a %s -d %s\n", quote(bare), c.name, quote(c.brief))
		}
		if v := c.values(); v != nil {
			fmt.Fprintf(&b, "complete -c callboard -n %s -a %s\n", quote("__fish_seen_subcommand_from "+c.name), quote(strings.Join(v, " ")))
		}
	}
	for _, o := range options {
		var users []string
		dashboard := false
		for _, c := range commands {
			switch {
			case !c.suits(o.name):
			case c.is == Dashboard:
				dashboard = true
			default:
				users = append(users, c.name)
			}
		}
		arguments := ""
		switch {
		case o.choices != nil:
			arguments = " -x -a " + quote(strings.Join(o.choices, " "))
		case o.file:
			arguments = " -r -F"
		case o.value != "":
			arguments = " -x"
		}
		var when []string
		if dashboard {
			when = append(when, bare)
		}
		if users != nil {
			when = append(when, "__fish_seen_subcommand_from "+strings.Join(users, " "))
		}
		fmt.Fprintf(&b, "complete -c callboard -n %s -l %s%s -d %s\n", quote(strings.Join(when, "; or ")), o.name, arguments, quote(o.help))
	}
	return b.String()
}

func powershell() string {
	var b strings.Builder
	list := func(words []string) string {
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = "'" + w + "'"
		}
		return "@(" + strings.Join(quoted, ", ") + ")"
	}
	b.WriteString("# PowerShell completion for callboard: callboard completion powershell | Out-String | Invoke-Expression\n" +
		"Register-ArgumentCompleter -Native -CommandName callboard -ScriptBlock {\n" +
		"    param($wordToComplete, $commandAst, $cursorPosition)\n    $words = @{\n")
	for _, c := range commands {
		words := append(c.flags(), c.values()...)
		if c.is == Dashboard {
			words = append(words, named()...)
		}
		fmt.Fprintf(&b, "        '%s' = %s\n", c.name, list(words))
	}
	b.WriteString("    }\n    $values = @{\n")
	for _, o := range options {
		if o.value != "" && !o.file { // without an entry PowerShell completes files
			fmt.Fprintf(&b, "        '--%s' = %s\n", o.name, list(o.choices))
		}
	}
	var files []string
	for _, o := range options {
		if o.file {
			files = append(files, "--"+o.name)
		}
	}
	fmt.Fprintf(&b, "    }\n    $files = %s\n    $commands = %s\n", list(files), list(named()))
	b.WriteString(`    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    $previous = if ($typed.Count) { $typed[-1] } else { '' }
    if ($files -contains $previous) { return }
    if ($values.ContainsKey($previous)) { $candidates = $values[$previous] } else {
        $command = $typed | Where-Object { $commands -contains $_ } | Select-Object -First 1
        if ($null -eq $command) { $command = '' }
        $candidates = $words[$command]
    }
    $candidates | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`)
	return b.String()
}

// quote makes s one word of a shell of the Bourne family, and of fish.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
