import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { type RunningCli, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { isResult, kindOf, textsOf, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { cpuTicks, descendantsOf, eventually, isAlive, peakMegabytes, stateOf } from '../support/processes.ts';
import { leaveReader } from '../support/reader-gone.ts';
import { conversationText } from '../support/requests.ts';

const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });
const ALLOWED = ['--allowedTools', 'Bash'];
const hangs = reply([text('begun')], { fault: { after: { block: 0 }, how: 'hang' } });

const STACK_TRACE = /^\s+at .*:\d+:\d+/m;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const signals = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];

describe('signals', () => {
  test.each(signals)('[K6, H-8] %s during an answer: a result, then the exit code', async (signal) => {
    const place = await makePlace([hangs]);
    const cli = startCli([...STREAM_OUT, '--include-partial-messages', 'hi'], { place });
    await cli.next((line) => kindOf(line) === 'content_block_delta');
    const { code, ms } = await endWith(cli, signal);
    expect(code).toBe(EXIT_CODES[signal]);
    expect(cli.lines.at(-1)).toMatchObject({ type: 'result', is_error: true, terminal_reason: 'aborted_streaming' });
    expect(ms).toBeLessThan(5000);
  });

  test.each(signals)('[K6, H-8] %s during a tool: its result, the turn’s result, the exit code', async (signal) => {
    const place = await makePlace([bash('touch started; sleep 600')]);
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    cli.say('go');
    await eventually(() => existsSync(join(place.cwd, 'started')));
    const { code, ms } = await endWith(cli, signal);
    expect(code).toBe(EXIT_CODES[signal]);
    expect(cli.lines.map(kindOf).slice(-4)).toEqual(['assistant', 'user', 'user', 'result/error_during_execution']);
    expect(cli.lines.at(-1)).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(ms).toBeLessThan(5000);
  });

  test('[K6, H-8] SIGTERM between turns ends it at once, and says nothing more', async () => {
    const place = await makePlace(['Hello.']);
    const cli = startCli(STREAM_BOTH, { place });
    cli.say('hi');
    await cli.nextResult();
    const { code, ms } = await endWith(cli, 'SIGTERM');
    expect(code).toBe(143);
    expect(cli.lines.map(kindOf)).toEqual(['system/init', 'assistant', 'result/success']);
    expect(ms).toBeLessThan(2000);
  });

  test('[H-8] a tool that ignores signals does not hold the exit', async () => {
    const place = await makePlace([bash(`trap '' TERM INT HUP; touch started; while :; do sleep 600; done`)]);
    const cli = startCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
    await eventually(() => existsSync(join(place.cwd, 'started')));
    const { code, ms } = await endWith(cli, 'SIGTERM');
    expect(code).toBe(143);
    expect(cli.lines.at(-1)?.type).toBe('result');
    expect(ms).toBeLessThan(5000);
  });
});

test('[H-8] what reads shell commands does no work that would hold the exit', async () => {
  const place = await makePlace([bash('for word in one two; do echo "$word" | cat; done'), 'ok']);
  const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
  cli.say('go');
  await cli.nextResult();
  const before = cpuTicks(cli.pid);
  for (let last = -1; cpuTicks(cli.pid) - last > 1; await sleep(500)) last = cpuTicks(cli.pid);
  expect(cpuTicks(cli.pid) - before).toBeLessThan(20);
});

