// Calls of the official client, @modelcontextprotocol/client with
// @modelcontextprotocol/ext-tasks, run to their ends against our test server:
//   node official.mjs URL legacy|modern
// It prints one JSON document of what came of each call.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, toolDeclarationFromMcpTool } from '@modelcontextprotocol/ext-tasks/client';

const [url, era] = process.argv.slice(2);
const clientInfo = { name: 'official', version: '1.0.0' };
const capabilities = { elicitation: { form: {} } };
const protocolVersion = '2026-07-28';

const client = new Client(clientInfo, {
  capabilities,
  versionNegotiation: { mode: era === 'modern' ? { pin: protocolVersion } : 'legacy' },
});
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

// rawDispatch sends what the client's own codec refuses, the messages of the tasks
// extension, by the official transport.
const raw = new StreamableHTTPClientTransport(new URL(url));
const waiting = new Map();
let last = 0;
raw.onmessage = (message) => {
  waiting.get(message.id)?.(message);
  waiting.delete(message.id);
};
async function rawDispatch(request, options) {
  const id = `raw-${++last}`;
  const answer = new Promise((resolve) => waiting.set(id, resolve));
  await raw.send({ jsonrpc: '2.0', id, ...request }, { requestSignal: options?.signal });
  const message = await answer;
  return message.error ? { kind: 'error', error: message.error } : { kind: 'result', result: message.result };
}
const dispatch = {};
if (era === 'modern') {
  await raw.start();
  raw.setProtocolVersion?.(protocolVersion);
  Object.assign(dispatch, { rawDispatch, v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: capabilities } });
}

const tools = Object.fromEntries((await client.listTools()).tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
const questions = [];
const session = createTaskSessionFromClient(client, {
  endpointId: 'callboard-interop',
  tools: { currentTool: (name) => tools[name] },
  onInputRequest: async (request, context) => {
    questions.push({ kind: request.kind, message: request.params.message, scope: context.scope, delivery: context.delivery, task: context.taskId });
    return { action: 'accept', content: { confirm: true, name: 'Ann' } };
  },
  ...dispatch,
});

// run calls a tool and waits for its end; cancelled calls are cancelled once they work.
async function run(tool, args, { cancel = false, task } = {}) {
  const from = questions.length;
  const execution = await session.callTool(tool, args, task ? { task } : {});
  const states = [];
  if (cancel) await execution.cancel();
  const { outcome } = await execution.settle({ onEvent: (event) => event.task && states.push(event.task.status) });
  return {
    kind: execution.kind,
    task: execution.handle?.taskId,
    states,
    status: outcome.status,
    text: outcome.result?.content?.map((content) => content.text).join(''),
    isError: outcome.result?.isError,
    error: outcome.error && { code: outcome.error.code, message: outcome.error.message },
    questions: questions.slice(from),
  };
}

const asTask = { preference: 'require', retentionMs: 60_000 };
const report = {
  era: client.getProtocolEra(),
  version: client.getNegotiatedProtocolVersion?.() ?? null,
  generation: session.capabilities,
  tools: Object.keys(tools).sort(),
  plain: await run('greet', { name: 'Ann' }),
  works: await run('slow_compute', { seconds: 0.3, label: 'sum' }, era === 'legacy' ? { task: asTask } : {}),
  asks: await run('confirm_delete', { filename: 'a.txt' }, era === 'legacy' ? { task: asTask } : {}),
  asksTwice: await run('multi_input', {}, era === 'legacy' ? { task: asTask } : {}),
  fails: await run('failing_job', {}, era === 'legacy' ? { task: asTask } : {}),
  breaks: await run('protocol_error_job', {}, era === 'legacy' ? { task: asTask } : {}),
  cancelled: await run('slow_compute', { seconds: 60, label: 'long' }, { cancel: true, ...(era === 'legacy' ? { task: asTask } : {}) }),
};
if (era === 'modern') report.asksFirst = await run('test_tool_with_task', {});
if (era === 'legacy') report.listed = (await session.listTasks()).tasks.map(({ taskId, status }) => ({ taskId, status }));
console.log(JSON.stringify(report, null, 2));
await session.close();
await client.close();
await raw.close();
