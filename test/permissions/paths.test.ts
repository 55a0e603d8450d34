import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { protectedPaths } from '../../src/permissions/paths.ts';
import { locationOf, nodeRealPath } from '../../src/permissions/real-path.ts';
import { realPolicy } from './policy-for.ts';

describe('protectedPaths', () => {
  const isProtected = protectedPaths({
    configHome: '/home/u/.heddle',
    realPath: (path) => path.replace('.heddle', 'dotfiles/heddle'),
  });

  it.each([
    '/p/.claude/settings.json',
    '/p/.claude/settings.local.json',
    '/p/.claude/SETTINGS.json',
    '/p/.Claude/settings.json',
    '/p/sub/.claude/settings.json',
    '/p/.claude',
    '/p/.claude/',
    '/p/.claude/hooks/x.sh',
    '/p/.mcp.json',
    '/p/.git',
    '/p/.git/config',
    '/p/.git/hooks/pre-commit',
    '/p/.GIT/config',
    '/p/.g\u200cit/config',
    '/p/sub/.git/config',
    '/home/u/.bashrc',
    '/home/u/.zshenv',
    '/home/u/.profile',
    '/home/u/.gitconfig',
    '/home/u/.config/fish/config.fish',
    '/home/u/.config/git/config',
    '/home/u/.heddle',
    '/home/u/.heddle/settings.json',
    '/home/u/.Heddle/settings.json',
    '/home/u/dotfiles/heddle/settings.json',
    '/home/other/.heddle',
    '/home/other/.heddle/home',
  ])('[G6] [R-11] protects %s', (path) => {
    expect(isProtected(path)).toBe(true);
  });

  it.each([
    '/p/a.ts',
    '/p/.claude/agents/helper.md',
    '/p/.claude/commands/x.md',
    '/p/settings.json',
    '/p/.gitignore',
    '/p/.github/projflows/ci.yml',
    '/p/.git-notes',
    '/p/bashrc',
    '/p/.bashrc.d/x',
    '/home/u/.heddle-notes',
    '/home/other/.heddle/notes.md',
    '/p/.config/app.json',
  ])('[R-6] leaves %s alone', (path) => {
    expect(isProtected(path)).toBe(false);
  });
});

describe('nodeRealPath', () => {
  const { base, cwd } = realPolicy();
  mkdirSync(join(base, 'outside'));
  mkdirSync(join(cwd, 'dir/deep'), { recursive: true });
  writeFileSync(join(base, 'outside/file'), '');
  symlinkSync('../outside/file', join(cwd, 'link'));
  symlinkSync(join(base, 'outside'), join(cwd, 'linkdir'));
  symlinkSync('linkdir', join(cwd, 'chain'));
  symlinkSync(join(base, 'outside/absent'), join(cwd, 'dangling'));
  symlinkSync('dir/deep', join(cwd, 'shortcut'));
  symlinkSync('loop', join(cwd, 'loop'));
  symlinkSync('.', join(cwd, 'self'));

  it.each<[string, string]>([
    ['work/dir', 'work/dir'],
    ['work/absent/new', 'work/absent/new'],
    ['work/link', 'outside/file'],
    ['work/linkdir/new', 'outside/new'],
    ['work/chain/new/er', 'outside/new/er'],
    ['work/dangling', 'outside/absent'],
    ['work/shortcut/../x', 'work/dir/x'],
    ['work/self/self/dir', 'work/dir'],
    ['work//dir/./deep/', 'work/dir/deep'],
    ['work/../outside', 'outside'],
  ])('[R-8] [R-9] %s leads to %s', (path, real) => {
    expect(nodeRealPath(`${base}/${path}`)).toBe(join(base, real));
  });

  it('[R-8] cannot tell for loops, /proc, NUL bytes and relative paths', () => {
    expect(nodeRealPath(join(cwd, 'loop'))).toBeNull();
    expect(nodeRealPath('/proc/self/cwd/x')).toBeNull();
    expect(nodeRealPath(`${cwd}/a\0b`)).toBeNull();
    expect(nodeRealPath('a')).toBeNull();
  });

  it('[R-9] knows where a link itself lies', () => {
    expect(locationOf(join(cwd, 'link'), nodeRealPath)).toBe(join(cwd, 'link'));
    expect(locationOf(join(cwd, 'chain/new'), nodeRealPath)).toBe(join(base, 'outside/new'));
  });
});
