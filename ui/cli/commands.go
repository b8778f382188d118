package cli

import "slices"

var commands = [...]command{
	{is: Dashboard, words: "[URL|NAME...]", servers: some, brief: "attach to servers and show their tasks",
		more: []string{
			"Servers of config.toml have names; without a word it attaches to all of them, but for those with connect = false.",
			"Subscribes to what the servers push, polls what stays silent, and lets you answer, cancel, read and start. ? lists the keys.",
			"When you quit, sessions with live tasks and the handles of your tasks are kept, and the next callboard goes on with them. What you typed and did not send is kept as well, for 7 days.",
		},
		takes: slices.Concat(connection, configured, onScreen, sampling, []string{"prompts", "read-only", "task", "no-audit"}),
		examples: [][2]string{
			{"callboard localhost:3000/mcp", "http on this machine, https elsewhere"},
			{"callboard https://mcp.example.com/mcp --token-file ~/.mcp-token", ""},
			{"callboard localhost:3000/mcp --sampling-command 'jq -r .messages[-1].content.text | my-model'", "drafts of what a server asks a model for; you send them"},
		}},
	{is: Demo, name: "demo", brief: "look around: real servers of both generations inside the program",
		more: []string{
			"With --listen it serves them without a screen until a signal ends it, for trying the commands; each line on standard output is a revision of MCP and a URL; what to do with them stands on standard error.",
		},
		takes:    slices.Concat(onScreen, sampling, []string{"config", "no-config", "prompts", "read-only", "log-file", "listen"}),
		examples: [][2]string{{"callboard demo --listen 127.0.0.1:8900", "then: callboard ls localhost:8900/mcp"}}},
	{is: Watch, name: "watch", words: "URL [URL...|ID]", servers: some, ids: maybe, brief: "print what happens as lines, without a screen",
		more: []string{
			"Without an ID: all tasks, until a signal ends it, or no server is reached and none is tried again. It is read-only unless --prompts is given; it then shows questions and answers none.",
			"With an ID (a word without a slash, behind one URL): this task, until it ends; the exit code says how. Its questions are asked on a terminal; elsewhere they end it with exit code 6.",
			"With --json each line is an object: at, server, event (link, status, mark, progress, prompt, withdrawn, done, note), word, and where they are known task, tool, how, text, prompt.",
		},
		takes: slices.Concat(forScripts, sampling, []string{"prompts", "read-only", "task", "confirm", "no-audit"}),
		examples: [][2]string{
			{"callboard watch localhost:3000/mcp --json | jq -r 'select(.word==\"failed\").task'", ""},
		}},
	{is: List, name: "ls", words: "URL", servers: one, brief: "list the tasks", patience: "30s",
		more: []string{
			"Those that the server lists, and those whose handles are kept, asked for one by one.",
			"JSON: server, tasks.",
		},
		takes:    forScripts,
		examples: [][2]string{{"callboard ls localhost:3000/mcp --json | jq '.tasks[] | select(.asks)'", ""}}},
	{is: Get, name: "get", words: "URL ID", servers: one, ids: one, brief: "print the state of a task", patience: "30s",
		more: []string{
			"Asks for no question: some servers hand one out once. What a question asks is shown where it comes with the state (2026-07-28).",
			"JSON: task, and prompts where there are some.",
		},
		takes: forScripts},
	{is: Result, name: "result", words: "URL ID", servers: one, ids: one, brief: "print the result of a task, once it has ended",
		more: []string{
			"Waits for the end, as the protocol's tasks/result does; --timeout bounds it. A task that asks ends the wait with exit code 6.",
			"JSON: task, and result or error as the server sent it.",
		},
		takes: slices.Concat(forScripts, []string{"no-audit"})},
	{is: Answer, name: "answer", words: "URL ID", servers: one, ids: one, brief: "answer what a task asks", patience: "10s",
		more: []string{
			"Waits until the question is there, checks the answer as the dashboard does, sends it, and waits until it is delivered. Without --field, --data, --accept-defaults, --decline or --cancel the question is asked on a terminal.",
			"--accept-defaults, --decline and --cancel answer all questions of the task, or the one of --prompt.",
			"With --sampling it answers what a server asks a model for, too: its fields are text and model. A server that knows the other side by its session asks only the one that declared it.",
			"JSON: task, answers with prompt, action and state.",
		},
		takes: slices.Concat(forScripts, answers, sampling, []string{"data", "prompt", "confirm", "no-audit"}),
		examples: [][2]string{
			{"callboard answer localhost:3000/mcp 786512e2 --field env=staging --field n=3", ""},
			{"echo '{\"env\":\"staging\"}' | callboard answer localhost:3000/mcp 786512e2 --data -", ""},
		}},
	{is: Cancel, name: "cancel", words: "URL ID...", servers: one, ids: some, brief: "cancel tasks", patience: "30s",
		more: []string{
			"An acknowledgement proves neither that the work stopped nor that anything was undone. Where the server only takes the wish (2026-07-28) the task is cancelling until it says otherwise.",
			"JSON: tasks, each with cancel: cancelled, requested, ended, failed or unknown.",
		},
		takes: slices.Concat(forScripts, []string{"confirm", "no-audit"})},
	{is: Run, name: "run", words: "URL TOOL", servers: one, brief: "call a tool, as a task where the tool may be one",
		more: []string{
			"Prints the task's id and ends. With --wait it goes on to the end and prints the result. A call that is no task is always waited for: it would end with callboard.",
			"Questions are answered by --field, --accept-defaults, --decline and --cancel, else asked on a terminal; else the exit code is 6, and the task goes on: callboard answer.",
			"JSON: task, and result or error once it has ended.",
		},
		takes: slices.Concat(forScripts, answers, sampling, []string{"arg", "data", "ttl", "plain", "wait", "confirm", "no-audit"}),
		examples: [][2]string{
			{"callboard run localhost:3000/mcp deploy --arg service=checkout --arg replicas=3 --wait", ""},
			{"id=$(callboard run localhost:3000/mcp research --arg topic=tides)", "then: callboard result localhost:3000/mcp \"$id\""},
		}},
	{is: Tools, name: "tools", words: "URL", servers: one, brief: "list the tools and their arguments", patience: "30s",
		more: []string{
			"The second column says whether the tool may, must or cannot run as a task.",
			"JSON: tools with name, title, description, task, readOnly, destructive, inputSchema.",
		},
		takes: forScripts},
	{is: Audit, name: "audit", words: "[URL]", servers: maybe, brief: "print what happened, and who did what",
		more: []string{
			"The trail of all servers, or of that one: when a task was first seen, each change of its status and how it was learnt, questions, who answered, cancelled or started something and to what effect, and results that were fetched. It holds no answer, no argument and no result. callboard ls, get and tools only look, and add nothing.",
			"With --json the lines as they are on disk, one object each: at, what (seen, status, gone, prompt, withdrawn, answer, cancel, start, result, lost), server, task, call, tool, from, to, how, prompt, action, effect, text, by (the user), pid; what is empty is absent.",
			"It is kept in audit.jsonl in the state folder (callboard info), 8 MiB and then in audit.1.jsonl to audit.4.jsonl.",
		},
		takes:    []string{"config", "no-config", "mcp-json", "task", "since", "json"},
		examples: [][2]string{{"callboard audit localhost:3000/mcp --since 24h", ""}, {"callboard audit --json | jq -r 'select(.what==\"answer\")'", ""}}},
	{is: Config, name: "config", words: "show|check|template", brief: "print the configuration, or what is wrong",
		more: []string{
			"show: every setting with its value and where that comes from, and the servers; secrets are masked. check: all that is wrong with the configuration, each with its line; exit code 2 where something is. template: a config.toml with every setting as a comment.",
			"JSON, of show: path, settings and servers with name, value and from, and lists with what was passed over.",
		},
		takes:    slices.Concat(configured, onScreen, sampling, []string{"prompts", "read-only", "protocol", "no-audit", "json"}),
		examples: [][2]string{{"callboard config template > ~/.config/callboard/config.toml", ""}}},
	{is: Info, name: "info", brief: "print versions, protocol revisions and paths", takes: []string{"config", "no-config", "mcp-json", "json"}},
	{is: Keys, name: "keys", brief: "print the keys of the dashboard, with the names of their actions",
		more: []string{
			"By scope, with what the configuration changed. The names are those of [keys] in the configuration and of the dashboard's command line.",
			"JSON: scopes with name, places, alone and actions, each with name, keys, places, help and changed.",
		},
		takes: []string{"config", "no-config", "json"}},
	{is: Completion, name: "completion", words: "bash|zsh|fish|powershell", brief: "print the completions for a shell",
		more: []string{
			"bash: source <(callboard completion bash). zsh: callboard completion zsh > \"${fpath[1]}/_callboard\". fish: callboard completion fish | source. powershell: callboard completion powershell | Out-String | Invoke-Expression.",
		}},
	{is: Man, name: "man", brief: "print the manual page (roff)", examples: [][2]string{{"callboard man > ~/.local/share/man/man1/callboard.1", ""}}},
	{is: Help, name: "help", words: "[COMMAND]", brief: "print the help of a command"},
}
