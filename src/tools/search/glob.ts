import { isAbsolute, join, resolve } from 'node:path';
import type { GlobOutput } from '../../wire/tools/tool-outputs.ts';
import { boundList } from '../bounded-field.ts';
import { type InputOf, objectInput, optional, string } from '../input-schema.ts';
import { type Tool, type ToolContext, ToolError, type ToolOutput } from '../tool.ts';
import type { Workspace } from '../workspace.ts';
import { LIMIT_NOTES, ripgrep, type SearchOutput } from './ripgrep.ts';

const input = objectInput({
  pattern: string('Glob pattern, such as **/*.ts or src/**/*.{js,jsx}'),
  path: optional(string('Directory to search; default: the working directory')),
});

type GlobInput = InputOf<typeof input>;

export const globTool: Tool<GlobInput> = {
  name: 'Glob',
  description: `Finds files by name. Returns absolute paths, the last changed at the end, at most the 100 newest.

- *, **, ?, [abc] and {a,b} work; a pattern without a slash matches names at any depth.
- Files ignored by .gitignore are left out unless nothing else matches.`,
  input,
  access: (search, workspace) => ({ kind: 'read', paths: [locate(search, workspace).dir] }),
  isConcurrencySafe: () => true,
  run: (search, context) => glob(locate(search, context.workspace), context),
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

interface GlobSearch {
  /** Absolute. */
  dir: string;
  /** Relative to it. */
  pattern: string;
}

const MAX_FILES = 100;

async function glob({ dir, pattern }: GlobSearch, context: ToolContext): Promise<ToolOutput> {
  const started = context.runtime.clock.now();
  await requireDirectory(dir, context);
  let found = await listFiles(dir, pattern, context);
  // Only ignored files match: a model that asks for node_modules/x/*.d.ts wants them.
  if (found.records.length === 0 && found.limit === null)
    found = await listFiles(dir, pattern, context, ['--no-ignore']);
  const { records, limit } = found;
  // The newest are kept, but the wire lists them oldest first.
  const filenames = boundList(records.slice(0, MAX_FILES).map((name) => join(dir, name))).reverse();
  const truncated = records.length > filenames.length || limit !== null;
  const durationMs = context.runtime.clock.now() - started;
  return {
    content: render(filenames, records.length, limit),
    data: {
      filenames,
      durationMs,
      numFiles: filenames.length,
      truncated,
    } satisfies GlobOutput,
    todaysData: { totalMatches: records.length, countIsComplete: limit === null } satisfies Partial<GlobOutput>,
  };
}

/** Newest first. */
async function listFiles(
  dir: string,
  pattern: string,
  context: ToolContext,
  more: string[] = [],
): Promise<SearchOutput> {
  // A glob that matches directories would bring back ignored ones; one that matches all says nothing anyway.
  const glob = ['*', '**', '**/*'].includes(pattern) ? [] : [`--glob=${pattern}`];
  const options = ['--files', '--sortr=modified', ...glob, ...more];
  return context.workspace.hold(dir, async (held) => {
    const found = await ripgrep({ options, dir, held, prints: 'files' }, context);
    return held.at !== held.path ? { ...found, records: await withoutForeign(found.records, dir, context) } : found;
  });
}

/**
 * Drops names that do not exist, among those that can be shown: the search may have listed the target of a link that
 * another process put in place of a directory.
 */
async function withoutForeign(names: readonly string[], dir: string, { workspace }: ToolContext): Promise<string[]> {
  const there: string[] = [];
  for (const [at, name] of names.entries()) {
    if (there.length === MAX_FILES) return [...there, ...names.slice(at)];
    if (await workspace.stat(join(dir, name)).catch(() => null)) there.push(name);
  }
  return there;
}

function render(filenames: string[], total: number, limit: SearchOutput['limit']): string {
  const note = `(${filenames.length} of ${total} files; use a narrower pattern or path to see others)`;
  return [
    ...(total === 0 ? ['No files found'] : filenames),
    ...(total > filenames.length ? [note] : []),
    ...(limit ? [LIMIT_NOTES[limit]] : []),
  ].join('\n');
}

async function requireDirectory(dir: string, context: ToolContext): Promise<void> {
  const stat = await context.workspace.stat(dir);
  if (!stat) throw new ToolError(`Directory does not exist: ${dir}`);
  if (stat.kind !== 'directory') throw new ToolError(`${dir} is not a directory.`);
}
