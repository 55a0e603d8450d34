import { isAbsolute, resolve } from 'node:path';
import type { GlobSearch } from './glob-run.ts';
import { type InputOf, objectInput, optional, string } from './input-schema.ts';
import type { Tool } from './tool.ts';
import type { Workspace } from './workspace.ts';

const input = objectInput({
  pattern: string('Glob pattern, such as **/*.ts or src/**/*.{js,jsx}'),
  path: optional(string('Directory to search; default: the working directory')),
});

type GlobInput = InputOf<typeof input>;

export const globTool: Tool<GlobInput> = {
  name: 'Glob',
  description: `Finds files by name pattern. Returns absolute paths, the most recently changed last, at most the 100 newest.

- *, **, ?, [abc] and {a,b} work; a pattern without a slash matches names at any depth.
- Files ignored by .gitignore are left out unless nothing else matches. To search in file contents use Grep.`,
  input,
  access: (search, workspace) => ({ kind: 'read', paths: [locate(search, workspace).dir] }),
  isConcurrencySafe: () => true,
  async run(search, context) {
    const { glob } = await import('./glob-run.ts');
    return glob(locate(search, context.workspace), context);
  },
};

/** A pattern that leads elsewhere (`/x/*.ts`, `~/*.ts`, `../*.ts`) is a directory and a pattern below it. */
function locate({ pattern, path }: GlobInput, workspace: Workspace): GlobSearch {
  const base = workspace.resolve(path ?? '.');
  const parts = pattern.split('/');
  const isRooted = isAbsolute(pattern) || parts[0] === '~';
  if (!isRooted && !parts.includes('..')) return { dir: base, pattern: pattern.replace(/^(\.\/)+/, '') };
  const firstSpecial = parts.findIndex((part) => /[*?[\]{}!]/.test(part));
  const split = firstSpecial === -1 ? parts.length - 1 : firstSpecial;
  const fixed = parts.slice(0, split).join('/');
  return {
    dir: isRooted ? workspace.resolve(fixed || '/') : resolve(base, fixed),
    pattern: `/${parts.slice(split).join('/')}`,
  };
}
