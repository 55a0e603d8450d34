import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createJsonlStore } from '../../../src/sessions/stores/jsonl-store.ts';
import { collect, tempDir } from '../support.ts';

const key = { project: '/projects/loom', sessionId: '00000000-0000-4000-8000-000000000001' };
const scripts = mkdtempSync(join(tmpdir(), 'heddle-writers-'));
const script = join(scripts, 'writer.mjs');

beforeAll(() => {
  const entryPoints = [new URL('../writer-process.ts', import.meta.url).pathname];
  buildSync({ entryPoints, bundle: true, platform: 'node', format: 'esm', outfile: script, logLevel: 'error' });
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

class Writer {
  readonly #child: ChildProcess;
  output = '';

  constructor(...args: string[]) {
    this.#child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    running.push(this.#child);
    this.#child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.output += text;
    });
  }

  get pid() {
    return this.#child.pid;
  }

  go(): void {
    this.#child.stdin?.write('go\n');
  }

  async end(): Promise<string> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'close');
    return this.output;
  }

  async said(): Promise<string> {
    while (this.output === '') await once(this.#child.stdout as NonNullable<ChildProcess['stdout']>, 'data');
    return this.output.trim();
  }

  async killed(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.end();
  }
}

const four = ['a', 'b', 'c', 'd'];

describe('four processes and one session', () => {
  test('[S-22] without leases: no line is torn or mixed, groups stay together, all is there', async () => {
    const home = tempDir();
    const writers = four.map((name) => new Writer(home, 'append', name, '60'));
    for (const writer of writers) writer.go();
    for (const writer of writers) expect(await writer.end()).toBe('done\n');

    const { entries, damage } = await collect(createJsonlStore({ home, log: () => {} }).load(key));
    expect(damage).toEqual([]);
    const uuids = entries.map(({ uuid }) => String(uuid));
    for (const name of four) {
      const own = Array.from({ length: 60 }, (_, i) => [`${name}.${i}.a`, `${name}.${i}.b`]).flat();
      expect(uuids.filter((uuid) => uuid.startsWith(name))).toEqual(own);
    }
    const apart = uuids.filter((uuid, i) => uuid.endsWith('.a') && uuids[i + 1] !== uuid.replace(/a$/, 'b'));
    expect(apart).toEqual([]);
  });

  test('[S-23] with leases: exactly one wins, the others are told by whom', async () => {
    const home = tempDir();
    const writers = four.map((name) => new Writer(home, 'hold', name));
    for (const writer of writers) writer.go();
    const said = await Promise.all(writers.map((writer) => writer.said()));
    const winner = writers[said.indexOf('held')];
    expect(said.filter((text) => text === 'held')).toHaveLength(1);
    expect(said.filter((text) => text === `session_busy ${winner?.pid}`)).toHaveLength(3);
  });

  test('[S-23] what a killed holder left is taken over by exactly one', async () => {
    const home = tempDir();
    for (let round = 0; round < 3; round++) {
      const dead = new Writer(home, 'hold', 'dead');
      dead.go();
      expect(await dead.said()).toBe('held');
      await dead.killed();

      const takers = four.map((name) => new Writer(home, 'take', name));
      for (const taker of takers) taker.go();
      const said = await Promise.all(takers.map((taker) => taker.end()));
      // They leave without giving it back: who comes later than the end of the winner may take it over again.
      expect(said.join('')).not.toContain('MET');
      expect(said.join('')).toContain('took');
    }
  });

  test('[S-23] who takes and gives back in turn is never there with another one, and leaves nothing', async () => {
    const home = tempDir();
    const writers = four.map((name) => new Writer(home, 'take', name, '100'));
    for (const writer of writers) writer.go();
    const said = (await Promise.all(writers.map((writer) => writer.end()))).join('');
    expect(said).not.toContain('MET');
    expect(said).toContain('took');
    expect(readdirSync(join(home, 'locks'))).toEqual([]);
  });

  test('a lease names its process, and only its user can read it', async () => {
    const home = tempDir();
    const writer = new Writer(home, 'hold', 'a');
    writer.go();
    await writer.said();
    const record = JSON.parse(readFileSync(join(home, 'locks', `${key.sessionId}.json`), 'utf8'));
    expect(record).toMatchObject({ pid: writer.pid, host: expect.any(String), since: expect.any(String) });
  });
});
