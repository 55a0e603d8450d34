import { basename, dirname, join, relative } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import type { GrepOutput } from '../../wire/tools/tool-outputs.ts';
import { boundField, boundList } from '../bounded-field.ts';
import { boolean, type InputOf, integer, objectInput, oneOf, optional, string } from '../input-schema.ts';
import { type Tool, type ToolContext, ToolError, type ToolOutput } from '../tool.ts';
import { countEntries, lineEntries } from './grep-output.ts';
import { LIMIT_NOTES, type SearchOutput } from './ripgrep.ts';
import { searchContents } from './search-contents.ts';

const lines = (text: string) => optional(integer(text, { minimum: 0 }));

const input = objectInput({
  pattern: string('Regular expression (Rust syntax)'),
  path: optional(string('File or directory; default: the working directory')),
  glob: optional(string('Only files like *.js or **/*.{ts,tsx}')),
  output_mode: optional(
    oneOf(
      ['content', 'files_with_matches', 'count'],
      'Lines (-A, -B, -C, -n and -o are for these), file names (default), or counts',
    ),
  ),
  '-B': lines('Lines before a match'),
  '-A': lines('Lines after it'),
  '-C': lines('Lines around it'),
  context: lines('Same as -C'),
  '-n': optional(boolean('Line numbers; default true')),
  '-i': optional(boolean('Ignore case')),
  '-o': optional(boolean('Only what matches')),
  type: optional(string('Only files of a type: js, py, rust')),
  head_limit: lines('At most N lines or files; default 250, 0: all'),
  offset: lines('Skip N lines or files'),
  multiline: optional(boolean('Matches may span lines, and . a line break')),
});

type GrepInput = InputOf<typeof input>;

export const grepTool: Tool<GrepInput> = {
  name: 'Grep',
  description: `Searches file contents by regular expression, with ripgrep.

- Escape literal braces and parentheses: \`interface\\{\\}\` finds interface{}.
- Files ignored by .gitignore and binary files are left out.`,
  input,
  access: ({ path }, workspace) => ({ kind: 'read', paths: [workspace.resolve(path ?? '.')] }),
  isConcurrencySafe: () => true,
  run: grep,
};

const DEFAULT_ENTRIES = 250;

async function grep(search: GrepInput, context: ToolContext): Promise<ToolOutput> {
  const { dir, file } = await locate(search.path, context);
  const { records, limit } = await searchContents(
    {
      filters: filterOptions(search),
      output: modeOptions(search),
      pattern: search.pattern,
      dir,
      ...(file !== undefined && { file }),
      prints: modeOf(search) === 'files_with_matches' ? 'files' : 'lines',
    },
    context,
  );
  const entries = await readEntries(records, search, dir, context);
  return present(pageOf(entries, search), search, limit);
}

function modeOf({ output_mode }: GrepInput): NonNullable<GrepInput['output_mode']> {
  return output_mode ?? 'files_with_matches';
}

