package cli

// HelpText is what -h prints.
const HelpText = `callboard - a terminal dashboard for MCP tasks

  callboard URL [URL...]    attach to servers and show their tasks
  callboard watch URL...    print what happens as lines, without a screen
  callboard demo            look around: a real server inside the program

A URL without a scheme is https, and http on this machine: localhost:3000/mcp

Connection (with one URL)
  --header 'NAME: VALUE'    send a header; repeatable; ${VAR} is replaced from the environment
  --token-file FILE         send the bearer token that FILE holds, read again when it is refused
  --session-file FILE       join the session whose id FILE holds, to see its tasks
  --client-cert FILE        certificate to show to the server (PEM), with
  --client-key FILE         its key
Connection
  --ca-file FILE            trust the authorities in FILE (PEM), too
  --insecure-skip-verify    believe any certificate
  --allow-insecure-token    send a token over plain http, to other than this machine
  --log-file FILE           append every message to FILE as lines of JSON, secrets masked
Behaviour
  --prompts eager           ask every waiting task for its question at once (default)
  --prompts on-demand       only when the task is opened: for servers shared with another client
  --read-only               change nothing: no answers, no cancels, no starts
  watch is read-only unless --prompts is given; it then shows questions and answers none
Screen
  --theme NAME              ansi (default: the terminal's own colours), dark, light or mono
  --ascii                   draw with ASCII alone
  --version, -h

Environment
  CALLBOARD_TOKEN           a bearer token, where --token-file is not given
  CALLBOARD_SESSION         a session id, where --session-file is not given
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NO_COLOR, VISUAL, EDITOR

Exit codes: 0 quit, 1 error, 2 wrong usage or no terminal,
            129 terminal gone, 130 SIGINT, 143 SIGTERM

In the dashboard ? lists the keys.
`
