import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/script.ts';
import { isObject, type JsonObject } from '../../src/util/json.ts';
import { type Answer, createHouse, lastTexts, resultsOf } from '../host/support.ts';
import { command, printing, settingsWith } from './support.ts';

const touch = toolUse('Bash', { command: 'touch canary' });
const BYPASS = { permissionMode: 'bypassPermissions' };
const hasRun = (dir: string) => existsSync(join(dir, 'canary'));
const deny = (reason: string) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason },
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Asked {
  headers: IncomingHttpHeaders;
  body: JsonObject;
}

/** A server on loopback that answers as it is told; null: never. */
async function serving(answer: { status?: number; type?: string; body: string; location?: string } | null) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      if (answer === null) return;
      const { status = 200, type = 'application/json', body, location } = answer;
      response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, asked };
}

describe('[B-192] http', () => {
  test('the input is posted, and the answer is the hook’s', async () => {
    const { url, asked } = await serving({ body: JSON.stringify(deny('not on Fridays')) });
    const house = createHouse([touch, 'done']);
    const client = house.connect({
      ...BYPASS,
      settings: settingsWith({ PreToolUse: [{ type: 'http', url }] }, 'Bash'),
    });
    await client.ask('go');
    expect(hasRun(house.dir)).toBe(false);
    expect(resultsOf(client.lines)).toMatchObject([{ is_error: true, content: 'not on Fridays' }]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.headers['content-type']).toBe('application/json');
    expect(asked[0]?.body).toMatchObject({
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'touch canary' },
    });
  });

  test('[G4] headers get the variables that the hook allows, never the key of the model', async () => {
    const { url, asked } = await serving({ body: '' });
    const hook = {
      type: 'http',
      url,
      headers: { Authorization: 'Bearer $TOKEN', 'X-Other': '[$OTHER]', 'X-Key': `[\${ANTHROPIC_API_KEY}]` },
      allowedEnvVars: ['TOKEN', 'ANTHROPIC_API_KEY'],
    };
    const house = createHouse(['hi']);
    const env = { HOME: house.dir, PATH: process.env.PATH, TOKEN: 't0', OTHER: 'o0', ANTHROPIC_API_KEY: 'sk-secret' };
    await house.connect({ settings: settingsWith({ UserPromptSubmit: [hook] }) }, { env }).ask('go');
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer t0', 'x-other': '[]', 'x-key': '[]' });
  });

  test.each([
    ['says no', { status: 500, body: JSON.stringify(deny('broken')) }],
    ['sends a page', { type: 'text/html', body: '<html>Please log in</html>' }],
    ['sends half of an answer', { body: '{"decision":' }],
    ['sends too much', { body: `{"reason":"${'x'.repeat(2_000_000)}"}` }],
    ['redirects elsewhere', { status: 307, body: '', location: 'http://127.0.0.2:9/' }],
    ['never answers', null],
  ])(
    '[K-2, B-078] a server that %s has failed: passed over, or an objection where the hook says so',
    async (_, answer) => {
      const { url } = await serving(answer);
      const hook = { type: 'http', url, timeout: answer === null ? 0.2 : 5 };
      for (const onFailure of ['ignore', 'block']) {
        const house = createHouse([touch, 'done']);
        const settings = settingsWith({ PreToolUse: [{ ...hook, onFailure }] });
        await house.connect({ ...BYPASS, settings }).ask('go');
        expect(hasRun(house.dir)).toBe(onFailure === 'ignore');
        expect(house.logs).toContainEqual({ level: 'warn', message: expect.stringContaining(`[${url}]`) });
      }
    },
  );

  test('nobody there is a failure, too', async () => {
    const house = createHouse([touch, 'done']);
    const hook = { type: 'http', url: 'http://127.0.0.1:9/?token=t0p', onFailure: 'block' };
    await house.connect({ ...BYPASS, settings: settingsWith({ PreToolUse: [hook] }) }).ask('go');
    expect(hasRun(house.dir)).toBe(false);
    expect(JSON.stringify(house.logs)).not.toContain('t0p');
  });

  test('plain text is context where a command’s would be', async () => {
    const { url } = await serving({ type: 'text/plain', body: 'It is Friday.' });
    const house = createHouse(['hi']);
    await house.connect({ settings: settingsWith({ UserPromptSubmit: [{ type: 'http', url }] }) }).ask('go');
    expect(lastTexts(house.model.requests[0]).join()).toContain('It is Friday.');
  });

  test.each([
    ['is not asked where nobody trusts it', {}, 0],
    ['is asked where it is trusted', { trust: true }, 1],
  ])('[G1] a server that a project names %s', async (_name, config, times) => {
    const { url, asked } = await serving({ body: '' });
    const house = createHouse(['hi']);
    mkdirSync(join(house.dir, '.claude'));
    const settings = settingsWith({ UserPromptSubmit: [{ type: 'http', url }] });
    writeFileSync(join(house.dir, '.claude/settings.json'), settings);
    await house.connect(config).ask('go');
    expect(asked).toHaveLength(times);
  });

  test('[K-1] an allowance of one does not outweigh the denial of another, nor a rule', async () => {
    const allow = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
    const open = await serving({ body: JSON.stringify(allow) });
    const closed = await serving({ body: JSON.stringify(deny('no')) });
    const [yes, no] = [open, closed].map(({ url }) => ({ type: 'http', url }));
    const both = createHouse([touch, 'done']);
    await both.connect({ settings: settingsWith({ PreToolUse: [yes as JsonObject, no as JsonObject] }) }).ask('go');
    expect(hasRun(both.dir)).toBe(false);
    const ruled = createHouse([touch, 'done']);
    const settings = settingsWith({ PreToolUse: [yes as JsonObject] });
    await ruled.connect({ settings, disallowedTools: ['Bash(touch:*)'] }).ask('go');
    expect(hasRun(ruled.dir)).toBe(false);
  });
});

