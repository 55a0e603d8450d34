import { describe, expect, test, vi } from 'vitest';
import { asTools } from '../../src/mcp/as-tool.ts';
import { McpTimeout } from '../../src/mcp/client.ts';
import type { ServerTool } from '../../src/mcp/connections.ts';
import { mcpToolName } from '../../src/mcp/tool-names.ts';
import { coversTool, parseRule } from '../../src/permissions/rules.ts';
import { readResult } from '../../src/tools/custom/tool-result-content.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import { type Tool, ToolError } from '../../src/tools/tool.ts';
import { createBench } from '../tools/bench.ts';

/** One pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const seams = {
  readResult,
  failure: (message: string, cause: unknown) => new ToolError(message, { cause }),
  timeoutMs: 500,
  maxResultChars: 1000,
};

function serverTool(
  name: string,
  call: ServerTool['call'] = async () => ({ content: [] }),
  server = 'calc',
): ServerTool {
  const info = { name, description: 'd', inputSchema: { type: 'object' }, annotations: {}, alwaysLoad: false };
  return { server, source: 'project', info, call };
}

const first = (tool: ServerTool) => asTools([tool], seams, () => {})[0] as Tool;

describe('[C-4] names', () => {
  test.each([
    ['calc', 'add', 'mcp__calc__add'],
    ['my.calc', 'a b/ü', 'mcp__my_calc__a_b__'],
    ['x', '', 'mcp__x__'],
  ])('%s and %s make %s', (server, tool, name) => {
    expect(mcpToolName(server, tool)).toBe(name);
  });

  test('that are long stay their own, and within what APIs take', () => {
    const names = ['a', 'b'].map((end) => mcpToolName('calc', 'x'.repeat(200) + end));
    for (const name of names) expect(name).toMatch(/^mcp__calc__x+_[0-9a-f]{8}$/);
    expect(names[0]).toHaveLength(128);
    expect(new Set(names).size).toBe(2);
  });

  test('that come out the same are used once, and told', () => {
    const twins: string[] = [];
    const tools = asTools([serverTool('a.b'), serverTool('a_b'), serverTool('c')], seams, (twin) => twins.push(twin));
    expect(tools.map(({ name }) => name)).toEqual(['mcp__calc__a_b', 'mcp__calc__c']);
    expect(twins).toEqual(['The tool a_b of the MCP server calc is left out: another one is mcp__calc__a_b, too']);
  });

  test('[R-18] a rule may be written as the server is called', () => {
    const parsed = parseRule('mcp__my.calc');
    const rule = 'rule' in parsed ? parsed.rule : null;
    expect(rule && coversTool(rule, mcpToolName('my.calc', 'add'), 'forbid')).toBe(true);
  });
});

describe('a tool of a server', () => {
  const bench = createBench();

  test('is asked for whatever it says of itself, and runs beside others when it only reads', () => {
    const plain = first(serverTool('add'));
    const base = serverTool('add');
    const reading = first({ ...base, info: { ...base.info, annotations: { readOnlyHint: true }, alwaysLoad: true } });
    expect(plain.access({}, bench.context.workspace)).toEqual({ kind: 'other' });
    expect(reading.access({}, bench.context.workspace)).toEqual({ kind: 'other' });
    expect([plain, reading].map((each) => [each.isConcurrencySafe({}), each.alwaysLoad])).toEqual([
      [false, undefined],
      [true, true],
    ]);
  });

  test('[B-200] has the time that its server has, and tells how far it is', async () => {
    const call = vi.fn<ServerTool['call']>(async () => ({ content: [] }));
    const onProgress = () => {};
    await first({ ...serverTool('add', call), timeoutMs: 7 }).run({}, { ...bench.context, onProgress });
    expect(call.mock.calls[0]?.[1]).toMatchObject({ timeoutMs: 7, onProgress });
    await first(serverTool('add', call)).run({}, bench.context);
    expect(call.mock.calls[1]?.[1]).toMatchObject({ timeoutMs: 500 });
  });

  test('[C-3] shows as many pictures as a request can carry', async () => {
    // A picture by its head, with as much behind it as one may have.
    const head = Buffer.from(PIXEL, 'base64');
    const data = Buffer.concat([head, Buffer.alloc(2_000_000)]).toString('base64');
    const content = Array.from({ length: 12 }, () => ({ type: 'image', data, mimeType: 'image/png' }));
    const { content: shown } = await first(serverTool('look', async () => ({ content }))).run({}, bench.context);
    const kinds = (shown as { type: string }[]).map(({ type }) => type);
    expect(kinds).toEqual(['image', ...Array.from({ length: 11 }, () => 'text')]);
  });

  test('leaves the check of its input to the server', () => {
    const { input } = first(serverTool('add'));
    expect(input.json).toEqual({ type: 'object' });
    expect(input.parse({ any: 1 })).toEqual({ ok: true, value: { any: 1 } });
    expect(input.parse('text')).toMatchObject({ ok: false });
  });

  test('is called by the name that the server knows', async () => {
    const call = vi.fn(async () => ({ content: [{ type: 'text', text: '5' }] }));
    const output = await first(serverTool('a.b', call)).run({ a: 1 }, bench.context);
    expect(output).toEqual({ content: [{ type: 'text', text: '5' }], data: [{ type: 'text', text: '5' }] });
    const request = { name: 'a.b', arguments: { a: 1 }, toolUseId: 'toolu_1' };
    expect(call).toHaveBeenCalledWith(request, { signal: bench.context.signal, timeoutMs: 500 });
  });

  test.each([
    [new McpTimeout('late'), 'mcp__calc__add did not answer within 500 ms'],
    [new Error('The connection closed'), 'The connection closed'],
  ])('that fails gives an error that the model reads: %s', async (error, message) => {
    const failing = first(serverTool('add', () => Promise.reject(error)));
    await expect(failing.run({}, bench.context)).rejects.toMatchObject({ name: 'ToolError', message });
  });

  test('[C-3] shows no more than its share of a result', async () => {
    const long = first(serverTool('add', async () => ({ content: [{ type: 'text', text: 'x'.repeat(5000) }] })));
    const { content } = (await createRegistry([long]).get(long.name)?.run({}, bench.context)) ?? {};
    expect(JSON.stringify(content).length).toBeLessThan(1500);
    expect(JSON.stringify(content)).toContain('of 5000 characters left out here');
    bench.dispose();
  });
});
