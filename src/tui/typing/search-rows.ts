import type { FocusWorld, HistorySearch, Scope } from '../focus/focus-state.ts';
import { nextScope, searchHistory } from '../focus/history-search.ts';
import { headRow } from '../rows/blocks/call-rows.ts';
import type { RowsWithCaret } from '../rows/live/live-layout.ts';
import { toRow } from '../rows/row.ts';
import type { RowContext } from '../rows/row-context.ts';
import { safeLine } from '../rows/safe-text.ts';

const SCOPES: Readonly<Record<Scope, string>> = {
  project: 'this directory',
  all: 'everywhere',
  session: 'this session',
};

/** The row of the search through history: where it looks, for what, and how much it has found. */
export function searchRows(
  search: HistorySearch,
  world: Pick<FocusWorld, 'history' | 'project' | 'sessionId'>,
  context: RowContext,
): RowsWithCaret {
  const found = search.query === '' ? null : searchHistory(search, world).length;
  const count = found === null ? '' : found === 0 ? 'nothing found' : `${search.index + 1} of ${found}`;
  const hint = `ctrl+s: ${SCOPES[nextScope(search.scope)]} \u00b7 ctrl+r: older`;
  const before = [
    { text: `search ${SCOPES[search.scope]}: `, styles: ['accent'] as const },
    { text: safeLine(search.query) },
  ];
  const rest = [count, hint].filter((part) => part !== '').join(' \u00b7 ');
  return {
    rows: [headRow(context, [...before, { text: `   ${rest}`, styles: ['dim'] }])],
    caret: { row: 0, before: toRow(before, context.palette) },
  };
}
