import { join } from 'node:path';
import { stringField } from '../../util/json.ts';
import { type FuzzyQuery, fuzzyQuery, fuzzyScore, lettersOf } from '../../util/text/fuzzy-match.ts';
import type { FileSuggestions } from '../../wire/control/index.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { explainCall } from '../permissions/explain-call.ts';
import { readFilter } from '../permissions/read-filter.ts';
import type { MainThread } from '../thread/thread.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';
import { bestOf, FileIndex, type ScoredPath } from './file-index.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const MAX_QUERY = 1000;
/** How long the first question waits for the list of files. */
const PATIENCE_MS = 200;
/** Of an ignored directory that the query names. */
const MAX_NAMES = 20_000;

/** `file_suggestions`: completes the name of a file. It lists no file that a rule hides, and reads none. */
export async function fileSuggestions(
  { main, files }: ControlContext,
  request: ControlBody,
  signal: AbortSignal,
): Promise<FileSuggestions> {
  const asked = stringField(request, 'query');
  if (asked === undefined || asked.length > MAX_QUERY) {
    throw invalidRequest('query', `a text of at most ${MAX_QUERY} characters`);
  }
  const limit = limitOf(request.limit);
  const query = fuzzyQuery(asked.replace(/^\.\//, ''));
  files.index ??= new FileIndex();
  // The list outlives the request that needs it first.
  const context = main.toolContext('file_suggestions', new AbortController().signal);
  const { list, isGrowing } = await files.index.list(context, PATIENCE_MS);
  const directory = query.text.slice(0, query.text.lastIndexOf('/') + 1);
  const isListed = directory === '' || list.has(directory);
  const ignored = isListed ? [] : await namesIn(main, directory);
  const from = ignored.length > 0 ? { paths: ignored, letters: ignored.map(lettersOf) } : list;
  const { best, total } = await bestOf(from, query, { limit: limit + MARGIN, signal });
  const isOpen = await readFilter(main.permissions);
  const { cwd } = main.workplace.workspace;
  const shown = best.filter(({ path }) => isOpen(join(cwd, path))).slice(0, limit);
  return {
    suggestions: shown.map((each) => suggestion(query, each)),
    cwd,
    total,
    truncated: list.isTruncated,
    ...(isGrowing && { indexing: true }),
  };
}

/** More than asked for, because a rule may hide some that were listed before it was added. */
const MARGIN = 100;

function suggestion(query: FuzzyQuery, { path, score }: ScoredPath): FileSuggestions['suggestions'][number] {
  const positions: number[] = [];
  fuzzyScore(query, path, positions);
  return { path, is_directory: path.endsWith('/'), score, positions };
}

/** Ignored files are suggested only below a directory that the query names. Empty where that may not be listed. */
async function namesIn(main: MainThread, directory: string): Promise<string[]> {
  const { workspace } = main.workplace;
  const rules = { tools: main.toolbox.registry, workspace, policy: main.permissions.inForce() };
  const input = { pattern: '*', path: directory };
  const decided = await explainCall('Glob', input, rules).catch(() => ({ behavior: 'deny' }));
  if (decided.behavior !== 'allow') return [];
  const names = await workspace.list(workspace.resolve(directory)).catch(() => []);
  return names.slice(0, MAX_NAMES).map((name) => `${directory}${name}`);
}

function limitOf(asked: unknown): number {
  if (asked === undefined) return DEFAULT_LIMIT;
  if (!Number.isInteger(asked) || (asked as number) < 1) throw invalidRequest('limit', 'a whole number, 1 or above');
  return Math.min(asked as number, MAX_LIMIT);
}