describe('stdout', () => {
  /** Asks for another tool call for ever: only the runtime can end this. */
  const endless = () => bash('true');

  test.each([
    ['print', [...STREAM_OUT, 'go', ...ALLOWED]],
    ['protocol', [...STREAM_BOTH, ...ALLOWED]],
  ])('[P-15] %s: nobody reads any more, so it stops spending', async (mode, args) => {
    const place = await makePlace(endless);
    const cli = startCli(args, { place });
    if (mode === 'protocol') cli.say('go');
    await eventually(() => place.api.requests.length >= 2);
    const { code, ms, requests, left } = await leaveReader(cli, place);
    expect(ms).toBeLessThan(5000);
    expect(requests).toBeLessThanOrEqual(5);
    expect(left).toEqual([]);
    expect(code).not.toBe(0);
    expect(cli.stderr).not.toMatch(STACK_TRACE);
  });

  test.each([
    ['text', ['-p', 'go']],
    ['json', ['-p', 'go', '--output-format', 'json']],
    ['stream-json', [...STREAM_OUT, 'go']],
    ['protocol', STREAM_BOTH],
  ])('[P-15, P-19] %s: an answer that nobody took is no success', async (mode, args) => {
    const place = await makePlace([reply([text('unheard')], { waitMs: 100 })]);
    const cli = startCli(args, { place });
    if (mode === 'protocol') cli.say('go');
    cli.endInput();
    await eventually(() => place.api.requests.length === 1);
    cli.child.stdout?.destroy();
    const { code, stderr } = await cli.finished;
    expect(code).toBe(1);
    expect(stderr).not.toMatch(STACK_TRACE);
  });

  test.each([
    ['print', (flags: string[]) => [...STREAM_OUT, 'go', ...flags]],
    ['protocol', (flags: string[]) => [...STREAM_BOTH, ...flags]],
  ])('[P-16, P-19] %s: a slow reader gets every byte of a large answer', async (mode, argsWith) => {
    const piece = 'weft and warp, '.repeat(700);
    const pieces = Array.from({ length: 800 }, (_, at) => `${at} ${piece}`);
    const place = await makePlace([reply([text(...pieces)])]);
    const cli = startCli(argsWith(['--include-partial-messages']), { place });
    if (mode === 'protocol') cli.say('go');
    cli.endInput();
    cli.child.stdout?.pause();
    await eventually(() => place.api.requests.length === 1);
    await sleep(1000);
    const peak = peakMegabytes(cli.pid);
    cli.child.stdout?.resume();
    const { code, lines } = await cli.finished;
    expect(code).toBe(0);
    expect(lines.filter(({ event }) => event?.type === 'content_block_delta').length).toBe(pieces.length);
    expect(lines.at(-1)?.result === pieces.join('')).toBe(true);
    expect(peak).toBeLessThan(400);
  });

  test('[P-19] text: a large answer is whole, too', async () => {
    const answer = 'x'.repeat(3_000_000);
    const place = await makePlace([answer]);
    const cli = startCli(['-p', 'go'], { place });
    cli.endInput();
    cli.child.stdout?.pause();
    await sleep(500);
    cli.child.stdout?.resume();
    const { code, stdout } = await cli.finished;
    expect([code, stdout === `${answer}\n`]).toEqual([0, true]);
  });
});

