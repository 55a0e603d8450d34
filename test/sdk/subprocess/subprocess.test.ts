import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import type { Options } from '../../../src/sdk/options/options.ts';
import { subprocess } from '../../../src/sdk/subprocess/subprocess.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { Transport } from '../../../src/wire/link/transport.ts';
import type { Launch } from '../../../src/wire/run-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-subprocess-'));
const open: Transport[] = [];

afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((transport) => transport.close()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A transport to a child that runs this script. */
function child(source: string, launch: Partial<Launch> = {}, options: Options = {}): Transport {
  const path = join(folder, `child-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(path, source);
  return agent({ ...options, pathToClaudeCodeExecutable: path }, launch);
}

function agent(options: Options, launch: Partial<Launch> = {}): Transport {
  const transport = subprocess(options)({ config: {}, ...launch });
  open.push(transport);
  return transport;
}

async function firstLine(transport: Transport): Promise<JsonObject> {
  for await (const line of transport.readMessages()) return line as JsonObject;
  throw new Error('no line');
}

const say = (expression: string) => `console.log(JSON.stringify(${expression}));`;
const STAY = 'setInterval(() => {}, 1000);';

describe('the start', () => {
  test('[TRN-09] the script runs on node, with its arguments, the flags and the extra flags', async () => {
    const options: Options = { executableArgs: ['--no-warnings'], extraArgs: { 'task-budget': '-5', ide: null } };
    const transport = child(
      say('{ argv: process.argv.slice(2), exec: process.execArgv }'),
      { config: { outputFormat: 'stream-json', verbose: true, model: '-x' } },
      options,
    );
    await transport.connect();
    expect(await firstLine(transport)).toEqual({
      exec: ['--no-warnings'],
      argv: ['--output-format', 'stream-json', '--verbose', '--model=-x', '--task-budget=-5', '--ide'],
    });
  });

  test('[K8, B-032] env replaces the environment; the entrypoint and the version are always set', async () => {
    const transport = child(say('process.env'), { env: { ONLY: 'this' } });
    await transport.connect();
    const env = await firstLine(transport);
    expect(env).toMatchObject({ ONLY: 'this', CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' });
    expect(env.CLAUDE_AGENT_SDK_VERSION).toMatch(/^\d+\.\d+\.\d+/);
    expect(env).not.toHaveProperty('HOME');
  });

  test('it runs in the directory of the launch', async () => {
    const transport = child(say('{ cwd: process.cwd() }'), { cwd: '/' });
    await transport.connect();
    expect(await firstLine(transport)).toEqual({ cwd: '/' });
  });

  const nowhere = () => join(folder, 'nowhere');
  test.each([
    [
      'in our own words',
      'pathToHeddleExecutable',
      'Heddle not found: PATH (correct options.pathToHeddleExecutable, or',
    ],
    ['in those that hosts of the reference compare', 'pathToClaudeCodeExecutable', 'Claude Code not found: PATH'],
  ] as const)(
    '[ERR-01, P5, P10] an executable that is not there is told with its path, %s',
    async (_, option, text) => {
      const transport = agent({ [option]: nowhere() });
      await expect(transport.connect()).rejects.toMatchObject({
        code: 'cli_not_found',
        message: expect.stringContaining(text.replace('PATH', nowhere())),
      });
      expect(transport.isReady()).toBe(false);
      expect(await transport.exit).toMatchObject({ code: null, signal: null });
      await transport.close();
    },
  );

  test('[ERR-02] one that may not be run is a connection error', async () => {
    const path = join(folder, 'no-permission');
    writeFileSync(path, '#!/bin/sh\n', { mode: 0o600 });
    await expect(agent({ pathToClaudeCodeExecutable: path }).connect()).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringMatching(/^Connection error: .*EACCES/),
    });
  });

  test.each([
    ['too long', 'x'.repeat(3_000_000)],
    ['impossible', 'a\0b'],
  ])('[ERR-02] arguments that are %s are a connection error', async (_, systemPrompt) => {
    const transport = child('', { config: { systemPrompt } });
    await expect(transport.connect()).rejects.toMatchObject({ code: 'connection_failed' });
    expect(await transport.exit).toMatchObject({ code: null });
  });

  test('a directory that is not there is an invalid option, not a missing executable', async () => {
    const cwd = join(folder, 'no-such-folder');
    await expect(child('', { cwd }).connect()).rejects.toMatchObject({
      code: 'invalid_option',
      message: `options.cwd does not exist: ${cwd}`,
    });
  });

  test('[ERR-03] nothing works before connect, but close', async () => {
    const transport = child(STAY);
    expect(transport.isReady()).toBe(false);
    await expect(transport.write({})).rejects.toMatchObject({ code: 'not_connected' });
    expect(() => transport.readMessages()).toThrow(expect.objectContaining({ code: 'not_connected' }));
    expect(await transport.close()).toMatchObject({ code: null });
    expect(await transport.exit).toMatchObject({ code: null });
  });
});

describe('the end', () => {
  test('[TRN-05, TRN-06] a child that was killed is not ready, and its signal is told', async () => {
    const transport = child('process.kill(process.pid, "SIGKILL")');
    await transport.connect();
    expect(await transport.exit).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(transport.isReady()).toBe(false);
  });

  test('[TRN-04] a child that ends with its input exits by itself', async () => {
    const transport = child('process.stdin.resume().on("end", () => process.exit(4))');
    await transport.connect();
    transport.endInput();
    expect(await transport.exit).toEqual({ code: 4, signal: null, stderr: '' });
  });

  test('[TRN-05] close kills a child that does not end on SIGTERM', async () => {
    const transport = child(`process.on('SIGTERM', () => {}); ${say('{ pid: process.pid }')} ${STAY}`);
    await transport.connect();
    const { pid } = await firstLine(transport);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const closing = transport.close();
    expect(process.kill(Number(pid), 0)).toBe(true);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await closing).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  test('a process that the agent left behind does not hold up its exit, nor close', async () => {
    const transport = child(`
      import { spawn } from 'node:child_process';
      const left = spawn(process.execPath, ['-e', ${JSON.stringify(STAY)}], { stdio: 'inherit', detached: true });
      ${say('{ pid: left.pid }')}
      process.exit(3);`);
    await transport.connect();
    const lines = transport.readMessages()[Symbol.asyncIterator]();
    const first = await lines.next();
    try {
      expect(await transport.exit).toMatchObject({ code: 3 });
      const next = lines.next();
      await transport.close();
      expect(await next).toEqual({ done: true, value: undefined });
    } finally {
      process.kill(Number((first.value as JsonObject).pid), 'SIGKILL');
    }
  });

  test('[ERR-04] stderr reaches the callback whole; its last part is kept', async () => {
    let told = '';
    const transport = child('process.stderr.write("x".repeat(100_000) + "é last words\\n"); process.exitCode = 1;', {
      stderr: (text) => {
        told += text;
      },
    });
    await transport.connect();
    const exit = await transport.exit;
    expect(told).toBe(`${'x'.repeat(100_000)}é last words\n`);
    expect(exit.stderr.length).toBeLessThanOrEqual(4096);
    expect(exit.stderr).toMatch(/x é last words\n$|xé last words\n$/);
  });

  test('lines of a child that has exited long ago are still there', async () => {
    const transport = child(`${say('{ n: 1 }')} ${say('{ n: 2 }')}`);
    await transport.connect();
    await vi.waitUntil(() => !transport.isReady(), 10_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const lines: unknown[] = [];
    for await (const line of transport.readMessages()) lines.push(line);
    expect(lines).toEqual([{ n: 1 }, { n: 2 }]);
  });
});
