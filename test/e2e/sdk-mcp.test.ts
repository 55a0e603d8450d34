import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import type { CustomTool, Options, Query, SDKMessage, SDKUserMessage, ToolExtra } from '../../src/sdk/index.ts';
import { type AnswerLike, type FakeApiRequest, toolUse } from '../../src/testing/index.ts';
import { Channel } from '../../src/util/channel.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { engine as engineModule, sdk } from '../support/built.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually } from '../support/processes.ts';

const { createSdkMcpServer, tool } = sdk;

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Both ways to run an agent must give a program's tools the same life. */
const HOSTINGS: [string, (place: Place) => { options: Options; close(): Promise<void> }][] = [
  ['a subprocess', () => ({ options: {}, close: async () => {} })],
  [
    'this process',
    () => {
      const engine = engineModule.createEngine({ cwd: '/nonexistent' });
      return { options: { transport: engineModule.inProcess(engine) }, close: () => engine.close() };
    },
  ],
];

describe.each(HOSTINGS)('tools of the program, with the agent in %s', (_, host) => {
  async function ask(script: AnswerLike[], options: Options, act?: (run: Query, lines: Line[]) => Promise<void>) {
    const place = await makePlace(script);
    const { options: hosted, close } = host(place);
    const input = new Channel<SDKUserMessage>();
    const run = sdk.query({
      prompt: act ? input : 'go',
      options: { cwd: place.cwd, env: place.env, stderr: () => {}, ...hosted, ...options },
    });
    const lines: Line[] = [];
    const reading = (async () => {
      for await (const message of run as AsyncIterable<SDKMessage>) lines.push(message as unknown as Line);
    })();
    if (act) {
      input.push({ type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null, session_id: '' });
      await act(run, lines);
      input.end();
    }
    await reading;
    await close();
    return { lines, requests: place.api.requests };
  }

  const toolsOf = ([init]: Line[]) => (init?.tools ?? []) as string[];
  const resultsIn = (lines: Line[]) => lines.flatMap((line) => toolResult(line) ?? []);
  const calc = (...tools: CustomTool[]) => ({ mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools }) } });
  const allowed = { allowedTools: ['mcp__calc'] };
  const add = tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  const adding = [toolUse('mcp__calc__add', { a: 2, b: 3 }), 'Added.'];

  test('[MCP-04, OPT-21, CTL-14] run in the program, and their content is the result', async () => {
    let seen: unknown;
    const spy = {
      ...add,
      handler: (args: JsonObject, extra: ToolExtra) => {
        seen = args;
        return add.handler(args, extra);
      },
    };
    const { lines, requests } = await ask(adding, { ...calc(spy), ...allowed });
    expect(seen).toEqual({ a: 2, b: 3 });
    expect(lines[0]).toMatchObject({ mcp_servers: [{ name: 'calc', status: 'connected' }] });
    expect(toolsOf(lines).at(-1)).toBe('mcp__calc__add');
    const [request] = requests as [FakeApiRequest];
    expect((request.body.tools as Line[]).at(-1)).toMatchObject({
      name: 'mcp__calc__add',
      description: 'Adds two numbers',
      input_schema: { type: 'object', required: ['a', 'b'] },
    });
    const content = [{ type: 'text', text: '5' }];
    expect(resultsIn(lines)).toMatchObject([{ type: 'tool_result', content }]);
    expect(lines.find((line) => toolResult(line))).toMatchObject({ tool_use_result: content });
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: 'Added.' });
  });

  test.each<[string, CustomTool]>([
    ['the shape of zod 3', tool('add', '', { a: z3.number(), b: z3.number().default(3) }, ({ a, b }) => `${a + b}`)],
    ['an object of zod 3', tool('add', '', z3.object({ a: z3.number(), b: z3.number() }), ({ a, b }) => `${a + b}`)],
    ['an object of zod 4', tool('add', '', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => `${a + b}`)],
    [
      'JSON Schema',
      tool(
        'add',
        '',
        { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a'] },
        ({ a, b }) => `${Number(a) + Number(b)}`,
      ),
    ],
  ])('[MCP-05, MCP-07] may describe their input as %s', async (_what, described) => {
    const script = [toolUse('mcp__calc__add', { b: 1 }), ...adding];
    const { lines } = await ask(script, { ...calc(described), ...allowed });
    expect(resultsIn(lines)).toMatchObject([
      { is_error: true, content: expect.stringMatching(/^add was called with a bad input:\n.*a/) },
      { content: [{ type: 'text', text: '5' }] },
    ]);
  });

  test('[MCP-12] that throw, fail or return nothing give an error that the model reads', async () => {
    const boom = tool('boom', '', {}, () => {
      throw new Error('kaboom');
    });
    const failing = tool('fails', '', {}, () => ({ content: [{ type: 'text', text: 'no such loom' }], isError: true }));
    const silent = tool('silent', '', {}, () => undefined as never);
    const big = tool('big', '', {}, () => ({ content: [], structuredContent: { n: 1n } }));
    const names = ['boom', 'fails', 'silent', 'big', 'missing'];
    const script = [...names.map((name) => toolUse(`mcp__calc__${name}`, {})), 'Sorry.'];
    const { lines } = await ask(script, { ...calc(boom, failing, silent, big), ...allowed });
    expect(resultsIn(lines).map(({ content, is_error }) => [is_error, content])).toEqual([
      [true, 'kaboom'],
      [true, 'no such loom'],
      [true, expect.stringContaining('did not return a result')],
      [true, expect.stringContaining('The result is not JSON')],
      [true, expect.stringContaining('No such tool available: mcp__calc__missing')],
    ]);
    expect(lines.find((line) => toolResult(line))).toMatchObject({ tool_use_result: 'Error: kaboom' });
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: 'Sorry.' });
  });

  test('[MCP-18] give pictures to the model, and structure to the host', async () => {
    const look = tool('look', '', {}, () => ({
      content: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
      structuredContent: { pixels: 1 },
    }));
    const { lines, requests } = await ask([toolUse('mcp__calc__look', {}), 'Seen.'], { ...calc(look), ...allowed });
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    expect(JSON.stringify(requests[1]?.body.messages)).toContain(JSON.stringify(image));
    expect(lines.find((line) => toolResult(line))).toMatchObject({
      tool_use_result: { content: [image], structuredContent: { pixels: 1 } },
    });
  });

  test('[K36, B-025] run side by side when they only read, and alone otherwise', async () => {
    let running = 0;
    const most: Record<string, number> = {};
    const slow = (name: string, readOnlyHint: boolean) =>
      tool(
        name,
        '',
        { n: z.number() },
        async ({ n }) => {
          most[name] = Math.max(most[name] ?? 0, ++running);
          await new Promise((resolve) => setTimeout(resolve, 50 - 5 * n));
          running--;
          return `${name} ${n}`;
        },
        { annotations: { readOnlyHint } },
      );
    const calls = (name: string) => Array.from({ length: 8 }, (_each, n) => toolUse(`mcp__calc__${name}`, { n }));
    const script = [calls('read'), calls('write'), 'Done.'];
    const { lines, requests } = await ask(script, { ...calc(slow('read', true), slow('write', false)), ...allowed });
    expect(most).toEqual({ read: 8, write: 1 });
    expect(resultsIn(lines)).toHaveLength(16);
    // Whatever the order of their ends, each call has its own result.
    const [, request] = requests as [unknown, FakeApiRequest];
    const [, , told] = request.body.messages as { content: { content: { text: string }[] }[] }[];
    expect(told?.content.map(({ content }) => content[0]?.text)).toEqual(
      Array.from({ length: 8 }, (_each, n) => `read ${n}`),
    );
  });

  test('[G7, TOOL-08] need permission: without a rule the host is asked, and may change the input', async () => {
    const denied = await ask(adding, calc(add));
    expect(denied.lines.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'mcp__calc__add' }] });
    const canUseTool: Options['canUseTool'] = async (_name, input) => ({
      behavior: 'allow',
      updatedInput: { ...input, a: 40 },
    });
    const { lines } = await ask(adding, { ...calc(add), canUseTool });
    expect(resultsIn(lines)).toMatchObject([{ content: [{ text: '43' }] }]);
  });

  test.each(['mcp__calc__add', 'mcp__calc', 'mcp__calc__*'])('[K7] are gone with the deny rule %s', async (rule) => {
    const { lines, requests } = await ask(adding, { ...calc(add), ...allowed, disallowedTools: [rule] });
    expect(JSON.stringify(requests[0]?.body.tools)).not.toContain('mcp__calc');
    expect(resultsIn(lines)).toMatchObject([{ is_error: true }]);
  });

  test('that never return are left behind by an interrupt, and told so', async () => {
    let isRunning = false;
    let isAborted = false;
    const hang = tool('hang', '', {}, (_args, { signal }) => {
      isRunning = true;
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      return new Promise<string>(() => {});
    });
    const script = [toolUse('mcp__calc__hang', {}), 'never'];
    const { lines } = await ask(script, { ...calc(hang), ...allowed }, async (run) => {
      await eventually(() => isRunning);
      await run.interrupt();
      await eventually(() => isAborted);
    });
    expect(resultsIn(lines)).toMatchObject([{ is_error: true, content: expect.stringContaining('interrupted') }]);
    expect(lines.at(-1)).toMatchObject({ type: 'result' });
  });

  test('[C-2] that take longer than MCP_TOOL_TIMEOUT fail, and progress buys them time', async () => {
    const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const stuck = tool('stuck', '', {}, () => new Promise<string>(() => {}));
    const busy = tool('busy', '', {}, async (_args, { _meta, sendNotification }) => {
      for (let progress = 1; progress <= 6; progress++) {
        await wait(300);
        await sendNotification?.({
          method: 'notifications/progress',
          params: { progressToken: _meta?.progressToken, progress },
        });
      }
      return 'done';
    });
    const script = [toolUse('mcp__calc__stuck', {}), toolUse('mcp__calc__busy', {}), 'ok'];
    const place = await makePlace(script);
    const { options, close } = host(place);
    const lines: Line[] = [];
    const env = { ...place.env, MCP_TOOL_TIMEOUT: '1200' };
    const run = sdk.query({
      prompt: 'go',
      options: { cwd: place.cwd, env, ...options, ...calc(stuck, busy), ...allowed },
    });
    for await (const message of run) lines.push(message as unknown as Line);
    await close();
    expect(resultsIn(lines)).toMatchObject([
      { is_error: true, content: 'mcp__calc__stuck did not answer within 1200 ms' },
      { content: [{ text: 'done' }] },
    ]);
  });

  test('[QM-08, QM-12, B-011] are listed, switched off and on, added and taken away', async () => {
    const mul = tool('mul', '', { a: z.number(), b: z.number() }, ({ a, b }) => `${a * b}`);
    const seen: unknown[] = [];
    await ask(['ok'], { ...calc({ ...add, annotations: { readOnlyHint: true } }) }, async (run, lines) => {
      await eventually(() => lines.some(({ type }) => type === 'result'));
      seen.push(await run.mcpServerStatus());
      await run.toggleMcpServer('calc', false);
      seen.push((await run.mcpServerStatus()).map(({ status }) => status));
      await run.toggleMcpServer('calc', true);
      await run.reconnectMcpServer('calc');
      await expect(run.reconnectMcpServer('nope')).rejects.toThrow('Server not found: nope');
      const more = createSdkMcpServer({ name: 'more', version: '2.0.0', tools: [mul] });
      seen.push(await run.setMcpServers({ more, calc: more }));
      seen.push((await run.mcpServerStatus()).map(({ name, status }) => [name, status]));
      seen.push(await run.setMcpServers({}));
    });
    expect(seen).toEqual([
      [
        {
          name: 'calc',
          status: 'connected',
          serverInfo: { name: 'calc', version: '1.0.0' },
          config: { type: 'sdk', name: 'calc' },
          transport: 'sdk',
          scope: 'dynamic',
          source: 'sdk',
          tools: [{ name: 'add', annotations: { readOnly: true } }],
        },
      ],
      ['disabled'],
      { added: ['more'], removed: [], errors: { calc: expect.stringContaining('from the start') } },
      [
        ['calc', 'connected'],
        ['more', 'connected'],
      ],
      { added: [], removed: ['more'], errors: {} },
    ]);
  });

  test('[C-1, C-4] of a server that fails are missed by nobody else', async () => {
    const mcpServers: Options['mcpServers'] = {
      odd: createSdkMcpServer({
        name: 'odd',
        tools: [tool('x', '', { type: 'object', properties: { a: { type: 'banana' } } }, () => '')],
      }),
      'my.calc': createSdkMcpServer({ name: 'calc', tools: [add, { ...add, name: 'a.b' }, { ...add, name: 'a_b' }] }),
      far: { type: 'http', url: 'http://127.0.0.1:1/mcp' },
    };
    const script = [toolUse('mcp__my_calc__a_b', { a: 1, b: 1 }), 'ok'];
    const { lines } = await ask(script, { mcpServers, allowedTools: ['mcp__my.calc'] });
    expect(lines[0]).toMatchObject({
      mcp_servers: [
        { name: 'odd', status: 'failed' },
        { name: 'my.calc', status: 'connected' },
        { name: 'far', status: 'failed' },
      ],
    });
    const names = toolsOf(lines).filter((name) => name.startsWith('mcp__'));
    expect(names).toEqual(['mcp__my_calc__add', 'mcp__my_calc__a_b']);
    expect(resultsIn(lines)).toMatchObject([{ content: [{ text: '2' }] }]);
  });

  test('[C-3, K34] whose result is huge are cut before the model sees it', async () => {
    const flood = tool('flood', '', {}, () => 'x'.repeat(3_000_000));
    const { lines, requests } = await ask([toolUse('mcp__calc__flood', {}), 'ok'], { ...calc(flood), ...allowed });
    expect(JSON.stringify(requests[1]?.body.messages).length).toBeLessThan(110_000);
    expect(Math.max(...lines.map((line) => JSON.stringify(line).length))).toBeLessThan(1_000_000);
    expect(JSON.stringify(resultsIn(lines))).toContain('the whole output is in');
  });

  test('one server serves several queries, side by side and one after the other', async () => {
    const shared = { ...calc(add), ...allowed };
    const runs = await Promise.all([ask(adding, shared), ask(adding, shared)]);
    for (const { lines } of [...runs, await ask(adding, shared)]) {
      expect(resultsIn(lines)).toMatchObject([{ content: [{ text: '5' }] }]);
    }
  });
});