describe('[B-192] prompt', () => {
  const prompt = { type: 'prompt', prompt: 'Is this harmless?' };

  /** A model that does the work and, asked by the hook, says this. */
  function judged(verdict: string, hook: JsonObject, event = 'PreToolUse') {
    const questions: string[] = [];
    let round = 0;
    const house = createHouse((request) => {
      const said = lastTexts(request).join('\n');
      if (!said.includes('hook_event_name')) return [touch, 'done', 'more'][round++] ?? 'end';
      questions.push(said);
      return verdict;
    });
    const client = house.connect({ ...BYPASS, settings: settingsWith({ [event]: [hook] }) });
    return { house, client, questions };
  }

  test('a model is asked about the event; what it objects to does not run', async () => {
    const { house, client, questions } = judged('{"ok": false, "reason": "It writes a file."}', prompt);
    await client.ask('go');
    expect(hasRun(house.dir)).toBe(false);
    expect(questions).toEqual([expect.stringMatching(/^Is this harmless\?[\s\S]*"command": "touch canary"/)]);
    expect(resultsOf(client.lines)).toMatchObject([
      { is_error: true, content: expect.stringContaining('It writes a file.') },
    ]);
  });

  test('$ARGUMENTS is where the event stands', async () => {
    const { client, questions } = judged('{"ok": true}', { type: 'prompt', prompt: 'Before $ARGUMENTS after' });
    await client.ask('go');
    expect(questions[0]).toMatch(/^Before \{[\s\S]*\} after$/);
  });

  test('the model that it names is asked', async () => {
    const { house, client } = judged('{"ok": true}', { ...prompt, model: 'other-model' });
    await client.ask('go');
    const models = house.model.requests.map(({ model, messages }) => [
      JSON.stringify(messages).includes('harmless'),
      model,
    ]);
    expect(models.filter(([isQuestion]) => isQuestion)).toEqual([[true, 'other-model']]);
  });

  test('no objection opens nothing: what needs permission still does', async () => {
    const house = createHouse((request) =>
      lastTexts(request).join().includes('hook_event_name') ? 'Fine: {"ok": true}' : touch,
    );
    await house.connect({ settings: settingsWith({ PreToolUse: [prompt] }), maxTurns: 1 }).ask('go');
    expect(hasRun(house.dir)).toBe(false);
  });

  test('[HK-33] at a stop the reason is what the agent goes on with', async () => {
    const { house, client } = judged('{"ok": false, "reason": "Run the tests."}', prompt, 'Stop');
    client.say('go');
    await client.until(() => house.model.requests.length > 4);
    const texts = house.model.requests.flatMap((request) => lastTexts(request));
    expect(texts).toContainEqual(expect.stringContaining('Run the tests.'));
    await client.close();
  });

  test.each(['I think so.', '{"ok": "yes"}', ''])('[K-2, B-078] %j is no verdict', async (verdict) => {
    for (const onFailure of ['ignore', 'block']) {
      const { house, client } = judged(verdict, { ...prompt, onFailure });
      await client.ask('go');
      expect(hasRun(house.dir)).toBe(onFailure === 'ignore');
    }
  });
});

