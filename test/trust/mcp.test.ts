import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';
import { ROOT } from '../support/root.ts';
import { figure } from './figures.ts';
import { tally } from './tally.ts';

const ODD = join(ROOT, 'test/support/odd-mcp-server.mjs');
const odd = (...args: string[]) => ({ command: process.execPath, args: [ODD, ...args] });
const config = (mcpServers: object) => ['--mcp-config', JSON.stringify({ mcpServers })];
const resultsIn = (lines: Line[]) => lines.flatMap((line) => toolResult(line) ?? []);
const toolsIn = ([init]: Line[]) => ((init?.tools ?? []) as string[]).filter((name) => name.startsWith('mcp__'));
const statusesIn = ([init]: Line[]) =>
  Object.fromEntries(
    ((init?.mcp_servers ?? []) as { name: string; status: string }[]).map((each) => [each.name, each.status]),
  );

/** The good server has added 2 and 3. */
const goodFaults = (lines: Line[]) =>
  JSON.stringify(resultsIn(lines).at(-1)?.content) === JSON.stringify([{ type: 'text', text: '5' }])
    ? []
    : [JSON.stringify(resultsIn(lines).at(-1))];

/** A run with a good server beside the odd ones, which calls an odd one and then the good one. */
async function run(servers: Record<string, object>, script: AnswerLike[], env: Record<string, string> = {}) {
  const place = await makePlace([...script, toolUse('mcp__good__add', { a: 2, b: 3 }), 'Done.']);
  const names = [...Object.keys(servers), 'good'].map((name) => `mcp__${name}`).join(',');
  const args = [...STREAM_OUT, 'go', ...config({ ...servers, good: odd() }), '--allowedTools', names];
  const started = Date.now();
  const finished = await runCli(args, { place, env });
  return { ...finished, place, ms: Date.now() - started };
}

describe('[C-1] whatever a server does, the session goes on and the others work', () => {
  const check = tally(['C-1'], 'sessions with a broken server', 'in which the good one did not work');

  test.each([
    ['crash-start', 'failed'],
    ['crash-list', 'failed'],
    ['garbage', 'connected'],
    ['stderr-flood', 'connected'],
    ['crash-call', 'connected'],
  ])('%s', async (mode, status) => {
    const script = status === 'connected' ? [toolUse('mcp__odd__add', { a: 1, b: 1 })] : [];
    const { lines, code } = await run({ odd: odd(mode) }, script);
    expect(statusesIn(lines)).toEqual({ odd: status, good: 'connected' });
    check(goodFaults(lines));
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(code).toBe(0);
  });

  test('a missing command, and a port where nobody listens', async () => {
    const far = { type: 'http', url: 'http://127.0.0.1:1/mcp' };
    const { lines } = await run({ none: { command: '/no/such/bin' }, far, older: { ...far, type: 'sse' } }, []);
    expect(statusesIn(lines)).toEqual({ none: 'failed', far: 'failed', older: 'failed', good: 'connected' });
    check(goodFaults(lines));
  });

  test('one that crashes at every call is given up in the end, and that is said', async () => {
    const calls = Array.from({ length: 7 }, () => toolUse('mcp__odd__add', { a: 1, b: 1 }));
    const { lines, stderr } = await run({ odd: odd('crash-call') }, calls);
    expect(stderr).toContain('given up after 5 attempts');
    check(goodFaults(lines));
  });
});

