import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setTrust, trustOf } from '../../src/config/trust-store.ts';
import { put, tempDir } from './support.ts';

function places() {
  const dir = tempDir();
  const cwd = join(dir, 'project');
  mkdirSync(cwd);
  return { cwd, home: join(dir, 'home'), settings: join(cwd, '.claude', 'settings.json') };
}
const now = Date.UTC(2026, 0, 1);

describe('[R-12, G1] trust in a directory', () => {
  test('is given by the user, and taken back', async () => {
    const { cwd, home, settings } = places();
    put(settings, { env: { A: '1' } });
    expect(trustOf(cwd, home)).toBe('untrusted');
    await setTrust(cwd, home, { isTrusted: true, now });
    expect(trustOf(cwd, home)).toBe('trusted');
    await setTrust(cwd, home, { isTrusted: false, now });
    expect(trustOf(cwd, home)).toBe('untrusted');
  });

  test.each(['.claude/settings.json', '.claude/settings.local.json', '.mcp.json'])(
    'ends when %s changes',
    async (name) => {
      const { cwd, home } = places();
      put(join(cwd, name), { a: 1 });
      await setTrust(cwd, home, { isTrusted: true, now });
      put(join(cwd, name), { a: 2 });
      expect(trustOf(cwd, home)).toBe('changed');
      rmSync(join(cwd, name));
      expect(trustOf(cwd, home)).toBe('changed');
    },
  );

  test('in a file with zero bytes is not trust in the files that it imitates', async () => {
    const { cwd, home, settings } = places();
    const local = '.claude/settings.local.json';
    const rest = `\0${local}\0\0absent\0.mcp.json\0`;
    const acting = '{"hooks":{}}';
    put(settings, `${acting}${rest}Z`);
    await setTrust(cwd, home, { isTrusted: true, now });
    expect(trustOf(cwd, home)).toBe('trusted');
    put(settings, acting);
    put(join(cwd, '.mcp.json'), `Z${rest}\0absent`);
    expect(trustOf(cwd, home)).toBe('changed');
  });

  test('holds for that directory only, not for one below it or a neighbour', async () => {
    const { cwd, home } = places();
    await setTrust(cwd, home, { isTrusted: true, now });
    expect(trustOf(join(cwd, 'below'), home)).toBe('untrusted');
    expect(trustOf(`${cwd}-evil`, home)).toBe('untrusted');
    expect(trustOf('constructor', home)).toBe('untrusted');
    const link = join(home, '..', 'link');
    symlinkSync(cwd, link);
    expect(trustOf(link, home)).toBe('untrusted'); // callers hand in real paths
  });

  test('a pipe or a device in the place of a file holds nothing up', async () => {
    const { cwd, home } = places();
    execFileSync('mkfifo', [join(cwd, '.mcp.json')]);
    await setTrust(cwd, home, { isTrusted: true, now });
    expect(trustOf(cwd, home)).toBe('trusted');
    rmSync(join(cwd, '.mcp.json'));
    symlinkSync('/dev/zero', join(cwd, '.mcp.json'));
    expect(trustOf(cwd, home)).toBe('trusted'); // both are refused when they are read
    rmSync(join(cwd, '.mcp.json'));
    expect(trustOf(cwd, home)).toBe('changed');
  });

  test('without a home nobody can have given it', () => {
    expect(trustOf(places().cwd, null)).toBe('untrusted');
  });
});