describe('[B-192] mcp_tool', () => {
  const hook = {
    type: 'mcp_tool',
    server: 'guard',
    tool: 'check',
    input: { line: `\${tool_input.command}!`, all: [`\${tool_input}`], none: `\${tool_input.nothing}` },
  };

  /** The answers of a host that has a server with one tool, which says this. */
  const guardOf =
    (result: JsonObject, calls: unknown[] = []): Answer =>
    ({ message }) => {
      if (!isObject(message) || message.id === undefined) return { mcp_response: {} };
      const answer = (value: JsonObject) => ({ mcp_response: { jsonrpc: '2.0', id: message.id, result: value } });
      if (message.method === 'tools/call') {
        calls.push((message.params as JsonObject).arguments);
        return answer(result);
      }
      const tools = [{ name: 'check', inputSchema: { type: 'object' } }];
      if (message.method === 'tools/list') return answer({ tools });
      const serverInfo = { name: 'guard', version: '1' };
      return answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
    };

  /** A session whose host has that server. */
  async function guarded(result: JsonObject, config = {}, given: JsonObject = hook) {
    const calls: unknown[] = [];
    const house = createHouse([touch, 'done']);
    const client = house.connect(
      { ...BYPASS, ...config, settings: settingsWith({ PreToolUse: [given] }, 'Bash') },
      { answer: guardOf(result, calls) },
    );
    await client.control({ subtype: 'initialize', sdkMcpServers: ['guard'] });
    await client.ask('go');
    return { house, calls, client };
  }
  const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

  test('the tool is called with fields of the event, and its text is the answer', async () => {
    const { house, calls, client } = await guarded(text(deny('the guard says no')));
    expect(hasRun(house.dir)).toBe(false);
    expect(calls).toEqual([{ line: 'touch canary!', all: [{ command: 'touch canary' }], none: '' }]);
    expect(resultsOf(client.lines)).toMatchObject([{ content: 'the guard says no' }]);
  });

  test('[B-022] updatedMCPToolOutput replaces what a tool of a server said, and nothing else', async () => {
    const updated = { hookEventName: 'PostToolUse', updatedMCPToolOutput: 'nothing to see' };
    const settings = settingsWith({ PostToolUse: [command(printing({ hookSpecificOutput: updated }))] });
    const house = createHouse([[toolUse('mcp__guard__check', {}), toolUse('Bash', { command: 'echo open' })], 'done']);
    const client = house.connect({ ...BYPASS, settings }, { answer: guardOf(text('secret')) });
    await client.control({ subtype: 'initialize', sdkMcpServers: ['guard'] });
    await client.ask('go');
    const [ofServer, ofShell] = resultsOf(client.lines);
    expect(ofServer?.content).toBe('nothing to see');
    expect(ofShell?.content).toBe('open');
    expect(JSON.stringify(house.model.requests.at(-1)?.messages)).not.toContain('secret');
  });

  test.each([
    ['fails', { content: [{ type: 'text', text: 'oh' }], isError: true }, {}, {}],
    ['has no such tool', text(deny('no')), {}, { tool: 'other' }],
    ['is taken away by a rule', text(deny('no')), { disallowedTools: ['mcp__guard__check'] }, {}],
  ])('[K-2, B-078] one that %s', async (_name, result, config, more) => {
    for (const onFailure of ['ignore', 'block']) {
      const { house } = await guarded(result, config, { ...hook, ...more, onFailure });
      expect(hasRun(house.dir)).toBe(onFailure === 'ignore');
    }
  });
});

test('[K-7] what is wrong with a hook of these kinds is said, and the others apply', async () => {
  const house = createHouse(['hi']);
  const settings = settingsWith({
    UserPromptSubmit: [
      { type: 'http', url: 'file:///etc/passwd' },
      { type: 'http', url: 'http://127.0.0.1:9/', headers: { A: 1 } },
      { type: 'http', url: 'http://127.0.0.1:9/', allowedEnvVars: 'A' },
      { type: 'prompt' },
      { type: 'mcp_tool', server: 'a' },
      { type: 'dance' },
      { type: 'command', command: 'echo never', if: 'Bash(git *)' },
      { type: 'command', command: 'echo hello' },
    ],
  });
  await house.connect({ settings }).ask('go');
  expect(house.logs.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
    expect.stringContaining('hooks[0].url must be'),
    expect.stringContaining('hooks[1].headers must be'),
    expect.stringContaining('hooks[2].allowedEnvVars must be'),
    expect.stringContaining('hooks[3].prompt must be'),
    expect.stringContaining('hooks[4].tool must be'),
    expect.stringContaining('there are no hooks of type "dance"'),
    expect.stringContaining('hooks[6].if: UserPromptSubmit is no call of a tool'),
  ]);
  const told = lastTexts(house.model.requests[0]).join();
  expect(told).toContain('hello');
  expect(told).not.toContain('never');
});
