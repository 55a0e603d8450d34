import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { CLI, STREAM_OUT } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';

const hasStrace = spawnSync('strace', ['-V']).status === 0;

/** What a run touches below the config home by nature: sessions, who holds them, results that are too long, stored keys. */
const KEPT = ['projects', 'locks', 'tool-results', 'api-keys.json'];

/** Files of every kind that could be read, each with something that would show. */
function furnish({ cwd, home, root }: Place): void {
  const settings = '{"permissions":{"deny":["Read"]},"model":"nowhere","enabledPlugins":{"kit@shop":true}}';
  for (const base of [join(cwd, '.claude'), home, join(root, '.claude'), join(cwd, 'sub/.claude')]) {
    put(join(base, 'settings.json'), settings);
    put(join(base, 'settings.local.json'), settings);
    put(join(base, 'CLAUDE.md'), 'Instructions.');
    put(join(base, 'rules/always.md'), 'A rule.');
    put(join(base, 'rules/some.md'), '---\npaths: "**"\n---\nA rule.');
    put(join(base, 'skills/greet/SKILL.md'), 'Greet.');
    put(join(base, 'commands/hello.md'), 'Hello.');
    put(join(base, 'agents/helper.md'), '---\ndescription: Helps\n---\nHelp.');
    put(join(base, 'output-styles/loud.md'), 'Loud.');
    put(join(base, 'plugins/installed_plugins.json'), '{}');
  }
  put(join(home, 'trust.json'), '{}');
  for (const directory of [cwd, root, home, join(cwd, 'sub')]) {
    for (const name of ['CLAUDE.md', 'AGENTS.md', 'CLAUDE.local.md']) put(join(directory, name), 'Instructions.');
    put(join(directory, '.mcp.json'), '{"mcpServers":{"x":{"command":"false"}}}');
  }
  put(join(cwd, 'sub/a.txt'), 'a\n');
}

/** Every path below the place that the run names to the system, found or not. */
async function pathsOf(place: Place, flags: readonly string[]): Promise<string[]> {
  const trace = join(place.root, 'trace');
  const args = ['-f', '-qq', '-s', '4096', '-e', 'trace=%file', '-o', trace, process.execPath, CLI];
  // What goes by way of a ring of requests is seen by no tracer.
  const env = { ...place.env, UV_USE_IO_URING: '0' };
  await promisify(execFile)('strace', [...args, ...STREAM_OUT, 'look', ...flags], { cwd: place.cwd, env });
  const named = readFileSync(trace, 'utf8').matchAll(/"((?:[^"\\]|\\.)*)"/g);
  const paths = [...named].map(([, path = '']) => (path.startsWith('/') ? path : join(place.cwd, path)));
  return [...new Set(paths)].filter((path) => path.startsWith(place.root)).sort();
}

/** Whether a path is, or lies in, something that holds configuration. */
function isConfiguration(path: string, { home }: Place): boolean {
  const belowHome = path.startsWith(`${home}/`) ? path.slice(home.length + 1).split('/')[0] : null;
  if (belowHome !== null) return !KEPT.includes(belowHome ?? '');
  return /\/(\.claude|CLAUDE(\.local)?\.md|AGENTS\.md|\.mcp\.json)(\/|$)/.test(path);
}

/** Reads a file below, so that the memory of its directory would be due. */
const LOOKING = () => {
  let calls = 0;
  return () => (calls++ === 0 ? toolUse('Read', { file_path: 'sub/a.txt' }) : 'Done.');
};

describe.skipIf(!hasStrace)('[K1, SET-01] with no setting sources', () => {
  test.each([
    ['a session that is kept', []],
    ['a session that is not', ['--no-session-persistence']],
    ['added directories', ['--add-dir', 'sub']],
  ])('%s: no file of configuration is opened, nor looked for', async (_name, flags) => {
    const place = await makePlace(LOOKING());
    furnish(place);
    const paths = await pathsOf(place, ['--setting-sources', '', '--model', 'sonnet', ...flags]);
    expect(paths).toContain(join(place.cwd, 'sub/a.txt'));
    expect(paths.filter((path) => isConfiguration(path, place))).toEqual([]);
  });

  test('the tracer would see them: without the flag they are all looked for', async () => {
    const place = await makePlace(LOOKING());
    furnish(place);
    const paths = await pathsOf(place, ['--model', 'sonnet', '--settings', '{"permissions":{"allow":["Read"]}}']);
    const seen = paths.filter((path) => isConfiguration(path, place));
    for (const name of [
      'CLAUDE.md',
      '.claude/settings.json',
      '.claude/rules/always.md',
      '.claude/skills/greet/SKILL.md',
    ]) {
      expect(seen).toContain(join(place.cwd, name));
    }
    for (const name of ['settings.json', 'CLAUDE.md', 'plugins/installed_plugins.json', 'trust.json']) {
      expect(seen).toContain(join(place.home, name));
    }
  });
});
