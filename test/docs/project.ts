import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type FakeApi, startFakeApi, startFakeOpenAi } from '../../src/testing/index.ts';
import { CLI } from '../support/cli.ts';
import { ROOT } from '../support/root.ts';
import { anyAnswer } from './any-answer.ts';
import type { Block } from './blocks.ts';

/** What the blocks of one page share, in their order: a small project, a home, and two model APIs on loopback. */
export interface Project {
  root: string;
  cwd: string;
  home: string;
  env: Record<string, string>;
  openai: FakeApi;
  /** Puts a program on the PATH. */
  command(name: string, script: string): void;
  /** What is to be ended with it. */
  ends: (() => void)[];
  close(): Promise<void>;
}

/** Everything that a block may wait for must happen within this. */
const TIME_LIMIT_MS = 20_000;

export async function makeProject(): Promise<Project> {
  const [anthropic, openai] = await Promise.all([startFakeApi(anyAnswer), startFakeOpenAi(anyAnswer)]);
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-docs-')));
  const [home, cwd, bin] = [join(root, 'home'), join(root, 'project'), join(root, 'bin')];
  for (const folder of [home, cwd, bin]) mkdirSync(folder);
  for (const [path, text] of Object.entries(FILES)) put(join(cwd, path), text);
  put(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n');
  linkPackages(root);
  const command = (name: string, script: string) => {
    put(join(bin, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  command('heddle', `exec '${process.execPath}' '${CLI}' "$@"`);
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    HEDDLE_HOME: join(home, '.heddle'),
    TMPDIR: root,
    ANTHROPIC_API_KEY: 'key-of-the-docs',
    ANTHROPIC_BASE_URL: anthropic.url,
    OPENAI_API_KEY: 'key-of-the-docs',
    OPENAI_BASE_URL: openai.url,
    ...NO_NETWORK,
  };
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'A loom'],
  ])
    spawnSync('git', args, { cwd, env });
  const ends: (() => void)[] = [];
  return {
    root,
    cwd,
    home,
    env,
    openai,
    command,
    ends,
    async close() {
      for (const end of ends) end();
      await Promise.all([anthropic.close(), openai.close()]);
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const FILES = {
  'README.md': '# Loom\n\nWeaves cloth.\n',
  'CONTRIBUTING.md': '# Contributing\n\nWeave tightly.\n',
  'src/parser.js': 'export const parse = (text) => text.split(/\\s+/);\n',
  'package.json': '{ "name": "loom", "type": "module", "scripts": { "test": "true", "dev": "sleep 60" } }\n',
};

/** Whatever would leave the machine fails at once, at a port that nobody listens on. */
const NO_NETWORK = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
};

/** Programs have the built package in reach, and what the pages say that they need beside it. */
function linkPackages(root: string): void {
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(ROOT, join(root, 'node_modules/heddle'), 'dir');
  for (const name of ['zod', '@modelcontextprotocol', '@opentelemetry']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name), 'dir');
  }
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program in the project to its end; one that does not end in time has failed, with all that it has started. */
export function runInProject(project: Project, command: readonly string[], stdin = ''): Promise<Finished> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const { cwd, env } = project;
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    const timer = setTimeout(() => {
      stderr += `\nIt did not end within ${TIME_LIMIT_MS / 1000} seconds.`;
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    }, TIME_LIMIT_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => {}); // it did not read what it was given
    child.stdin.end(stdin);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}

/** What is wrong with how it ended: exit code 0, if the block does not say another one. */
export function endProblem({ notes }: Pick<Block, 'notes'>, { code, stdout, stderr }: Finished): string | null {
  const wanted = Number(notes.get('exit') ?? 0);
  return code === wanted ? null : `exit ${code} in place of ${wanted}\nstdout: ${end(stdout)}\nstderr: ${end(stderr)}`;
}

function end(text: string): string {
  const lines = text.trimEnd().split('\n').slice(-25);
  return lines.map((line) => (line.length > 300 ? `${line.slice(0, 300)}…` : line)).join('\n');
}
