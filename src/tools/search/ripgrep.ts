import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { Aborted } from '../../util/abort.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type ToolContext, ToolError } from '../tool.ts';
import type { HeldFile } from '../workspace.ts';
import { ripgrepPath } from './ripgrep-path.ts';
import { searchPort } from './search-port.ts';

/** The most characters that one search may return; a longer output is cut off and the search ends. */
const MAX_OUTPUT = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/**
 * Hidden files are searched, version control's own are not. `--no-messages` silences files that cannot be opened, not
 * mistakes in the arguments.
 */
const COMMON = ['--no-config', '--no-messages', '--color=never', '--null', '--hidden'];
const VERSION_CONTROL = ['.git', '.hg', '.svn', '.jj'].map(without);
/** In output by lines, the rest of a name with a line break would look like another file. */
const BROKEN_NAMES = without('*\n*');

export interface Search {
  options: readonly string[];
  /** The regular expression, if contents are searched. */
  pattern?: string;
  /** The directory as the model wrote it. Globs and the paths in the output are relative to it. */
  dir: string;
  /** The directory itself, or the only files in it that are searched, by their names. */
  held: HeldFile | HeldFiles;
  /** `files`: paths, each ended by a NUL. `lines`: lines that begin with a path and a NUL, and `--` between some. */
  prints: 'files' | 'lines';
  /** Takes each record instead of the output, which stays empty then; false ends the search. */
  readonly onRecord?: (record: string) => boolean;
}

export type HeldFiles = ReadonlyMap<string, HeldFile>;

export interface SearchOutput {
  /** The output about files that may be read, without the ends of the records. */
  records: string[];
  /** The limit that ended the search early, if any. */
  limit: 'size' | 'time' | null;
}

/** The notes for the model about a search that ended early. */
export const LIMIT_NOTES: Record<NonNullable<SearchOutput['limit']>, string> = {
  size: '[There was too much to take it all: narrow the search down]',
  time: '[The search took too long and was ended: this is what it had found. Narrow it down]',
};

/**
 * Runs the bundled ripgrep, free of the user's configuration, and leaves out files that the session may not read. A
 * mistake in pattern or options is a ToolError.
 *
 * Ripgrep follows no symlinks, but it checks a path and opens it a moment later: when another process replaces a
 * directory by a link in between, ripgrep prints the content of the link's target. Only for held files it is certain
 * what ripgrep reads.
 */
export async function ripgrep(search: Search, context: ToolContext): Promise<SearchOutput> {
  const { options, pattern, dir, held } = search;
  const rgPath = await ripgrepPath().catch((error: Error) => {
    throw HeddleError.isInstance(error) ? error : new ToolError(`${error.message}.`);
  });
  const isOpen = await context.service(searchPort).readableFilter();
  const realPath = (name: string) => ('at' in held ? join(held.path, name) : (held.get(name)?.path ?? join(dir, name)));
  // Checked by both names, because the target of the written one may have changed.
  const mayRead = remembered((name) => {
    const [written, real] = [join(dir, name), realPath(name)];
    return isOpen(written) && (real === written || isOpen(real));
  });
  const found = createCollector(search, mayRead);
  const skipped = 'at' in held ? await unreadableEntries(dir, mayRead, context) : [];
  const files = 'at' in held ? [] : [...held.values()].map(({ at }) => at);
  const operands = [...(pattern === undefined ? [] : [pattern]), ...files];
  let stderr = '';
  const enough = new AbortController();
  const spec = {
    command: rgPath,
    // The last glob that matches wins, so these paths are always left out.
    args: [...COMMON, ...options, ...VERSION_CONTROL, BROKEN_NAMES, ...skipped.map(without), '--', ...operands],
    cwd: 'at' in held ? held.at : context.workspace.cwd,
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

/** Takes whole records of files that may be read; other records do not count towards any limit. */
function createCollector({ prints, held, onRecord }: Search, mayRead: (path: string) => boolean): Collector {
  const end = prints === 'files' ? '\0' : '\n';
  const decoder = new StringDecoder('utf8');
  const names = new Map('at' in held ? [] : [...held].map(([name, { at }]) => [at, name]));
  const records: string[] = [];
  let rest = '';
  let size = 0;

  /** Null: the record is left out. Held files are searched by other names than their own. */
  function accept(record: string): string | null {
    const pathEnd = prints === 'files' ? record.length : record.indexOf('\0');
    // Without a path: a separator, or a remark that names some file.
    if (pathEnd === -1) return record === '--' ? record : null;
    const printed = record.slice(0, pathEnd);
    const path = names.get(printed) ?? printed;
    return mayRead(path) ? path + record.slice(pathEnd) : null;
  }

  return {
    records,
    add(data) {
      const parts = (rest + decoder.write(data)).split(end);
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const record = accept(part);
        if (record === null) continue;
        if (onRecord) {
          if (!onRecord(record)) return false;
          continue;
        }
        size += record.length + 1;
        if (size > MAX_OUTPUT) return false;
        records.push(record);
      }
      return true;
    },
  };
}

/** More would not fit on a command line; the others are searched and their records dropped. */
const MAX_SKIPPED = 1000;

/** Globs for paths that need not be searched, because their records would be dropped. */
async function unreadableEntries(
  dir: string,
  mayRead: (path: string) => boolean,
  { workspace }: ToolContext,
): Promise<string[]> {
  const names = (await workspace.list(dir)).filter((name) => !mayRead(name));
  return names.slice(0, MAX_SKIPPED).map((name) => `/${name.replaceAll(/[\\*?[\]{}!]/g, '\\$&')}`);
}

/** Tests each file once, however many of its lines were found. */
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
