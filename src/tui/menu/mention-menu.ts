import { fuzzyQuery, fuzzyScore } from '../../util/text/fuzzy-match.ts';
import type { Completion, CompletionItem } from '../focus/focus-state.ts';
import type { Asked } from './asked-at.ts';

/** What `@` can mean in addition to files. */
export interface Mentionable {
  /** `agent-reviewer`, `server:uri`. */
  readonly name: string;
  readonly detail?: string;
}

/** A file as `file_suggestions` has it. */
export interface SuggestedFile {
  readonly path: string;
  readonly is_directory: boolean;
  readonly positions?: readonly number[];
}

/** The answer to a question for files, and the question. */
export interface FileAnswer {
  readonly query: string;
  readonly suggestions: readonly SuggestedFile[];
}

const MAX_ITEMS = 50;

/** The query for `file_suggestions`: without the lines (`#L10-20`). Null where lines are being written. */
export function fileQuery({ query }: Pick<Extract<Asked, { kind: 'mention' }>, 'query'>): string | null {
  return /#L?[\d-]*$/.test(query) ? null : query;
}

/**
 * The `@` menu: agents and resources that fit, then files. An answer to an earlier question is shown until the present
 * one is there, as far as it still fits; null where there is nothing to choose.
 */
export function mentionMenu(
  asked: Extract<Asked, { kind: 'mention' }>,
  { files, others }: { files: FileAnswer | null; others: readonly Mentionable[] },
): Completion | null {
  const query = fileQuery(asked);
  if (query === null) return null;
  const wanted = fuzzyQuery(query);
  const named = others
    .map((each) => ({ each, score: fuzzyScore(wanted, each.name) }))
    // Names of agents and servers stand before files only when something of them is written.
    .filter(({ score }) => score >= 0 && query !== '')
    .sort((a, b) => b.score - a.score)
    .map(({ each }) => each);
  // A name that is meant comes before files; one that only has the letters comes behind them.
  const begins = (name: string) => name.startsWith(query) || name.replace(/^agent-/, '').startsWith(query);
  const meant = query.length > 1 ? named.filter(({ name }) => begins(name)) : [];
  const rest = named.filter((each) => !meant.includes(each));
  const isPresent = files?.query === query;
  const fitting = (files?.suggestions ?? []).filter(({ path }) => isPresent || fuzzyScore(wanted, path) >= 0);
  const paths = fitting.flatMap((file) => toFile(file, asked.isQuoted));
  const items = [...meant.map(toMention), ...paths, ...rest.map(toMention)].slice(0, MAX_ITEMS);
  return items.length === 0 ? null : { from: asked.from, to: asked.to, items };
}

function toMention({ name, detail }: Mentionable): CompletionItem {
  return { label: name, insert: `@${name} `, onEnter: 'take', ...(detail !== undefined && { detail }) };
}

/** A name that no mention can express is left out: one with a quote, a line end or another control character. */
function toFile({ path, is_directory, positions }: SuggestedFile, isQuoted: boolean): CompletionItem[] {
  if (/["\p{Cc}\p{Cs}]/u.test(path)) return [];
  const needsQuotes = isQuoted || /\s/.test(path);
  // A directory is the beginning of a longer path: the menu stays open, and its quotes, too.
  const start = needsQuotes ? `@"${path}` : `@${path}`;
  const insert = is_directory ? start : `${start}${needsQuotes ? '"' : ''} `;
  return [{ label: path, insert, onEnter: 'take', ...(positions && { positions }) }];
}
