// The client under test, as the conformance suite starts it: with the URL of a
// scenario's server as its last argument and the scenario's name in the
// environment. It runs the callboard that CALLBOARD names and holds no protocol of
// its own; it ends with 0 if each command did.
import { spawnSync } from 'node:child_process';

const url = process.argv.at(-1);

// callboard runs one command, which must end with that code, and returns its document.
function callboard(args, input = '', code = 0) {
  const ran = spawnSync(process.env.CALLBOARD, [...args, '--json', '--timeout', '60s'], { input, encoding: 'utf8' });
  process.stdout.write(`callboard ${args.join(' ')}\n${ran.stdout}`);
  process.stderr.write(ran.stderr);
  if (ran.status !== code) {
    console.error(`callboard ${args.join(' ')} ended with ${ran.status ?? ran.signal ?? ran.error}`);
    process.exit(1);
  }
  return code === 2 ? {} : JSON.parse(ran.stdout); // of misuse there is none
}

const tools = () => callboard(['tools', url]).tools;
const run = (tool, ...args) => callboard(['run', url, tool, '--wait', '--accept-defaults', ...args]);
const runWith = (tool, data) => callboard(['run', url, tool, '--wait', '--accept-defaults', '--data', '-'], JSON.stringify(data));

const scenarios = {
  initialize: tools,
  tools_call: () => run('add_numbers', '--arg', 'a=5', '--arg', 'b=7.5'),
  'elicitation-sep1034-client-defaults': () => run('test_client_elicitation_defaults'),
  'sse-retry': () => run('test_reconnection'),
  // Sampling is declared by the commands that could answer it; no tool is there to be called.
  'request-metadata': () => callboard(['run', url, 'no-such-tool', '--sampling', 'manual'], '', 2),
  'http-standard-headers': () => tools().forEach((tool) => run(tool.name)),
  // An argument that is null is left out, which means the same here: callboard holds
  // arguments against the tool's schema, and that of this tool wants a boolean.
  'http-custom-headers': () =>
    JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT).toolCalls.forEach((call) =>
      runWith(call.name, Object.fromEntries(Object.entries(call.arguments).filter(([, value]) => value !== null)))),
  // Every tool that callboard lists: it must list none that is not to be called.
  'http-invalid-tool-headers': () =>
    tools().forEach((tool) => runWith(tool.name, Object.fromEntries((tool.inputSchema.required ?? []).map((name) => [name, 'north'])))),
  'sep-2322-client-request-state': () => tools().forEach((tool) => run(tool.name)),
  'json-schema-ref-no-deref': tools,
  'json-schema-2020-12-preservation': () =>
    runWith('json_schema_echo', { schema: tools().find((tool) => tool.name === 'json_schema_2020_12_tool').inputSchema }),
};

const scenario = scenarios[process.env.MCP_CONFORMANCE_SCENARIO];
if (!scenario) {
  console.error(`no scenario ${process.env.MCP_CONFORMANCE_SCENARIO}`);
  process.exit(2);
}
scenario();
