import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { readShell } from '../../src/permissions/commands/read-shell.ts';
import type { Call } from '../../src/permissions/decide.ts';
import { protectedPaths } from '../../src/permissions/paths.ts';
import type { Policy } from '../../src/permissions/policy.ts';
import { nodeRealPath } from '../../src/permissions/real-path.ts';
import { parseRules, type Rule } from '../../src/permissions/rules.ts';
import { loadShellParser } from '../../src/permissions/shell/shell-parser.ts';

export const CWD = '/project';

export const parseShell = await loadShellParser();

/** A policy over a made-up project whose paths hold no symlinks; nothing is allowed beyond the defaults. */
export function policyFor(overrides: Partial<Policy> = {}): Policy {
  const cwd = overrides.cwd ?? CWD;
  return {
    mode: 'default',
    allow: [],
    deny: [],
    ask: [],
    cwd,
    roots: [cwd],
    readRoots: [],
    bypassAllowed: true,
    searchesFiltered: false,
    protectedPath: protectedPaths({ configHome: '/home/user/.heddle', realPath: (path) => path }),
    realPath: (path) => path.replace(/(.)\/+$/, '$1'),
    namesIn: () => ['a.ts', 'b.md', 'c.txt'],
    trackedFiles: () => [],
    ...overrides,
  };
}

/** A policy on real files below a fresh directory that is removed after the test file. */
export function realPolicy(overrides: Partial<Policy> = {}): { base: string; cwd: string; policy: Policy } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-permissions-')));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const cwd = join(base, 'work');
  return { base, cwd, policy: policyFor({ cwd, realPath: nodeRealPath, ...overrides }) };
}

export function rules(...texts: string[]): Rule[] {
  const { rules: parsed, problems } = parseRules(texts);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return parsed;
}

/** Read as the gate has it read: with the parser. */
export function bash(command: string): Call {
  return { ...unreadBash(command), script: readShell(command, parseShell) };
}

/** A command that nobody has read with the parser. */
export function unreadBash(command: string): Call {
  return { toolName: 'Bash', input: { command }, access: { kind: 'execute', command } };
}

export function read(...paths: string[]): Call {
  return { toolName: 'Read', input: { file_path: paths[0] }, access: { kind: 'read', paths } };
}

export function edit(...paths: string[]): Call {
  return { toolName: 'Edit', input: { file_path: paths[0] }, access: { kind: 'edit', paths } };
}

export function write(...paths: string[]): Call {
  return { ...edit(...paths), toolName: 'Write' };
}

export function other(toolName: string): Call {
  return { toolName, input: {}, access: { kind: 'other' } };
}
