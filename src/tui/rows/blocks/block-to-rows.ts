import type { Block, BranchBlock, Broken, Notice, PromptBlock, ResultBlock, TodoView } from '../../../view/blocks.ts';
import { EMPTY_ROW, type Row, type Span, type Style, toRow } from '../row.ts';
import type { RowContext } from '../row-context.ts';
import { expandTabs, safeLine, safeText } from '../safe-text.ts';
import { wrapSpans } from '../wrap.ts';
import { plural, shortCost, shortCount, shortTime } from './amounts.ts';
import type { BlockContext } from './block-context.ts';
import { callRows, headRow, tailRows } from './call-rows.ts';

const LONG_TURN_MS = 10_000;
const PROMPT_ROWS = 40;

/** A block that is over, as it stays in the scrollback. Answers have rows of their own (`AnswerRows`). */
export function blockToRows(block: Exclude<Block, { kind: 'answer' }>, context: BlockContext): Row[] {
  switch (block.kind) {
    case 'prompt':
      return promptRows(block, context);
    case 'thought':
      return [headRow(context, [{ text: thoughtText(block.ms, block.tokens), styles: ['dim'] }])];
    case 'call':
      return callRows(block, context);
    case 'command-output':
      return [
        ...commandRows(block.command, context),
        ...tailRows(block.stdout, 200, context),
        ...(block.stderr === '' ? [] : noteRows(`stderr: ${block.stderr}`, 'error', context)),
      ];
    case 'todos':
      return (block.isComplete ? block.all : block.changed).map((todo) => todoRow(todo, context));
    case 'task':
      return noteRows(`\u25cf ${block.summary} \u00b7 ${block.status}`, 'dim', context);
    case 'compaction':
      return noteRows(compactionText(block.tokensBefore, block.tokensAfter), 'dim', context);
    case 'denial':
      return noteRows(`\u2717 ${block.tool} denied: ${block.reason}`, 'warning', context);
    case 'notice':
      return noticeRows(block.notice, context);
    case 'branch':
      return noteRows(branchText(block), block.error ? 'error' : 'dim', context);
    case 'result':
      return resultRows(block, context);
    default:
      throw block satisfies never;
  }
}

function promptRows({ text, attachments, origin }: PromptBlock, context: RowContext): Row[] {
  const from = origin ? `[${safeLine(origin)}] ` : '';
  const more = attachments > 0 ? ` [${plural(attachments, 'attachment')}]` : '';
  const lines = `${from}${expandTabs(safeText(text)).trimEnd()}${more}`.split('\n');
  const rows = lines.flatMap((line, index) =>
    wrapSpans([{ text: line, styles: ['strong'] }], { ...context, first: 2, hang: 2 }).map((spans, at) =>
      toRow([{ text: index + at === 0 ? '\u276f ' : '  ', styles: ['strong'] }, ...spans], context.palette),
    ),
  );
  if (rows.length <= PROMPT_ROWS) return rows;
  const left = rows.length - PROMPT_ROWS + 1;
  const note = toRow([{ text: `  \u2026 ${plural(left, 'row')} more`, styles: ['dim'] }], context.palette);
  return [...rows.slice(0, PROMPT_ROWS - 1), note];
}

/** What the person ran with `!`; none for the output of a slash command. */
export function commandRows(command: string | null, context: RowContext): Row[] {
  return command === null ? [] : [headRow(context, [{ text: `! ${safeLine(command)}`, styles: ['strong'] }])];
}

export function thoughtText(ms: number | null, tokens: number | null): string {
  const size = tokens ? ` (${shortCount(tokens)} tokens)` : '';
  return `\u273b thought${ms === null ? '' : ` for ${shortTime(ms)}`}${size}`;
}

/** Why a text that was shown does not count. */
export function brokenRows(broken: Broken, context: RowContext): Row[] {
  const why = {
    interrupted: 'interrupted: this text is not part of the conversation',
    replaced: 'replaced by what follows: the answer broke off',
    lost: 'the agent is gone: this text was not recorded',
  }[broken];
  return noteRows(`\u2717 ${why}`, 'warning', context);
}

export function todoRow({ text, active, status }: TodoView, context: RowContext): Row {
  const mark = { pending: '\u25cb', in_progress: '\u25d0', completed: '\u2713' }[status];
  const styles: Style[] = status === 'completed' ? ['dim'] : status === 'in_progress' ? ['strong'] : [];
  return headRow(context, [{ text: `  ${mark} ${safeLine(status === 'in_progress' ? active : text)}`, styles }]);
}

function compactionText(before: number | null, after: number | null): string {
  const size = before !== null && after !== null ? `: ${shortCount(before)} \u2192 ${shortCount(after)} tokens` : '';
  return `\u2500\u2500 compacted${size} \u2500\u2500`;
}

function branchText({ why, files, error }: BranchBlock): string {
  if (error) return `\u2717 ${error}`;
  const what = {
    edit: 'on another branch from here',
    switch: 'on another branch',
    clear: 'a new conversation; the old one is saved',
    files: `files restored: ${files.join(', ') || 'none'}`,
  }[why];
  return `\u2500\u2500 ${what} \u2500\u2500`;
}

export function noticeRows({ level, text }: Notice, context: RowContext): Row[] {
  const marks = { info: '\u2022', warning: '!', error: '\u2717' };
  const styles = { info: 'dim', warning: 'warning', error: 'error' } as const;
  return noteRows(`${marks[level]} ${text}`, styles[level], context);
}

/** A remark of Heddle's own, wrapped. */
export function noteRows(text: string, style: Style, context: RowContext): Row[] {
  const lines = expandTabs(safeText(text))
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.flatMap((line) =>
    wrapSpans([{ text: line, styles: [style] }], { ...context, hang: 2 }).map((spans, at) =>
      toRow(at === 0 ? spans : [{ text: '  ' } satisfies Span, ...spans], context.palette),
    ),
  );
}

/** The rows of lines that the terminal itself prints. Lines with a style are wrapped. */
export function printedLines(lines: readonly string[], style: Style | null, context: RowContext): Row[] {
  return lines.flatMap((line) => {
    if (line === '') return [EMPTY_ROW];
    if (style) return noteRows(line, style, context);
    return [toRow([{ text: expandTabs(safeText(line)) }], context.palette)];
  });
}

/** A turn that was long tells what it took; one that failed tells why, and what to do. */
function resultRows(
  { isError, errors, text, isNewText, code, ms, tokens, costUsd }: ResultBlock,
  context: RowContext,
): Row[] {
  const isSaid = !isNewText && text !== '' && errors.every((error) => text.includes(error));
  if (isError && isSaid) return code ? noteRows(`\u2717 ${code}`, 'error', context) : [];
  if (isError) {
    const why = errors.length > 0 ? errors.join('\n') : text || 'The turn failed';
    return noteRows(`\u2717 ${why}${code ? ` (${code})` : ''}`, 'error', context);
  }
  const own = isNewText && text !== '' ? tailRows(text, 200, context) : [];
  if (ms < LONG_TURN_MS) return own;
  const cost = costUsd > 0 ? [shortCost(costUsd)] : [];
  const numbers = [shortTime(ms), `\u2191${shortCount(tokens.in)} \u2193${shortCount(tokens.out)}`, ...cost];
  return [...own, headRow(context, [{ text: numbers.join(' \u00b7 '), styles: ['dim'] }])];
}