describe('children', () => {
  /** Ways to stay behind; each writes its pid to a file of its name. */
  const loads = {
    background: `sh -c 'echo $$ > background; exec sleep 600'`,
    nohup: `nohup sh -c 'echo $$ > nohup; exec sleep 600'`,
    setsid: `setsid sh -c 'echo $$ > setsid; exec sleep 600'`,
    deaf: `sh -c 'trap "" TERM INT HUP; echo $$ > deaf; while :; do sleep 600; done'`,
    scrubbed: `env -i sh -c 'echo $$ > scrubbed; exec sleep 600'`,
    daemon: `setsid sh -c '(trap "" TERM; cd /; sleep 600; :) & echo $! > daemon'`,
    untagged: `(env -i setsid sh -c 'echo $$ > untagged; exec sleep 600' &)`,
  };
  const names = Object.keys(loads);
  const startLoads = Object.values(loads)
    .map((load) => `${load} > /dev/null 2>&1 &`)
    .join('\n');

  async function pidsOf(place: Place): Promise<number[]> {
    const read = (name: string) => Number(existsSync(join(place.cwd, name)) && readFileSync(join(place.cwd, name)));
    await eventually(() => names.every((name) => read(name) > 0));
    return names.map(read);
  }

  test('[H-3] nothing that a command left behind outlives a normal exit', async () => {
    const place = await makePlace([bash(startLoads), 'Left something.']);
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    cli.say('go');
    const pids = await pidsOf(place);
    await cli.nextResult();
    expect(pids.map(isAlive)).toEqual(names.map(() => true)); // the session still runs, and so do they
    cli.endInput();
    expect((await cli.finished).code).toBe(0);
    expect(names.filter((_, at) => isAlive(pids[at] ?? 0))).toEqual([]);
  });

  test.each(signals)('[H-1] nor %s', async (signal) => {
    const place = await makePlace([bash(startLoads), bash('sleep 600')]);
    const cli = startCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
    const pids = await pidsOf(place);
    await eventually(() => place.api.requests.length === 2);
    await endWith(cli, signal);
    expect(names.filter((_, at) => isAlive(pids[at] ?? 0))).toEqual([]);
  });

  test('[H-2] nor SIGKILL', async () => {
    const place = await makePlace([bash(startLoads), bash('touch started; sleep 600')]);
    const cli = startCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
    const pids = await pidsOf(place);
    await eventually(() => existsSync(join(place.cwd, 'started')));
    const all = [...pids, ...descendantsOf(cli.pid)];
    await endWith(cli, 'SIGKILL');
    await eventually(() => !all.some(isAlive), 6000);
  });

  test('[H-6] a tool that reads stdin gets end-of-file, not the protocol', async () => {
    const place = await makePlace([bash('cat; echo after'), 'ok']);
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    cli.say('go');
    const line = await cli.next(({ type }) => type === 'user');
    expect(textsOf(line.message)).toEqual(['after']);
    await cli.nextResult();
  });

  test('[H-7] a daemon that holds its output open does not hold the turn', async () => {
    const place = await makePlace([bash('echo hello; sleep 600 & exit 0'), 'ok']);
    const started = Date.now();
    const { code, lines } = await runCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
    expect(Date.now() - started).toBeLessThan(5000);
    expect(code).toBe(0);
    expect(textsOf(lines.find(({ type }) => type === 'user')?.message)[0]).toMatch(/^hello\n.*still running/);
  });

  test('[H-4] a time-out kills the whole tree, and the turn goes on', async () => {
    const place = await makePlace([bash(`${startLoads}\nsleep 600`, { timeout: 800 }), 'So be it.']);
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    cli.say('go');
    const pids = await pidsOf(place);
    expect(await cli.nextResult()).toMatchObject({ subtype: 'success', result: 'So be it.' });
    expect(names.filter((_, at) => isAlive(pids[at] ?? 0))).toEqual([]);
    expect(conversationText(place.api.requests[1])).toMatch(/timeout/);
  });

  test('[H-5] twenty tools leave no zombies', async () => {
    const place = await makePlace((_request, index) => (index < 10 ? [bash('true'), bash('echo x | cat')] : 'ok'));
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    cli.say('go');
    await cli.nextResult();
    expect(cli.lines.filter((line) => toolResult(line)).length).toBe(20);
    expect(descendantsOf(cli.pid).map(stateOf)).not.toContain('Z');
  });

  test('[R-15, G4] the credentials of the runtime are not in the environment of tools', async () => {
    const secrets = {
      ANTHROPIC_API_KEY: 'secret-api-key',
      ANTHROPIC_AUTH_TOKEN: 'secret-token',
      ANTHROPIC_CUSTOM_HEADERS: 'X-Key: secret-header',
      CLAUDE_CODE_OAUTH_TOKEN: 'secret-oauth',
      OPENAI_API_KEY: 'secret-openai',
    };
    const place = await makePlace([bash('env; cat /proc/self/environ'), 'ok']);
    const env = { ...secrets, VISIBLE: 'yes' };
    const { lines } = await runCli([...STREAM_OUT, 'go', ...ALLOWED], { place, env });
    const [output = ''] = textsOf(lines.find(({ type }) => type === 'user')?.message);
    expect(output).toContain('VISIBLE=yes');
    expect(output).not.toMatch(/secret-/);
    expect(lines.filter(isResult).length).toBe(1);
  });
});

async function endWith(cli: RunningCli, signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }> {
  const started = Date.now();
  cli.kill(signal);
  const { code } = await cli.finished;
  return { code, ms: Date.now() - started };
}
