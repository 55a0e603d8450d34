import { join } from 'node:path';
import type { ToolContext } from '../tool.ts';
import type { HeldFile, Workspace } from '../workspace.ts';
import { type HeldFiles, ripgrep, type Search, type SearchOutput } from './ripgrep.ts';

export interface ContentSearch extends Pick<Search, 'dir' | 'prints'> {
  pattern: string;
  /** The arguments that select the files. */
  filters: readonly string[];
  /** The arguments that select the output. */
  output: readonly string[];
  /** The only file in the directory that is searched. */
  file?: string;
}

/** The number of files that are held open at a time. */
const BATCH = 200;

/**
 * Searches in files. A directory is searched twice: first for the files with matches, then in just these files, each of
 * them held open. So the output never shows a file that the first search read through a link that another process put
 * there.
 */
export function searchContents(search: ContentSearch, context: ToolContext): Promise<SearchOutput> {
  const { dir, file } = search;
  if (file !== undefined) return searchHeld([file], search, context);
  return context.workspace.hold(dir, async (held) => {
    if (held.at === held.path) return run(held, search, context);
    const found = await run(held, { ...search, output: ['--files-with-matches'], prints: 'files' }, context);
    const { records, limit } = await searchHeld(found.records, search, context);
    return { records, limit: found.limit ?? limit };
  });
}

async function searchHeld(
  names: readonly string[],
  search: ContentSearch,
  context: ToolContext,
): Promise<SearchOutput> {
  const records: string[] = [];
  for (let at = 0; at < names.length; at += BATCH) {
    const work = async (held: HeldFiles) => (held.size > 0 ? run(held, search, context) : null);
    const part = await holdAll(names.slice(at, at + BATCH), { dir: search.dir, workspace: context.workspace, work });
    for (const record of part?.records ?? []) records.push(record);
    if (part?.limit) return { records, limit: part.limit };
  }
  return { records, limit: null };
}

function run(held: Search['held'], search: ContentSearch, context: ToolContext): Promise<SearchOutput> {
  const { pattern, filters, output, dir, prints } = search;
  return ripgrep({ options: [...output, ...filters], pattern, dir, held, prints }, context);
}

interface Holding<T> {
  dir: string;
  workspace: Workspace;
  work: (held: HeldFiles) => Promise<T>;
}

/** Leaves out files that are gone or have become links. */
async function holdAll<T>(
  [name, ...others]: readonly string[],
  holding: Holding<T>,
  held: ReadonlyMap<string, HeldFile> = new Map(),
): Promise<T> {
  if (name === undefined) return holding.work(held);
  let isHeld = false;
  const withOthers = (one: HeldFile) => {
    isHeld = true;
    return holdAll(others, holding, new Map([...held, [name, one]]));
  };
  try {
    return await holding.workspace.hold(join(holding.dir, name), withOthers);
  } catch (error) {
    if (isHeld) throw error;
    return holdAll(others, holding, held);
  }
}