function filterOptions(search: GrepInput): string[] {
  return [
    ...(search['-i'] ? ['--ignore-case'] : []),
    ...(search.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(search.glob === undefined ? [] : [`--glob=${search.glob}`]),
    ...(search.type === undefined ? [] : [`--type=${search.type}`]),
  ];
}

function modeOptions(search: GrepInput): string[] {
  const mode = modeOf(search);
  if (mode === 'files_with_matches') return ['--files-with-matches'];
  if (mode === 'count') return ['--count', '--with-filename'];
  const around = search['-C'] ?? search.context ?? 0;
  return [
    '--with-filename',
    ...(search['-o'] ? ['--only-matching'] : []),
    '--line-number', // always, to tell matches from context; left out again where it is not wanted
    '--max-columns=500',
    '--max-columns-preview',
    `--before-context=${search['-B'] ?? around}`,
    `--after-context=${search['-A'] ?? around}`,
  ];
}

/** A directory is searched from within, a file from its parent directory. */
async function locate(path: string | undefined, { workspace }: ToolContext): Promise<{ dir: string; file?: string }> {
  const target = workspace.resolve(path ?? '.');
  const stat = await workspace.stat(target);
  if (!stat) throw new ToolError(`Path does not exist: ${target}`);
  if (stat.kind === 'directory') return { dir: target };
  // Opening a FIFO would wait for a writer; a device may never end.
  if (stat.kind === 'other') throw new ToolError(`${target} is neither a file nor a directory.`);
  if (target.includes('\n')) throw new ToolError('A file with a line break in its name cannot be searched.');
  return { dir: dirname(target), file: basename(target) };
}

/** Relative to the working directory where that is shorter to read: inside of it. */
function displayName(path: string, { workspace }: ToolContext): string {
  return isInside(workspace.cwd, path) ? relative(workspace.cwd, path) : path;
}

async function readEntries(
  records: readonly string[],
  search: GrepInput,
  dir: string,
  context: ToolContext,
): Promise<string[]> {
  const name = (path: string) => displayName(join(dir, path), context);
  switch (modeOf(search)) {
    case 'content':
      return lineEntries(records, { name, numbers: search['-n'] ?? true });
    case 'count':
      return countEntries(records, name);
    case 'files_with_matches':
      return (await newestFirst(records, dir, context)).map(name);
  }
}

async function newestFirst(paths: readonly string[], dir: string, { workspace }: ToolContext): Promise<string[]> {
  const ages = await Promise.all(
    paths.map(async (path) => {
      const stat = await workspace.stat(join(dir, path)).catch(() => null); // it may have gone meanwhile
      return { path, mtimeMs: stat?.mtimeMs ?? 0 };
    }),
  );
  return ages.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

interface Page {
  entries: string[];
  total: number;
  /** The limit and offset that the result reports; absent when everything is shown. */
  applied: { appliedLimit?: number; appliedOffset?: number };
}

function pageOf(all: string[], { head_limit = DEFAULT_ENTRIES, offset = 0 }: GrepInput): Page {
  const limit = head_limit === 0 ? all.length : head_limit;
  const entries = all.slice(offset, offset + limit);
  const applied = {
    ...(offset + limit < all.length ? { appliedLimit: limit } : {}),
    ...(offset > 0 ? { appliedOffset: offset } : {}),
  };
  return { entries, total: all.length, applied };
}

type Found = Pick<GrepOutput, 'mode'> & Partial<GrepOutput>;

function present({ entries, total, applied }: Page, search: GrepInput, limit: SearchOutput['limit']): ToolOutput {
  const mode = modeOf(search);
  const text = entries.join('\n');
  const note = [
    ...(entries.length < total ? [`[${entries.length} of ${total} shown; head_limit and offset show others]`] : []),
    ...(limit ? [LIMIT_NOTES[limit]] : []),
  ];
  const content = (body: string) => [body, ...note].join('\n');
  const data = (found: Found): GrepOutput => ({ numFiles: 0, filenames: [], ...found, ...applied });
  switch (mode) {
    case 'content':
      return {
        content: content(text || 'No matches found'),
        data: data({ mode, content: boundField(text), numLines: entries.length }),
      };
    case 'count': {
      const numMatches = entries.reduce((sum, entry) => sum + Number(entry.slice(entry.lastIndexOf(':') + 1)), 0);
      return {
        content: content(text || 'No matches found'),
        data: data({ mode, numFiles: entries.length, content: boundField(text), numMatches }),
      };
    }
    case 'files_with_matches': {
      const title = entries.length === 1 ? 'Found 1 file' : `Found ${entries.length} files`;
      return {
        content: content(text === '' ? 'No files found' : `${title}\n${text}`),
        data: data({ mode, numFiles: entries.length, filenames: boundList(entries) }),
      };
    }
  }
}