describe('[C-2] time is bounded', () => {
  test('a server that never answers holds up the start by MCP_TIMEOUT and no more', async () => {
    const { lines, ms } = await run({ mute: odd('mute') }, [], { MCP_TIMEOUT: '1500' });
    expect(statusesIn(lines)).toEqual({ mute: 'failed', good: 'connected' });
    figure('C-2', `a mute server with MCP_TIMEOUT=1500: the whole run in ${ms} ms`);
    expect(ms).toBeLessThan(1500 + 2000 + 2000); // the limit, the grace, and a run on a busy machine
  });

  test('a call that never ends is ended by MCP_TOOL_TIMEOUT', async () => {
    const { lines } = await run({ odd: odd('hang-call') }, [toolUse('mcp__odd__add', {})], { MCP_TOOL_TIMEOUT: '500' });
    expect(resultsIn(lines)[0]).toMatchObject({ is_error: true, content: expect.stringContaining('within 500 ms') });
  });

  test('20 servers, 5 of them broken: the start takes no longer than the limit, and all good ones work', async () => {
    const broken = ['crash-start', 'crash-list', 'mute', 'mute'].map((mode, at) => [`bad${at}`, odd(mode)] as const);
    const fine = Array.from({ length: 15 }, (_, at) => [`s${at}`, odd()] as const);
    const servers = Object.fromEntries([...broken, ['bad4', { command: '/no/such/bin' }] as const, ...fine]);
    const place = await makePlace([...fine.map(([name]) => toolUse(`mcp__${name}__add`, { a: 2, b: 3 })), 'Done.']);
    const limit = 5000;
    const cli = startCli(
      [...STREAM_OUT, 'go', ...config(servers), '--allowedTools', fine.map(([name]) => `mcp__${name}`).join(',')],
      {
        place,
        env: { MCP_TIMEOUT: String(limit) },
      },
    );
    cli.endInput();
    const started = Date.now();
    await cli.next(({ subtype }) => subtype === 'init');
    const ms = Date.now() - started;
    figure('C-2', `20 servers, 5 of them broken, with MCP_TIMEOUT=${limit}: begun after ${ms} ms`);
    expect(ms).toBeLessThan(limit + 2000);
    const { lines } = await cli.finished;
    expect(Object.values(statusesIn(lines)).filter((status) => status === 'connected')).toHaveLength(15);
    expect(resultsIn(lines).map(({ content }) => content)).toEqual(fine.map(() => [{ type: 'text', text: '5' }]));
  });
});

test('[C-3] of a result of 30 MB the model gets a part', async () => {
  const { place, lines } = await run({ odd: odd('huge-result') }, [toolUse('mcp__odd__add', {})]);
  const sent = JSON.stringify(place.api.requests[1]?.body).length;
  figure('C-3', `of 30 MB, ${Math.round(sent / 1000)} kB sent`);
  expect(sent).toBeLessThan(3_000_000);
  expect(lines.at(-1)).toMatchObject({ subtype: 'success' });
});

test('[C-4] names are valid and unique, and no server takes the place of a built-in tool', async () => {
  const { place, lines } = await run({ odd: odd('evil-names') }, []);
  const tools = (place.api.requests[0]?.body.tools ?? []) as { name: string; description: string }[];
  const names = tools.map(({ name }) => name);
  figure('C-4', `${names.length} names, ${names.length - new Set(names).size} doubles`);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))).toEqual([]);
  expect(tools.find(({ name }) => name === 'Bash')?.description).not.toContain('evil');
  expect(toolsIn(lines)).toContain('mcp__odd__Bash');
});

describe('[C-5] nothing of a server is left', () => {
  const check = tally(['C-5'], 'ends', 'with something left');
  const pidsIn = (place: Place) => readFileSync(join(place.cwd, 'pids'), 'utf8').trim().split('\n').map(Number);
  const stubborn = (place: Place, mode: string) =>
    config({ odd: { ...odd(mode), env: { PID_FILE: join(place.cwd, 'pids') } } });

  test.each(['ok', 'stubborn', 'family'])('after the end of the run: %s', async (mode) => {
    const place = await makePlace(['ok']);
    await runCli([...STREAM_OUT, 'go', ...stubborn(place, mode)], { place });
    check(pidsIn(place).filter(isAlive));
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('when the runtime gets %s', async (signal) => {
    const place = await makePlace(['ok']);
    const cli = startCli([...STREAM_BOTH, ...stubborn(place, 'stubborn')], { place });
    await eventually(() => existsSync(join(place.cwd, 'pids')));
    await cli.control({ subtype: 'mcp_status' });
    cli.kill(signal);
    await cli.finished;
    await eventually(() => !pidsIn(place).some(isAlive));
    check(pidsIn(place).filter(isAlive));
  });

  test('after it was switched off, or removed', async () => {
    const place = await makePlace(['ok']);
    const cli = startCli([...STREAM_BOTH, ...stubborn(place, 'family')], { place });
    await cli.control({ subtype: 'mcp_status' });
    await cli.control({ subtype: 'mcp_toggle', serverName: 'odd', enabled: false });
    check(pidsIn(place).filter(isAlive));
  });
});
