import { isAbsolute, join, resolve } from 'node:path';
import { type InputOf, objectInput, optional, string } from './input-schema.ts';
import { ripgrep } from './ripgrep.ts';
import { type Tool, type ToolContext, ToolError } from './tool.ts';
import type { Workspace } from './workspace.ts';

const MAX_FILES = 100;

const input = objectInput({
  pattern: string('Glob pattern, such as **/*.ts or src/**/*.{js,jsx}'),
  path: optional(string('Directory to search; default: the working directory')),
});

type GlobInput = InputOf<typeof input>;

export const globTool: Tool<GlobInput> = {
  name: 'Glob',
  description: `Finds files by name pattern. Returns absolute paths, the most recently changed last, at most the ${MAX_FILES} newest.

- *, **, ?, [abc] and {a,b} work; a pattern without a slash matches names at any depth.
- Files ignored by .gitignore are left out unless nothing else matches. To search in file contents use Grep.`,
  input,
  access: (search, workspace) => ({ kind: 'read', paths: [locate(search, workspace).dir] }),
  isConcurrencySafe: () => true,
  async run(search, context) {
    const started = context.runtime.clock.now();
    const { dir, pattern } = locate(search, context.workspace);
    await requireDirectory(dir, context);
    let found = await listFiles(dir, pattern, context);
    // Nothing but ignored files match: whoever asks for node_modules/x/*.d.ts means it.
    if (found.length === 0) found = await listFiles(dir, pattern, context, ['--no-ignore']);
    // The newest are kept, but the wire lists them oldest first.
    const filenames = found
      .slice(0, MAX_FILES)
      .reverse()
      .map((name) => join(dir, name));
    const truncated = found.length > MAX_FILES;
    const durationMs = context.runtime.clock.now() - started;
    return {
      content: render(filenames, found.length),
      data: { filenames, durationMs, numFiles: filenames.length, truncated },
    };
  },
};

/** Newest first. */
async function listFiles(dir: string, pattern: string, context: ToolContext, more: string[] = []): Promise<string[]> {
  // A glob that matches directories would bring back ignored ones; one that matches all says nothing anyway.
  const glob = ['*', '**', '**/*'].includes(pattern) ? [] : [`--glob=${pattern}`];
  const options = ['--files', '--sortr=modified', ...glob, ...more];
  return (await ripgrep({ options, operands: [], dir, prints: 'files' }, context)).records;
}

function render(filenames: string[], total: number): string {
  if (filenames.length === 0) return 'No files found';
  const note = `(${filenames.length} of ${total} files; use a narrower pattern or path to see others)`;
  return [...filenames, ...(total > filenames.length ? [note] : [])].join('\n');
}

/** A pattern that leads elsewhere (`/x/*.ts`, `~/*.ts`, `../*.ts`) is a directory and a pattern below it. */
function locate({ pattern, path }: GlobInput, workspace: Workspace): { dir: string; pattern: string } {
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

async function requireDirectory(dir: string, context: ToolContext): Promise<void> {
  const stat = await context.workspace.stat(dir);
  if (!stat) throw new ToolError(`Directory does not exist: ${dir}`);
  if (stat.kind !== 'directory') throw new ToolError(`${dir} is not a directory.`);
}
