import { describe, expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { laterPaths } from '../../src/permissions/later-paths.ts';
import type { PermissionMode } from '../../src/wire/permission-modes.ts';
import { bash, policyFor, rules, write } from './policy-for.ts';

const existing = new Set(['/project/bare/HEAD', '/project/src/HEAD.md']);
const actsLater = (asksForCi: boolean) => laterPaths({ asksForCi, exists: (path) => existing.has(path) });
const policy = (mode: PermissionMode, asksForCi = false) => policyFor({ mode, actsLater: actsLater(asksForCi) });

const LATER = [
  ...['.vscode/tasks.json', 'sub/.idea/workspace.xml', '.gitmodules', '.ripgreprc', '.envrc', 'web/.npmrc', '.ENVRC'],
  ...['.husky/pre-commit', '.claude/commands/a.md', '.claude/agents/a.md', '.claude/skills/a/SKILL.md'],
  ...['HEAD', 'new/HEAD', 'bare/config', 'bare/objects/aa/bb', 'bare/hooks/pre-commit', '.vscode'],
];
const CI = ['.github/workflows/a.yml', '.gitlab-ci.yml', '.circleci/config.yml', 'ci/Jenkinsfile'];
const OTHER = ['src/a.ts', 'config', 'src/config/x.ts', 'objects/a', 'README.md', 'heads/x', 'npmrc', '.github/a.md'];

describe('[G6] acceptEdits and files that act later', () => {
  test.each(LATER)('asks for %s, as a tool and as a command', (path) => {
    for (const mode of ['acceptEdits', 'auto'] as const) {
      expect(decide(write(`/project/${path}`), policy(mode)).behavior).toBe('ask');
      for (const command of [`touch ${path}`, `cp a ${path}`, `mv a ${path}`, `echo x > ${path}`, `rm ${path}`])
        expect([command, decide(bash(command), policy(mode)).behavior]).toEqual([command, 'ask']);
    }
  });

  test.each(OTHER)('accepts %s', (path) => {
    expect(decide(write(`/project/${path}`), policy('acceptEdits')).behavior).toBe('allow');
    expect(decide(bash(`touch ${path}`), policy('acceptEdits')).behavior).toBe('allow');
  });

  test.each(CI)('asks for %s only where the settings say so', (path) => {
    expect(decide(write(`/project/${path}`), policy('acceptEdits')).behavior).toBe('allow');
    expect(decide(write(`/project/${path}`), policy('acceptEdits', true)).behavior).toBe('ask');
  });

  test('a rule allows it, and so does bypassPermissions', () => {
    const allowed = { ...policy('acceptEdits'), allow: rules('Edit(.vscode/**)') };
    expect(decide(write('/project/.vscode/tasks.json'), allowed).behavior).toBe('allow');
    const bypass = { ...policy('bypassPermissions'), bypassAllowed: true };
    expect(decide(write('/project/.vscode/tasks.json'), bypass).behavior).toBe('allow');
  });
});
