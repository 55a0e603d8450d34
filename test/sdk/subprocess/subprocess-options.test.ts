import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Options, SpawnedProcess, SpawnOptions } from '../../../src/sdk/index.ts';
import { query } from '../../../src/sdk/index.ts';
import { subprocess } from '../../../src/sdk/subprocess/subprocess.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import type { Transport } from '../../../src/wire/link/transport.ts';
import { eventually, isAlive } from '../../support/processes.ts';
import { RESULT } from '../../support/scripted-agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-subprocess-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A script, and the option that runs it. */
function script(source: string): { pathToHeddleExecutable: string } {
  const path = join(folder, `agent-${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(path, source);
  return { pathToHeddleExecutable: path };
}

async function connected(options: Options): Promise<Transport> {
  const transport = subprocess(options)({ config: {} });
  onTestFinished(async () => void (await transport.close()));
  await transport.connect();
  return transport;
}

async function firstLine(transport: Transport): Promise<JsonObject> {
  for await (const line of transport.readMessages()) return line as JsonObject;
  throw new Error('no line');
}

const STAY = 'setInterval(() => {}, 1000);';
const say = (expression: string) => `console.log(JSON.stringify(${expression}));`;

describe('close', () => {
  test('[TRN-05] ends the whole tree, also what left the group of the agent and ignores SIGTERM', async () => {
    const deaf = `process.on('SIGTERM', () => {}); console.log('ready'); ${STAY}`;
    const transport = await connected(
      script(`
        import { spawn } from 'node:child_process';
        const child = spawn(process.execPath, ['-e', ${JSON.stringify(deaf)}], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
        child.stdout.once('data', () => { ${say('{ pids: [process.pid, child.pid] }')} });
        ${STAY}`),
    );
    const pids = (await firstLine(transport)).pids as number[];
    expect(pids.every(isAlive)).toBe(true);
    await transport.close();
    await eventually(() => !pids.some(isAlive));
  });

  test('during the start ends what is being started', async () => {
    const transport = subprocess(script(STAY))({ config: {} });
    const starting = transport.connect();
    const exit = await transport.close();
    await starting;
    expect(exit).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect(transport.isReady()).toBe(false);
  });

  test('pid is known while it runs', async () => {
    const transport = subprocess(script(say('{ pid: process.pid }') + STAY))({ config: {} });
    expect(transport.pid).toBeUndefined();
    await transport.connect();
    expect(await firstLine(transport)).toEqual({ pid: transport.pid });
    await transport.close();
  });
});

describe('maxBufferSize', () => {
  const agent = script(`
    process.stdin.resume();
    process.stdout.write(JSON.stringify({ type: 'novelty', text: 'x'.repeat(2000) }) + '\\n');
    process.stdout.write(${JSON.stringify(`${JSON.stringify(RESULT)}\n`)});
    ${STAY}`);

  test('[OPT-38, TRN-11] a line that is longer ends the stream with an error', async () => {
    const run = query({ prompt: 'go', options: { ...agent, maxBufferSize: 1000 } });
    const reading = (async () => {
      for await (const _message of run);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'line_too_long', facts: { maxBytes: 1000 } });
  });

  test('[OPT-38] one that just fits does not', async () => {
    const transport = await connected({ ...agent, maxBufferSize: 2050 });
    expect(await firstLine(transport)).toMatchObject({ type: 'novelty' });
  });
});

describe('cwd', () => {
  test('a file is no directory', async () => {
    const { pathToHeddleExecutable } = script(STAY);
    const transport = subprocess({ pathToHeddleExecutable })({ config: {}, cwd: pathToHeddleExecutable });
    await expect(transport.connect()).rejects.toMatchObject({
      code: 'invalid_option',
      message: `options.cwd is no directory: ${pathToHeddleExecutable}`,
    });
  });
});

describe('user', () => {
  const whoami = say('{ uid: process.getuid(), gid: process.getgid() }');

  test('[OPT-40, DSC-11] an unknown one is named, and nothing is started', async () => {
    const transport = subprocess({ ...script(whoami), user: 'no-such-user-here' })({ config: {} });
    await expect(transport.connect()).rejects.toMatchObject({
      code: 'invalid_option',
      message: "options.user: there is no user 'no-such-user-here'",
    });
  });

  test.runIf(process.getuid?.() === 0)('[OPT-40, DSC-11] the process runs as that user', async () => {
    const path = join(folder, 'whoami');
    chmodSync(folder, 0o755);
    writeFileSync(path, `#!/bin/sh\necho "{\\"user\\":\\"$(id -un)\\"}"\n`, { mode: 0o755 });
    const transport = await connected({ pathToHeddleExecutable: path, user: 'nobody' });
    expect(await firstLine(transport)).toEqual({ user: 'nobody' });
  });

  test('[OPT-40] oneself can always be chosen, by number too', async () => {
    const transport = await connected({ ...script(whoami), user: process.getuid?.() ?? 0 });
    expect(await firstLine(transport)).toEqual({ uid: process.getuid?.(), gid: process.getgid?.() });
  });
});

describe('spawn', () => {
  test.each(['spawn', 'spawnClaudeCodeProcess'] as const)(
    '[B-008] %s starts the process in our place',
    async (name) => {
      const asked: SpawnOptions[] = [];
      const start = (options: SpawnOptions): SpawnedProcess => {
        asked.push(options);
        return spawn(options.command, options.args, { cwd: options.cwd, env: options.env });
      };
      const agent = script(say('{ argv: process.argv.slice(2) }') + STAY);
      const transport = subprocess({ ...agent, [name]: start })({
        config: { verbose: true },
        cwd: '/',
        env: { A: 'b' },
      });
      await transport.connect();
      expect(await firstLine(transport)).toEqual({ argv: ['--verbose'] });
      expect(asked).toMatchObject([
        {
          command: process.execPath,
          args: [agent.pathToHeddleExecutable, '--verbose'],
          cwd: '/',
          env: { A: 'b', CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' },
        },
      ]);
      await transport.close();
      expect(asked[0]?.signal.aborted).toBe(true);
    },
  );

  test('[B-008] what is no child process will do: streams, and news of its end', async () => {
    const remote = remoteProcess();
    const transport = await connected({ ...script(''), spawn: () => remote });
    remote.stdout.write('{"n":1}\n');
    expect(await firstLine(transport)).toEqual({ n: 1 });
    expect(transport.isReady()).toBe(true);
    expect(await transport.close()).toEqual({ code: 7, signal: null, stderr: '' });
    expect(remote.signals).toEqual(['SIGTERM']);
  });

  test('[ERR-02] one that cannot start it is a connection error', async () => {
    const spawnNothing = () => {
      throw new Error('the container is gone');
    };
    const transport = subprocess({ ...script(''), spawn: spawnNothing })({ config: {} });
    await expect(transport.connect()).rejects.toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('the container is gone'),
    });
  });
});

/** A process somewhere else, which ends when it is asked to. */
function remoteProcess() {
  const events = new EventEmitter();
  const signals: string[] = [];
  let exitCode: number | null = null;
  return Object.assign(events, {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    signals,
    killed: false,
    get exitCode() {
      return exitCode;
    },
    kill(signal: NodeJS.Signals) {
      signals.push(signal);
      exitCode = 7;
      this.stdout.end();
      setImmediate(() => events.emit('exit', 7, null));
      return true;
    },
  });
}
