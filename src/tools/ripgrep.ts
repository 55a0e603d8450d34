import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { Aborted } from '../util/abort.ts';
import { type ToolContext, ToolError } from './tool.ts';

/** What one search may return, in characters; more is cut off and the search ended. */
const MAX_OUTPUT = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/**
 * Hidden files are searched, version control's own are not. `--no-messages` silences files that cannot be opened, not
 * mistakes in the arguments.
 */
const COMMON = ['--no-config', '--no-messages', '--color=never', '--null', '--hidden'];
const VERSION_CONTROL = ['.git', '.hg', '.svn', '.jj'].map(without);
/** In what is printed line by line, the rest of such a name would pass for another file. */
const BROKEN_NAMES = without('*\n*');

export interface Search {
  options: readonly string[];
  /** Pattern and paths; never taken for options. */
  operands: readonly string[];
  /** Where it runs: paths in the output and globs are relative to it. */
  dir: string;
  /** `files`: paths, each ended by a NUL. `lines`: lines that begin with a path and a NUL, and `--` between some. */
  prints: 'files' | 'lines';
}

export interface SearchOutput {
  /** What was printed about files that may be read, without the ends of the records. */
  records: string[];
  /** What ended the search early, if something did. */
  limit: 'size' | 'time' | null;
}

/** What the model is told of a search that ended early. */
export const LIMIT_NOTES: Record<NonNullable<SearchOutput['limit']>, string> = {
  size: '[There was too much to take it all: narrow the search down]',
  time: '[The search took too long and was ended: this is what it had found. Narrow it down]',
};

/**
 * Runs the bundled ripgrep, free of the user's configuration, and leaves out what the session hides from reading (trust
 * It follows no symlinks but those in `operands`. A mistake in pattern or options is a ToolError.
 */
export async function ripgrep(search: Search, context: ToolContext): Promise<SearchOutput> {
  const { options, operands, dir } = search;
  const { rgPath } = await import('@vscode/ripgrep'); // not on the start path
  const mayRead = context.session.readFilter();
  const found = createCollector(
    search,
    remembered((path) => mayRead(join(dir, path))),
  );
  const skipped = await unreadableEntries(dir, mayRead, context);
  let stderr = '';
  const enough = new AbortController();
  const spec = {
    command: rgPath,
    // The last glob that matches wins: these are left out whatever else was asked for.
    args: [...COMMON, ...options, ...VERSION_CONTROL, BROKEN_NAMES, ...skipped.map(without), '--', ...operands],
    cwd: dir,
    env: { ...context.env, RIPGREP_CONFIG_PATH: undefined },
    timeoutMs: TIMEOUT_MS,
    onOutput(stream: 'stdout' | 'stderr', data: Buffer) {
      if (stream === 'stderr') stderr = (stderr + data).slice(0, 4000);
      else if (!found.add(data)) enough.abort(new Aborted('superseded'));
    },
  };
  const { records } = found;
  try {
    const { exitCode, timedOut } = await context.workspace.exec(spec, AbortSignal.any([context.signal, enough.signal]));
    if (timedOut && records.length > 0) return { records, limit: 'time' };
    if (timedOut) throw new ToolError(`The search took longer than ${TIMEOUT_MS / 1000} s. Narrow it down.`);
    // 0 and 1 mean found and not found; 2 also when a file could not be opened, and that is no reason to fail.
    if (exitCode === 2 && stderr !== '') throw new ToolError(plainError(stderr));
    return { records, limit: null };
  } catch (error) {
    if (enough.signal.aborted && !context.signal.aborted) return { records, limit: 'size' };
    throw error;
  }
}

interface Collector {
  readonly records: string[];
  /** False when there is enough. */
  add(data: Buffer): boolean;
}

/** Takes whole records, and those only of files that may be read: the others do not count towards any limit. */
function createCollector({ prints }: Search, mayRead: (path: string) => boolean): Collector {
  const end = prints === 'files' ? '\0' : '\n';
  const decoder = new StringDecoder('utf8');
  const records: string[] = [];
  let rest = '';
  let size = 0;

  function accepts(record: string): boolean {
    if (prints === 'files') return mayRead(record);
    const pathEnd = record.indexOf('\0');
    // Without a path: a separator, or a remark that names some file.
    return pathEnd === -1 ? record === '--' : mayRead(record.slice(0, pathEnd));
  }

  return {
    records,
    add(data) {
      const parts = (rest + decoder.write(data)).split(end);
      rest = parts.pop() ?? '';
      for (const record of parts) {
        if (!accepts(record)) continue;
        size += record.length + 1;
        if (size > MAX_OUTPUT) return false;
        records.push(record);
      }
      return true;
    },
  };
}

/** More would not fit on a command line; those beyond are searched in vain. */
const MAX_SKIPPED = 1000;

/** Globs for what need not be searched at all, because it would be left out anyway. */
async function unreadableEntries(
  dir: string,
  mayRead: (path: string) => boolean,
  { workspace }: ToolContext,
): Promise<string[]> {
  const names = (await workspace.list(dir)).filter((name) => !mayRead(join(dir, name)));
  return names.slice(0, MAX_SKIPPED).map((name) => `/${name.replaceAll(/[\\*?[\]{}!]/g, '\\$&')}`);
}

/** A file is asked for once, however many of its lines were found. */
function remembered(test: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const answer = known.get(path) ?? test(path);
    known.set(path, answer);
    return answer;
  };
}

function without(glob: string): string {
  return `--glob=!${glob}`;
}

function plainError(stderr: string): string {
  return `The search is not valid: ${stderr.replace(/^rg: /, '').trim()}`;
}
