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

type Shown = Pick<View, 'info' | 'meters' | 'tasks' | 'phase'>;

/**
 * The rows at the end. The person's own status line replaces the facts; a mode that is not the default one, and what a
 * key would do now, stay below it.
 */
export function statusRows(
  view: Shown,
  { own, hint }: { own: readonly Row[]; hint: string },
  context: RowContext,
): Row[] {
  if (own.length === 0) return [row([...modeOf(view), ...factsOf(view), ...toPart(hint)], context)];
  const below = [...modeOf(view), ...toPart(hint)];
  return below.length === 0 ? [...own] : [...own, row(below, context)];
}

interface Part {
  text: string;
  style: Style;
}

function row(parts: readonly Part[], context: RowContext): Row {
  const spans = parts.flatMap(({ text, style }, index): Span[] => [
    { text: index === 0 ? '  ' : ' \u00b7 ', styles: ['dim'] },
    { text, styles: [style] },
  ]);
  return headRow(context, spans);
}

function toPart(text: string): Part[] {
  return text === '' ? [] : [{ text, style: 'dim' }];
}

function modeOf({ info }: Shown): Part[] {
  const mode = Object.hasOwn(MODES, info.mode) ? MODES[info.mode] : undefined;
  return mode ? [{ text: mode.word, style: mode.style }] : [];
}

/** What answers, how full its window is, what it has cost, what runs besides. */
function factsOf({ info, meters, tasks }: Shown): Part[] {
  const share = meters.contextWindow ? Math.round((100 * meters.contextTokens) / meters.contextWindow) : null;
  return [
    ...toPart(safeLine(info.model.replace(/^claude-/, ''))),
    ...toPart(safeLine(info.effort ?? '')),
    ...toPart(share === null ? '' : `ctx ${share} %`),
    ...toPart(meters.costUsd > 0 ? shortCost(meters.costUsd) : ''),
    ...toPart(tasks.length > 0 ? plural(tasks.length, 'task') : ''),
  ];
}
