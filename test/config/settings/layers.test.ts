import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileLayers } from '../../../src/config/settings/layers.ts';
import type { FileScope } from '../../../src/config/settings/scopes.ts';
import { put, tempDir } from '../support.ts';

const ALL: FileScope[] = ['userSettings', 'projectSettings', 'localSettings'];
const scopesOf = (layers: ReturnType<typeof fileLayers>) => layers.map(({ scope }) => scope);

describe('[SET-03] the files of the scopes', () => {
  test('come with the strongest first', () => {
    const dir = tempDir();
    put(join(dir, 'home', 'settings.json'), {});
    put(join(dir, 'work', '.claude', 'settings.json'), {});
    put(join(dir, 'work', '.claude', 'settings.local.json'), {});
    const layers = fileLayers(ALL, { cwd: join(dir, 'work'), configHome: join(dir, 'home') });
    expect(scopesOf(layers)).toEqual(['localSettings', 'projectSettings', 'userSettings']);
  });

  test('[G1] a file counts once, and as the user’s, whatever names lead to it', () => {
    const home = tempDir();
    put(join(home, '.claude', 'settings.json'), { permissions: { allow: ['Bash'] } });
    const link = join(tempDir(), 'home');
    symlinkSync(home, link);
    for (const configHome of [join(home, '.claude'), join(link, '.claude')]) {
      expect(scopesOf(fileLayers(ALL, { cwd: home, configHome }))).toEqual(['userSettings']);
    }
  });

  test('a project whose local file is a link to its own, or to the user’s, has it once', () => {
    const dir = tempDir();
    const cwd = join(dir, 'work');
    const project = put(join(cwd, '.claude', 'settings.json'), {});
    symlinkSync(project, join(cwd, '.claude', 'settings.local.json'));
    expect(scopesOf(fileLayers(ALL, { cwd, configHome: null }))).toEqual(['localSettings']);
    const other = join(dir, 'other');
    mkdirSync(join(other, '.claude'), { recursive: true });
    const user = put(join(dir, 'home', 'settings.json'), {});
    symlinkSync(user, join(other, '.claude', 'settings.local.json'));
    expect(scopesOf(fileLayers(ALL, { cwd: other, configHome: join(dir, 'home') }))).toEqual(['userSettings']);
  });

  test('[R-18] one that only the project is asked for is read as the project’s: a deny must not get lost', () => {
    const home = tempDir();
    put(join(home, '.claude', 'settings.json'), { permissions: { deny: ['Bash'] } });
    const layers = fileLayers(['projectSettings'], { cwd: home, configHome: join(home, '.claude') });
    expect(scopesOf(layers)).toEqual(['projectSettings']);
  });
});
