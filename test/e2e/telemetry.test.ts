import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { ROOT } from '../support/root.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const CANARY = 'canary-in-a-coal-mine';

interface Span {
  name: string;
  parent?: string;
  traceId: string;
  spanId: string;
  attributes: Record<string, unknown>;
}

/** As users do it: a file that registers a provider is loaded first. */
function tracedEnv(place: Place, more: Record<string, string> = {}): Record<string, string> {
  const registers = pathToFileURL(join(ROOT, 'test/support/spans-to-file.mjs')).href;
  return {
    HEDDLE_TELEMETRY: '1',
    NODE_OPTIONS: `--import ${registers}`,
    SPANS_FILE: join(place.root, 'spans'),
    TRACEPARENT: `00-${TRACE}-${PARENT}-01`,
    ...more,
  };
}

function spansOf(place: Place): Span[] {
  const lines = readFileSync(join(place.root, 'spans'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Span);
}

const named = (spans: Span[], start: string) => spans.find(({ name }) => name.startsWith(start));
const running = (command: string): AnswerLike[] => [toolUse('Bash', { command }), 'Done.'];

describe('HEDDLE_TELEMETRY', () => {
  test('[B-240] the spans of a run join the trace of TRACEPARENT, and tell nothing that was said', async () => {
    const place = await makePlace(running(`echo ${CANARY}; echo "$TRACEPARENT" > told`));
    const args = ['-p', `Say ${CANARY}`, '--allowedTools', 'Bash'];
    expect(await runCli(args, { place, env: tracedEnv(place) })).toMatchObject({
      code: 0,
      stdout: 'Done.\n',
      stderr: '',
    });
    const spans = spansOf(place);
    const turn = named(spans, 'invoke_agent heddle');
    expect(turn).toMatchObject({ traceId: TRACE, parent: PARENT });
    for (const span of spans.filter((each) => each !== turn)) {
      expect(span).toMatchObject({ traceId: TRACE, parent: turn?.spanId });
    }
    expect(spans.map(({ name }) => name.split(' ')[0])).toEqual(['chat', 'execute_tool', 'chat', 'invoke_agent']);
    expect(named(spans, 'chat')?.attributes).toMatchObject({ 'gen_ai.provider.name': 'anthropic' });
    expect(JSON.stringify(spans)).not.toContain(CANARY);
    const call = named(spans, 'execute_tool')?.spanId;
    expect(readFileSync(join(place.cwd, 'told'), 'utf8')).toBe(`00-${TRACE}-${call}-01\n`);
  });

  test('HEDDLE_TELEMETRY_CONTENT adds what was said', async () => {
    const place = await makePlace(['Hi.']);
    const env = tracedEnv(place, { HEDDLE_TELEMETRY_CONTENT: '1' });
    await runCli(['-p', `Say ${CANARY}`], { place, env });
    expect(named(spansOf(place), 'chat')?.attributes['gen_ai.input.messages']).toContain(CANARY);
  });

  test('without it nothing is traced', async () => {
    const place = await makePlace(['Hi.']);
    const env = tracedEnv(place, { HEDDLE_TELEMETRY: '0' });
    expect(await runCli(['-p', 'hi'], { place, env })).toMatchObject({ code: 0, stdout: 'Hi.\n' });
    expect(existsSync(join(place.root, 'spans'))).toBe(false);
  });

  test('through the SDK the environment is all it takes', async () => {
    const place = await makePlace(['Hi.']);
    const env = { ...place.env, ...tracedEnv(place) };
    for await (const _ of sdk.query({ prompt: 'hi', options: { cwd: place.cwd, env } }));
    expect(named(spansOf(place), 'invoke_agent')).toMatchObject({ traceId: TRACE, parent: PARENT });
  });

  test('a missing package is said once, and the run goes on', async () => {
    const place = await makePlace(['Hi.']);
    const dist = join(place.root, 'dist');
    cpSync(join(ROOT, 'dist'), dist, {
      recursive: true,
      filter: (path) => !/\/(types|meta\.json)$|\.wasm\.gz$/.test(path),
    });
    writeFileSync(join(place.root, 'package.json'), '{ "type": "module" }');
    const env = { ...place.env, HEDDLE_TELEMETRY: '1' };
    const start = [join(dist, 'heddle.cjs'), '-p', 'hi'];
    expect(await promisify(execFile)(process.execPath, start, { cwd: place.cwd, env })).toEqual({
      stdout: 'Hi.\n',
      stderr: 'heddle: Telemetry is off: the package @opentelemetry/api is not installed beside heddle\n',
    });
  });
});

describe('who works for a call is told which one', () => {
  test('hooks, by their environment', async () => {
    const place = await makePlace(running('true'));
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo "$TRACEPARENT" > told' }] }] };
    const args = ['-p', 'go', '--allowedTools', 'Bash', '--settings', JSON.stringify({ hooks })];
    await runCli(args, { place, env: tracedEnv(place) });
    const turn = named(spansOf(place), 'invoke_agent')?.spanId;
    expect(readFileSync(join(place.cwd, 'told'), 'utf8')).toBe(`00-${TRACE}-${turn}-01\n`);
  });

  test('MCP servers, with each call', async () => {
    const place = await makePlace((_request, index) => (index % 2 === 0 ? toolUse('mcp__own__meta', {}) : 'Done.'));
    const server = join(place.root, 'server.mjs');
    writeFileSync(server, META_SERVER);
    const told = join(place.root, 'told');
    const own = { command: process.execPath, args: [server, told] };
    const servers = ['--mcp-config', JSON.stringify({ mcpServers: { own } }), '--allowedTools', 'mcp__own'];
    await runCli(['-p', 'go', ...servers], { place, env: tracedEnv(place, { TRACESTATE: 'shop=1' }) });
    const call = named(spansOf(place), 'execute_tool mcp__own__meta');
    expect(call?.attributes).toMatchObject({ 'gen_ai.tool.type': 'extension' });
    const meta = { traceparent: `00-${TRACE}-${call?.spanId}-01`, tracestate: 'shop=1' };
    expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject(meta);

    await runCli(['-p', 'go', ...servers], { place, env: tracedEnv(place, { HEDDLE_TELEMETRY: '0' }) });
    expect(JSON.parse(readFileSync(told, 'utf8'))).not.toHaveProperty('traceparent');
  });
});

/** Has one tool, which writes the `_meta` of its call to a file. */
const META_SERVER = `
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'meta', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'meta', description: '', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ _meta }) => {
    writeFileSync(process.argv[2], JSON.stringify(_meta));
    return { content: [{ type: 'text', text: 'written' }] };
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params ?? {});
  if (id !== undefined && result) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;
