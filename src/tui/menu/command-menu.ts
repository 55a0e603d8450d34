import { fuzzyQuery, fuzzyScore } from '../../util/text/fuzzy-match.ts';
import { patternOfText } from '../../util/text/pattern-of-text.ts';
import type { Completion, CompletionItem } from '../focus/focus-state.ts';
import type { Asked } from './asked-at.ts';

/** A command as a menu lists it. */
export interface ListedCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly aliases?: readonly string[] | undefined;
}

/** How a command fits: the better kind first. */
const KINDS = ['name', 'word', 'description', 'letters'] as const;

interface Fit {
  readonly kind: (typeof KINDS)[number];
  readonly score: number;
  readonly positions: readonly number[];
}

/**
 * The `/` menu: commands whose name begins with the query, then those with a word that does, then those whose
 * description has it, then those that hold its letters in order.
 */
export function commandMenu(
  { query, from, to }: Extract<Asked, { kind: 'command' }>,
  commands: readonly ListedCommand[],
): Completion {
  const fits = commands.flatMap((command, order) => {
    const fit = fitOf(query.toLowerCase(), command);
    return fit ? [{ command, fit, order }] : [];
  });
  fits.sort(
    (a, b) => KINDS.indexOf(a.fit.kind) - KINDS.indexOf(b.fit.kind) || b.fit.score - a.fit.score || a.order - b.order,
  );
  return { from, to, items: fits.map(({ command, fit }) => toItem(command, fit)) };
}

function fitOf(query: string, { name, aliases = [], description }: ListedCommand): Fit | null {
  const small = name.toLowerCase();
  const all = [small, ...aliases.map((alias) => alias.toLowerCase())];
  if (all.some((each) => each.startsWith(query))) {
    const isWhole = all.includes(query);
    const positions = small.startsWith(query) ? Array.from(query, (_, at) => at + 1) : [];
    return { kind: 'name', score: Number(isWhole) * 2 + Number(small.startsWith(query)), positions };
  }
  const word = new RegExp(`[-_:.]${patternOfText(query)}`).exec(small);
  if (word) return { kind: 'word', score: -word.index, positions: Array.from(query, (_, at) => word.index + 2 + at) };
  if (new RegExp(`(?:^|[^\\p{L}\\p{N}])${patternOfText(query)}`, 'u').test(description.toLowerCase())) {
    return { kind: 'description', score: 0, positions: [] };
  }
  const positions: number[] = [];
  const score = fuzzyScore(fuzzyQuery(query), small, positions);
  return score < 0 ? null : { kind: 'letters', score, positions: positions.map((at) => at + 1) };
}

function toItem({ name, description, argumentHint }: ListedCommand, { kind, positions }: Fit): CompletionItem {
  return {
    label: `/${name}`,
    detail: [argumentHint, description].filter(Boolean).join('  '),
    insert: argumentHint ? `/${name} ` : `/${name}`,
    positions,
    // Only what the user has begun to write is run; a guess by description or letters is not.
    onEnter: kind === 'name' ? 'run' : 'send',
  };
}

/** The hint that stands in dim after `/name `; null where there is none, or an argument is written already. */
export function argumentHint(text: string, commands: readonly ListedCommand[]): string | null {
  const [, name, rest = ''] = /^\/([^\s/]+)\s([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || rest.trim() !== '') return null;
  const found = commands.find((each) => each.name === name || each.aliases?.includes(name));
  return found?.argumentHint || null;
}

/** A value that an argument can have. */
export interface ArgumentChoice {
  readonly value: string;
  readonly detail?: string;
}

/** The menu of an argument; null for a command without a list. */
export function argumentMenu(
  { command, query, from, to }: Extract<Asked, { kind: 'argument' }>,
  lists: ReadonlyMap<string, readonly ArgumentChoice[]>,
): Completion | null {
  const choices = lists.get(command);
  if (!choices) return null;
  const asked = fuzzyQuery(query.trim());
  const fits = choices.flatMap((choice, order) => {
    const positions: number[] = [];
    const score = fuzzyScore(asked, choice.value, positions);
    return score < 0 ? [] : [{ choice, score, positions, order }];
  });
  fits.sort((a, b) => b.score - a.score || a.order - b.order);
  const items = fits.map(({ choice, positions }): CompletionItem => {
    const { value, detail } = choice;
    // With nothing written, Enter asks the command itself: its answer may be a list.
    const onEnter = asked.text === '' ? 'send' : 'run';
    return { label: value, insert: value, positions, onEnter, ...(detail !== undefined && { detail }) };
  });
  // The one value that is written already needs no menu.
  return items.length === 1 && items[0]?.insert === query ? null : { from, to, items };
}
