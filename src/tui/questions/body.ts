import type { SessionInfo } from '../../view/view.ts';
import { type Row, toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { textRows } from './shown-text.ts';

export interface BodyOptions {
  context: RowContext;
  info: Pick<SessionInfo, 'cwd' | 'directories'>;
  /** All lines whole, for the pager. */
  isWhole: boolean;
  ignoreBlanks: boolean;
}

/** What a call would do, as rows. */
export interface Body {
  rows: Row[];
  /** Where a changed line begins; none where nothing is a change. */
  changes: number[];
  /** Some rows do not show all of their line. */
  isCut: boolean;
}

export function bodyOfRows(rows: Row[]): Body {
  return { rows, changes: [], isCut: false };
}

/** One body under the other. */
export function joinedBodies(bodies: readonly Body[]): Body {
  const all: Body = { rows: [], changes: [], isCut: false };
  for (const { rows, changes, isCut } of bodies) {
    all.changes.push(...changes.map((at) => at + all.rows.length));
    all.rows.push(...rows);
    all.isCut ||= isCut;
  }
  return all;
}

/** As much of it as there is room for, and a row that says what is missing. */
export function fitBody(
  { rows, changes, isCut }: Body,
  room: number,
  context: RowContext,
): { rows: Row[]; hasMore: boolean } {
  const note = (text: string) => toRow([{ text: `  \u2026 ${text}: v shows all`, styles: ['dim'] }], context.palette);
  if (rows.length <= room && !isCut) return { rows, hasMore: false };
  const shown = rows.slice(0, Math.max(1, room - 1));
  const seen = changes.filter((at) => at < shown.length).length;
  if (shown.length === rows.length) return { rows: [...shown, note('long rows are cut')], hasMore: true };
  const text =
    changes.length > 0 ? `${seen} of ${changes.length} changed rows` : `${shown.length} of ${rows.length} rows`;
  return { rows: [...shown, note(text)], hasMore: true };
}

/** `name: value`, for what a call is made of. */
export function factRows(facts: readonly (readonly [name: string, value: string])[], context: RowContext): Row[] {
  return facts.flatMap(([name, value]) => textRows(`${name}: ${value}`, { context, style: 'dim' }));
}
