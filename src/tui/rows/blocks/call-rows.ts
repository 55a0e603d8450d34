import { isObject } from '../../../util/json.ts';
import type { CallBlock } from '../../../view/blocks.ts';
import { cutRow, outputRow, type Row, type Span, type Style, toRow } from '../row.ts';
import type { RowContext } from '../row-context.ts';
import { expandTabs, safeText } from '../safe-text.ts';
import { plural, shortCost, shortCount, shortTime } from './amounts.ts';
import type { BlockContext } from './block-context.ts';
import { callName, callSubject } from './call-text.ts';
import { diffRows } from './diff-rows.ts';

const DIFF_ROWS = 30;
const OUTPUT_ROWS = 5;
const FAILED_ROWS = 10;
const LONG_MS = 5000;
/** The first line of a command's result that failed; the row of the call tells it. */
const EXIT_CODE = /^Exit code (\d+)(?:\n|$)/;

/** A call that is over: one row, and below it as much of its result as helps. */
export function callRows(block: CallBlock, context: BlockContext): Row[] {
  const { call, outcome, patch } = block;
  const details = [...detailsOf(block), ...endOf(block)];
  const name = call.agent ? call.agent.kind : callName(call.name);
  const marks = { done: '\u25cf', failed: '\u2717', denied: '\u2717', unknown: '\u25cb' } as const;
  const styles: Record<typeof outcome, Style[]> = {
    done: ['good'],
    failed: ['error'],
    denied: ['error'],
    unknown: ['warning'],
  };
  const head = headRow(context, [
    { text: `${marks[outcome]} `, styles: styles[outcome] },
    { text: name, styles: ['strong'] },
    { text: call.agent ? ` "${callSubject(call, context.cwd)}"` : ` ${callSubject(call, context.cwd)}` },
    ...(patch ? counts(patch.added, patch.removed) : []),
    ...(details.length > 0 ? [{ text: ` \u00b7 ${details.join(' \u00b7 ')}`, styles: ['dim'] } satisfies Span] : []),
  ]);
  return [head, ...bodyOf(block, context)];
}

/** One row, whatever its parts are: cut at the width. */
export function headRow({ palette, width, widths }: RowContext, spans: readonly Span[]): Row {
  const row = toRow(spans, palette);
  const cut = cutRow(row, width - 1, widths);
  return cut === row ? row : ((cut + toRow([{ text: '\u2026' }], palette)) as Row);
}

export function counts(added: number, removed: number): Span[] {
  return [
    { text: ` +${added}`, styles: ['added'] },
    { text: ` \u2212${removed}`, styles: ['removed'] },
  ];
}

function detailsOf({ call, text, data }: CallBlock): string[] {
  const { agent } = call;
  if (agent) {
    const cost = agent.costUsd > 0 ? [shortCost(agent.costUsd)] : [];
    const tokens = agent.tokens > 0 ? [`${shortCount(agent.tokens)} tokens`] : [];
    return [plural(agent.calls, 'call'), ...tokens, ...cost];
  }
  const numbers = isObject(data) ? data : {};
  const { file, numFiles, mode } = numbers;
  switch (call.name) {
    case 'Read':
      return [plural(isObject(file) && typeof file.numLines === 'number' ? file.numLines : countLines(text), 'line')];
    case 'Glob':
    case 'Grep':
      return [
        typeof numFiles === 'number' && mode !== 'content'
          ? plural(numFiles, 'file')
          : plural(countLines(text), 'line'),
      ];
    case 'WebFetch':
    case 'WebSearch':
      return [plural(countLines(text), 'line')];
    default:
      return typeof numbers.backgroundTaskId === 'string' ? ['in the background: /tasks'] : [];
  }
}

/** How it ended, where that is not simply well. */
function endOf({ call, outcome, denial, ms, data, text }: CallBlock): string[] {
  const time = ms !== null && (ms > LONG_MS || call.agent) ? [shortTime(ms)] : [];
  if (outcome === 'denied') return [`denied${denial ? `: ${oneLine(denial)}` : ''}`];
  if (outcome === 'unknown') return ['outcome not known'];
  if (outcome === 'failed') {
    const [, exit] = call.name === 'Bash' ? (EXIT_CODE.exec(text) ?? []) : [];
    const why = isObject(data) && data.interrupted === true ? 'interrupted' : exit ? `exit ${exit}` : 'failed';
    return [why, ...time];
  }
  return time;
}

function bodyOf(block: CallBlock, context: BlockContext): Row[] {
  const { call, outcome, patch, text, data } = block;
  if (patch && outcome === 'done') {
    const language = /\.(\w+)$/.exec(patch.file)?.[1] ?? '';
    return diffRows(patch.hunks, { context, most: DIFF_ROWS, language, colours: context.colours() });
  }
  if (outcome === 'denied' || outcome === 'unknown') return [];
  // What the model gets tells it how to go on; a person has the list of tasks.
  if (isObject(data) && typeof data.backgroundTaskId === 'string') return [];
  if (call.name === 'Bash') {
    return tailRows(text.replace(EXIT_CODE, ''), outcome === 'failed' ? FAILED_ROWS : OUTPUT_ROWS, context);
  }
  if (outcome === 'failed') return firstRows(text, FAILED_ROWS, context);
  return call.name.startsWith('mcp__') ? firstRows(text, OUTPUT_ROWS, context) : [];
}

/** The end of an output: that is where commands tell how it went. */
export function tailRows(text: string, most: number, context: RowContext): Row[] {
  const lines = linesOf(text);
  const left = Math.max(0, lines.length - most);
  const more =
    left > 0 ? [toRow([{ text: `  \u2026 ${plural(left, 'row')}: ctrl+o`, styles: ['dim'] }], context.palette)] : [];
  return [...more, ...lines.slice(left).map((line) => outputLine(line, context))];
}

function firstRows(text: string, most: number, context: RowContext): Row[] {
  const lines = linesOf(text);
  const left = Math.max(0, lines.length - most);
  const more =
    left > 0
      ? [toRow([{ text: `  \u2026 ${plural(left, 'row')} more: ctrl+o`, styles: ['dim'] }], context.palette)]
      : [];
  return [...lines.slice(0, most).map((line) => outputLine(line, context)), ...more];
}

/** Rows of outputs may be longer than the window, but not without end. */
function outputLine(line: string, { palette, width }: RowContext): Row {
  const most = width * 4;
  const shown = line.length > most ? `${line.slice(0, most)}\u2026` : line;
  return `  ${outputRow(shown, palette, (text) => expandTabs(safeText(text)))}` as Row;
}

function linesOf(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
  return lines;
}

function countLines(text: string): number {
  return linesOf(text).length;
}

function oneLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
