import { describe, expect, it } from 'vitest';
import { pathMatcher } from '../../src/permissions/path-rules.ts';

const context = {
  cwd: '/p',
  home: '/home/u',
  /** One symlinked directory: /p/link leads to /elsewhere. */
  realPath: (path: string) => path.replace(/^\/p\/link(?=\/|$)/, '/elsewhere'),
};

describe('pathMatcher', () => {
  it.each<[string, string]>([
    ['new.txt', '/p/new.txt'],
    ['new.txt', '/p/a/b/new.txt'],
    ['./new.txt', '/p/new.txt'],
    ['src', '/p/src/a/b.ts'],
    ['src/', '/p/src/a.ts'],
    ['src/**', '/p/src/a/b.ts'],
    ['src/**', '/p/src'],
    ['/src/**', '/p/src/a.ts'],
    ['**', '/p/x/y'],
    ['src/*.ts', '/p/src/a.ts'],
    ['src/**/*.ts', '/p/src/a/b/c.ts'],
    ['src/**/*.ts', '/p/src/c.ts'],
    ['*.env', '/p/a/prod.env'],
    ['./.env.*', '/p/.env.local'],
    ['**/.env', '/p/.env'],
    ['**/.env', '/p/a/.env'],
    ['a?c', '/p/abc'],
    ['//etc/**', '/etc/passwd'],
    ['~/.ssh/**', '/home/u/.ssh/id'],
    ['~', '/home/u/x'],
    ['../q/x', '/q/x'],
    ['a+b(c).ts', '/p/a+b(c).ts'],
    ['.', '/p/x'],
  ])('%s means %s', (spec, path) => {
    expect(pathMatcher(spec, context, 'forbid')?.matches(path)).toBe(true);
    expect(pathMatcher(spec, context, 'allow')?.matches(path)).toBe(true);
  });

  it.each<[string, string]>([
    ['new.txt', '/p/new.txt.bak'],
    ['new.txt', '/p/anew.txt'],
    ['./new.txt', '/p/a/new.txt'],
    ['src/**', '/p/src-evil/a'],
    ['src/*.ts', '/p/src/a/b.ts'],
    ['a.c', '/p/abc'],
    ['//etc/**', '/p/etc/x'],
    ['~/.ssh/**', '/home/u/.sshx/id'],
    ['**', '/q/x'],
  ])('%s does not mean %s', (spec, path) => {
    expect(pathMatcher(spec, context, 'forbid')?.matches(path)).toBe(false);
    expect(pathMatcher(spec, context, 'allow')?.matches(path)).toBe(false);
  });

  it.each<[string, string]>([
    ['secret.txt', '/p/SECRET.TXT'],
    ['secret.txt', '/q/secret.txt'],
    ['/etc/passwd', '/etc/passwd'],
    ['link/**', '/p/link/a'],
    ['link/**', '/elsewhere/a'],
    ['//elsewhere/**', '/p/link/a'],
    ['link/a', '/p/link/a'],
  ])('[R-8] to forbid, %s also means %s', (spec, path) => {
    expect(pathMatcher(spec, context, 'forbid')?.matches(path)).toBe(true);
  });

  it.each<[string, string]>([
    ['secret.txt', '/p/SECRET.TXT'],
    ['secret.txt', '/q/secret.txt'],
    ['/etc/passwd', '/etc/passwd'],
    ['**', '/p/link/a'],
    ['a', '/p/link/a'],
  ])('[R-8] to allow, %s does not mean %s', (spec, path) => {
    expect(pathMatcher(spec, context, 'allow')?.matches(path)).toBe(false);
  });

  it.each(['!secret', '[ab].txt', '{a,b}', 'a\\*b', '~other/x', 'a\0b'])('does not guess what %j means', (spec) => {
    expect(pathMatcher(spec, context, 'forbid')).toBeNull();
    expect(pathMatcher(spec, context, 'allow')).toBeNull();
  });

  it('cannot evaluate ~ without a home, and allows nothing where a base cannot be told', () => {
    expect(pathMatcher('~/x', { cwd: '/p', realPath: (path) => path }, 'forbid')).toBeNull();
    expect(pathMatcher('x/**', { cwd: '/p', realPath: () => null }, 'allow')?.matches('/p/x/a')).toBe(false);
    expect(pathMatcher('x/**', { cwd: '/p', realPath: () => null }, 'forbid')?.matches('/p/x/a')).toBe(true);
  });

  it.each<[string, string, boolean]>([
    ['secret.txt', '/p', true],
    ['src/secret.txt', '/p', true],
    ['src/secret.txt', '/p/src', true],
    ['src/**', '/p/src/a', true],
    ['src/secret.txt', '/p/lib', false],
    ['link/**', '/elsewhere', true],
  ])('[R-10] %s may match below %s: %s', (spec, directory, may) => {
    expect(pathMatcher(spec, context, 'forbid')?.mayMatchBelow(directory)).toBe(may);
  });
});
