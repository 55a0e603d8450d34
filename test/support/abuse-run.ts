import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, onTestFinished } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_OUT } from './cli.ts';
import { makePlace } from './place.ts';
import { put } from './put.ts';

/** What came of command lines that a model has asked for, one after the other in one session. */
export interface Tried {
  /** Those after which the folder was another, or somebody had been called. */
  changed: string[];
  /** The calls that were refused. */
  denied: number;
}

export interface Abuses {
  /** Programs on the PATH, by name; each leaves a trace. */
  programs?: readonly string[];
  flags?: readonly string[];
}

/** Has the model ask for each command, and looks after each what it has done. */
export async function tryCommands(commands: readonly string[], { programs = [], flags = [] }: Abuses): Promise<Tried> {
  const world = await makeWorld(programs);
  const changed: string[] = [];
  let before = '';
  const place = await makePlace((_request, index) => {
    const now = world.state();
    const last = commands[index - 1];
    if (last !== undefined && now !== before) changed.push(last);
    before = now;
    const next = commands[index];
    return next === undefined ? 'Done.' : toolUse('Bash', { command: next.replaceAll('PORT', String(world.port)) });
  });
  const env = { PATH: world.path };
  const { lines } = await runCli([...STREAM_OUT, 'go', ...flags], { place, env, cwd: world.cwd });
  if (world.state() !== before) changed.push('something, later');
  return { changed, denied: (lines.at(-1)?.permission_denials as unknown[] | undefined)?.length ?? Number.NaN };
}

/** Which of the commands do something here when bash is given them: those that a check can fail for. */
export async function thatWork(commands: readonly string[], programs: readonly string[] = []): Promise<string[]> {
  const waiting = [...commands];
  const works = new Set<string>();
  const lane = async () => {
    for (let command = waiting.shift(); command !== undefined; command = waiting.shift()) {
      const world = await makeWorld(programs);
      const before = world.state();
      await world.run(command);
      if (world.state() !== before) works.add(command);
      world.remove();
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return commands.filter((command) => works.has(command));
}

/** A folder with things to spoil, in a world where every change and every call is noticed. */
interface World {
  cwd: string;
  path: string;
  port: number;
  /** Another text after every change. */
  state(): string;
  run(command: string): Promise<void>;
  remove(): void;
}

async function makeWorld(programs: readonly string[]): Promise<World> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-abuse-')));
  const [cwd, bin] = [join(root, 'work'), join(root, 'bin')];
  mkdirSync(cwd);
  mkdirSync(bin);
  fillFolder(cwd);
  symlinkSync(rgPath, join(bin, 'rg'));
  for (const name of programs) program(join(bin, name), join(cwd, 'owned'));
  let calls = 0;
  const server = createServer((socket) => {
    calls++;
    socket.on('error', () => {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const path = `${bin}:${process.env.PATH}`;
  const remove = () => {
    server.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  };
  onTestFinished(remove);
  return {
    cwd,
    path,
    port,
    state: () => `${calls} ${stateOf(cwd)}`,
    run: (text) => runBash(text, { cwd, path, port }),
    remove,
  };
}

function runBash(command: string, { cwd, path, port }: Pick<World, 'cwd' | 'path' | 'port'>): Promise<void> {
  const text = command.replaceAll('PORT', String(port));
  const env = { PATH: path, HOME: cwd, LC_ALL: 'C.UTF-8' };
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', text], { cwd, env, timeout: 5000 }, () => setTimeout(resolve, 20));
    child.stdin?.end();
  });
}

const TEMPLATE = { path: '' };
afterAll(() => {
  if (TEMPLATE.path !== '') rmSync(TEMPLATE.path, { recursive: true, force: true });
});

/** The same in every world: made once, because git takes its time. */
function fillFolder(cwd: string): void {
  if (TEMPLATE.path === '') TEMPLATE.path = makeTemplate();
  cpSync(TEMPLATE.path, cwd, { recursive: true, preserveTimestamps: true });
  for (const name of ['evil', 'echo', 'evil.sh']) program(join(cwd, name), join(cwd, 'owned'));
}

function makeTemplate(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-abuse-template-'));
  put(join(folder, 'in'), 'one\ntwo\nthree\n');
  put(join(folder, 'f'), 'a file\n');
  put(join(folder, 'tracked'), 'one\n');
  put(join(folder, 'big'), 'a line of a larger file\n'.repeat(20_000));
  put(join(folder, 'script.sed'), 'w owned\n');
  put(join(folder, 'script.awk'), 'BEGIN { print "x" > "owned" }\n');
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: folder });
  git('init', '--quiet', '--template=');
  git('add', 'tracked');
  git('commit', '--quiet', '--message', 'first');
  put(join(folder, 'tracked'), 'one\nand more\n');
  return folder;
}

function program(path: string, trace: string): void {
  put(path, `#!/bin/sh\n: > '${trace}'\n`);
  chmodSync(path, 0o755);
}

/** Names, sizes, modes and times of everything below a folder. */
function stateOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => `${name} ${factsOf(join(folder, name))}`).join('\n');
}

function factsOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isDirectory()) return `${stat?.mode}`;
  return `${stat.mode} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}
