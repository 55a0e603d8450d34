import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Env } from '../host/engine/environment.ts';
import { ByteLines } from '../sessions/files/byte-lines.ts';
import { recordsOfLine } from '../sessions/files/line-records.ts';
import { isSubagentFile, projectFolders } from '../sessions/files/session-paths.ts';
import { createQuery, hitsIn, type TextHit, type TextQuery } from '../sessions/stored/text-query.ts';
import { ripgrepPath } from '../tools/search/ripgrep-path.ts';
import { Aborted } from '../util/abort.ts';
import { stringField } from '../util/json.ts';
import { createProcesses } from '../util/process/process.ts';
import type { Logger } from '../util/runtime.ts';

export interface SearchOptions {
  /** The config home. */
  home: string;
  /** The real path of a working directory; without it, all projects. */
  project?: string;
  /** Only these files and folders. */
  files?: readonly string[];
  /** Ends the search. */
  signal?: AbortSignal;
  /** A text, or with `isPattern` a regular expression of JavaScript. */
  query: string;
  isPattern: boolean;
  /** The most hits to return. */
  limit: number;
  env: Env;
  log: Logger;
}

export interface SessionHit extends TextHit {
  sessionId: string;
  /** The subagent that wrote the text. */
  agentId?: string;
  path: string;
  line: number;
  uuid?: string;
  timestamp?: string;
}

export interface SearchResult {
  hits: SessionHit[];
  /** There may be more hits. */
  isCut: boolean;
}

/**
 * Searches a text in the messages of sessions, the last written session first. Ripgrep finds the lines that may contain
 * it; parsing them shows whether it is in a message, and not in a key or an id.
 */
export async function searchSessions(options: SearchOptions): Promise<SearchResult> {
  const { home, project, files, query: text, isPattern, limit, log } = options;
  const query = createQuery(text, { isPattern });
  const folders = files ?? (project === undefined ? [join(home, 'projects')] : projectFolders(home, project));
  const there = folders.filter((folder) => existsSync(folder));
  if (there.length === 0) return { hits: [], isCut: false };

  const hits: SessionHit[] = [];
  const enough = new AbortController();
  const stop = () => enough.abort(new Aborted('superseded'));
  options.signal?.addEventListener('abort', stop, { once: true });
  const processes = createProcesses({ log });
  const lines = new ByteLines();
  const take = (block: Buffer) => {
    for (const { bytes } of lines.push(block)) {
      if (bytes) hits.push(...hitsOnLine(bytes, query));
      if (hits.length > limit) return stop();
    }
  };
  try {
    await runRipgrep(query.needles, there, { ...options, processes, take, signal: enough.signal });
  } catch (error) {
    if (!enough.signal.aborted) throw error;
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await processes.close();
  }
  return { hits: hits.slice(0, limit), isCut: hits.length > limit };
}

interface RipgrepRun {
  env: Env;
  log: Logger;
  processes: ReturnType<typeof createProcesses>;
  take: (block: Buffer) => void;
  signal: AbortSignal;
}

const FLAGS = [
  ...['--no-config', '--no-ignore', '--hidden', '--text', '--encoding=none', '--color=never', '--no-heading'],
  ...['--with-filename', '--null', '--line-number', '--sortr=modified', '--glob=*.jsonl'],
  ...['--fixed-strings', '--ignore-case'],
];

async function runRipgrep(needles: readonly string[], folders: readonly string[], run: RipgrepRun): Promise<void> {
  const rgPath = await ripgrepPath();
  const patterns = needles.length > 0 ? needles : ['{']; // every entry has one
  let complaints = '';
  await run.processes.run(
    {
      command: rgPath,
      args: [...FLAGS, ...patterns.map((pattern) => `--regexp=${pattern}`), '--', ...folders],
      cwd: '/',
      env: { ...run.env, RIPGREP_CONFIG_PATH: undefined },
      onOutput(stream, data) {
        if (stream === 'stdout') run.take(data);
        else complaints = (complaints + data).slice(0, 2000);
      },
    },
    run.signal,
  );
  for (const line of complaints.split('\n')) if (line !== '') run.log('warn', `Not searched: ${line}`);
}

/** A line as ripgrep prints it: the path, a NUL, the number, a colon, and the line itself. */
function hitsOnLine(printed: Buffer, query: TextQuery): SessionHit[] {
  const nameEnd = printed.indexOf(0);
  const numberEnd = printed.indexOf(0x3a, nameEnd);
  if (nameEnd < 0 || numberEnd < 0) return [];
  const path = printed.toString('utf8', 0, nameEnd);
  const number = Number(printed.toString('latin1', nameEnd + 1, numberEnd));
  const bytes = printed.subarray(numberEnd + 1);
  const records = recordsOfLine({ bytes, length: bytes.length, number, ended: true });
  return records.flatMap((item) => {
    if (!('entry' in item)) return [];
    const { entry } = item;
    const [uuid, timestamp] = [stringField(entry, 'uuid'), stringField(entry, 'timestamp')];
    const place = { ...sessionAt(path), path, line: number, ...(uuid && { uuid }), ...(timestamp && { timestamp }) };
    return hitsIn(entry, query).map((hit) => ({ ...place, ...hit }));
  });
}

function sessionAt(path: string): { sessionId: string; agentId?: string } {
  const name = basename(path, '.jsonl');
  if (!isSubagentFile(basename(path))) return { sessionId: name };
  return { sessionId: basename(dirname(dirname(path))), agentId: name.slice('agent-'.length) };
}
