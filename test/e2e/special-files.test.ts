import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLI } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';

/** What holds up who reads it as a file: a pipe without a writer, a device and a file without an end. */
const KINDS: Record<string, (path: string) => void> = {
  pipe: (path) => execFileSync('mkfifo', [path]),
  device: (path) => symlinkSync('/dev/zero', path),
  'endless file': (path) => {
    const file = openSync(path, 'w');
    ftruncateSync(file, 1500 * 1024 * 1024); // of holes
    closeSync(file);
  },
};

/** Where git and we look for a repository, and what has to be there besides. */
const REPOSITORIES: [string, (work: string) => void][] = [
  ['.git', () => {}],
  ['../.git', () => {}],
  ['.git/HEAD', () => {}],
  ['linked/HEAD', (work) => writeFileSync(join(work, '.git'), 'gitdir: linked\n')],
  ['linked/commondir', (work) => writeFileSync(join(work, '.git'), 'gitdir: linked\n')],
];

const PROJECT_FILES = [
  ...['.claude/settings.json', '.claude/settings.local.json', '.mcp.json', 'CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md'],
  ...['.claude/CLAUDE.md', '.claude/rules/a.md', '.claude/commands/a.md', '.claude/agents/a.md', '.gitignore'],
  ...['.claude/skills/a/SKILL.md', '.claude/output-styles/a.md', '../CLAUDE.md', '.worktreeinclude'],
];

/** Files of the config home; `SESSION` is the session that is continued. */
const HOME_FILES = [
  ...['settings.json', '.claude.json', 'CLAUDE.md', 'AGENTS.md', 'api-keys.json', 'rules/a.md', 'skills/a/SKILL.md'],
  ...['commands/a.md', 'agents/a.md', 'output-styles/a.md', 'plugins/installed_plugins.json'],
  ...['projects/PROJECT/SESSION.archived.json', 'background/SESSION/task.json', 'locks/SESSION.json'],
];

/** Long for a start, and an end to one that waits for ever. */
const PATIENCE_MS = 20_000;

function run({ cwd, env }: Place, args: string[]) {
  const options = { cwd, env, encoding: 'utf8', timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const;
  const { status, signal, stdout } = spawnSync(process.execPath, [CLI, ...args], options);
  return { status, signal, stdout };
}

const ask = (...flags: string[]) => ['-p', '--model', 'offline', ...flags, 'run `echo it runs`'];

describe.each(Object.keys(KINDS))('a start does not wait for a %s', (kind) => {
  async function placeWith(files: readonly string[], prepare: (work: string) => void = () => {}): Promise<Place> {
    const place = await makePlace();
    for (const file of files) {
      const path = join(place.cwd, file);
      mkdirSync(dirname(path), { recursive: true });
      KINDS[kind]?.(path);
    }
    prepare(place.cwd);
    return place;
  }

  test.each(REPOSITORIES)('in the place of %s', async (file, prepare) => {
    const place = await placeWith([file], prepare);
    expect(run(place, ask())).toMatchObject({ status: 0, stdout: expect.stringContaining('it runs') });
    expect(run(place, ['sessions', 'list'])).toMatchObject({ status: 0 });
  });

  test.each(['not trusted', 'trusted'])('in the place of any file of a project that is %s', async (trust) => {
    const place = await placeWith(PROJECT_FILES);
    const { status, signal, stdout } = run(place, ask(...(trust === 'trusted' ? ['--trust'] : [])));
    // Settings that cannot be read stop a run that was to believe them, with words.
    expect({ status, signal }).toEqual({ status: trust === 'trusted' ? 1 : 0, signal: null });
    expect(stdout.includes('it runs')).toBe(trust !== 'trusted');
  });

  test.each(HOME_FILES)('in the place of %s of the config home', async (file) => {
    const place = await placeWith([]);
    expect(run(place, ask())).toMatchObject({ status: 0 });
    const [project = ''] = readdirSync(join(place.home, 'projects'));
    const [session = ''] = readdirSync(join(place.home, 'projects', project)).filter((name) => name.endsWith('.jsonl'));
    const name = file.replace('PROJECT', project).replace('SESSION', session.replace('.jsonl', ''));
    mkdirSync(dirname(join(place.home, name)), { recursive: true });
    rmSync(join(place.home, name), { force: true });
    KINDS[kind]?.(join(place.home, name));
    // With an answer or with an error, but in time.
    for (const args of [
      ask('--continue'),
      ['sessions', 'list', '--archived'],
      ['tasks', 'list'],
      ['auth', 'status'],
      ['mcp', 'list'],
    ]) {
      expect(run(place, args).signal, args.join(' ')).toBeNull();
    }
  });
});
