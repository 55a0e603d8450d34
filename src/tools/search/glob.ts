import { join } from 'node:path';
import type { GlobOutput } from '../wire/tool-outputs.ts';
import { boundList } from './bounded-field.ts';
import { LIMIT_NOTES, ripgrep, type SearchOutput } from './ripgrep.ts';
import { type ToolContext, ToolError, type ToolOutput } from './tool.ts';

export interface GlobSearch {
  /** Absolute. */
  dir: string;
  /** Relative to it. */
  pattern: string;
}

const MAX_FILES = 100;

export async function glob({ dir, pattern }: GlobSearch, context: ToolContext): Promise<ToolOutput> {
  const started = context.runtime.clock.now();
  await requireDirectory(dir, context);
  let found = await listFiles(dir, pattern, context);
  // Nothing but ignored files match: whoever asks for node_modules/x/*.d.ts means it.
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

/** Of those that can be shown only what is there: a link that stood in the place of a directory has names of its own. */
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
