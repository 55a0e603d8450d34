import type { View } from '../../../view/view.ts';
import { plural, shortCost } from '../blocks/amounts.ts';
import { headRow } from '../blocks/call-rows.ts';
import type { Row, Span, Style } from '../row.ts';
import type { RowContext } from '../row-context.ts';
import { safeLine } from '../safe-text.ts';

/** The words for modes; the default one needs none. */
const MODES: Readonly<Record<string, { word: string; style: Style }>> = {
  plan: { word: 'plan', style: 'accent' },
  acceptEdits: { word: 'accept edits', style: 'warning' },
  bypassPermissions: { word: 'bypass', style: 'error' },
  dontAsk: { word: 'never asks', style: 'warning' },
};

/** The last row: what answers, what it may do, how full and how dear it is, and what a key would do now. */
export function statusRow(
  view: Pick<View, 'info' | 'meters' | 'tasks' | 'phase'>,
  hint: string,
  context: RowContext,
): Row {
  const { info, meters, tasks } = view;
  const mode = Object.hasOwn(MODES, info.mode) ? MODES[info.mode] : undefined;
  const parts: Span[] = [];
  const add = (text: string, style: Style = 'dim') => {
    if (text === '') return;
    parts.push({ text: parts.length === 0 ? '  ' : ' \u00b7 ', styles: ['dim'] }, { text, styles: [style] });
  };
  if (mode) add(mode.word, mode.style);
  add(safeLine(info.model.replace(/^claude-/, '')));
  if (info.effort) add(safeLine(info.effort));
  if (meters.contextWindow) add(`ctx ${Math.round((100 * meters.contextTokens) / meters.contextWindow)} %`);
  if (meters.costUsd > 0) add(shortCost(meters.costUsd));
  if (tasks.length > 0) add(plural(tasks.length, 'task'));
  add(hint);
  return headRow(context, parts);
}
