import { describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { endpoints, files, flags, sessions, unwritable, words } from '../support/command-line-mistakes.ts';
import { makePlace, type Place } from '../support/place.ts';

describe.each([
  ['flags', flags],
  ['words', words],
  ['sessions', sessions],
  ['files', files],
  ['places that cannot be written', unwritable],
  ['addresses and keys', endpoints],
])('a mistake with %s is told in full, with what to do', (_name, mistakes) => {
  test.each(mistakes)('$args $env', async ({ args, says, code = 1, env, prepare }) => {
    const place = await makePlace(() => 'Hello.');
    prepare?.(place);
    const run = await runCli(args, { place, env });
    expect(shown(run.stderr, place).trimEnd().split('\n')).toEqual(says);
    expect(run.code).toBe(code);
  });
});

test('there are at least 25 of them', () => {
  const all = [flags, words, sessions, files, unwritable, endpoints].flat();
  expect(all.length).toBeGreaterThanOrEqual(60);
});

function shown(text: string, { home, cwd, root }: Place): string {
  return text
    .replaceAll(cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), 'PROJECT')
    .replaceAll(home, 'HOME')
    .replaceAll(cwd, 'CWD')
    .replaceAll(root, 'ROOT');
}
