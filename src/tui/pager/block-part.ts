import type { AnswerBlock, Block, CallBlock } from '../../view/blocks.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { blockToRows, brokenRows, commandRows, noteRows, thoughtText } from '../rows/blocks/block-to-rows.ts';
import { callRows, headRow } from '../rows/blocks/call-rows.ts';
import { callName } from '../rows/blocks/call-text.ts';
import { diffRows } from '../rows/blocks/diff-rows.ts';
import { AnswerRows, codeColours } from '../rows/markdown/answer-rows.ts';
import { EMPTY_ROW, type Row, toRow } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';
import { inWindow, type PagerPart, textRows } from './pager-part.ts';

/** A block of the conversation in the pager: whole outputs, whole changes, thoughts with their text. */
export function blockPart(block: Block): PagerPart {
  return {
    isHead: block.kind === 'prompt',
    source: sourceOf(block),
    rows(screen, length) {
      const context = { ...screen, colours: () => codeColours };
      const rows = length === 'whole' ? wholeRows(block, context) : shortRows(block, context);
      return rows.length === 0 ? [] : [EMPTY_ROW, ...rows.flatMap((row) => inWindow(row, context))];
    },
  };
}

/** The rows of a block as the scrollback has them. */
export function shortRows(block: Block, context: BlockContext): Row[] {
  return block.kind === 'answer' ? answerRows(block, context) : blockToRows(block, context);
}

function wholeRows(block: Block, context: BlockContext): Row[] {
  switch (block.kind) {
    case 'answer':
      return answerRows(block, context);
    case 'prompt':
      return promptRows(block.text, block.attachments, context);
    case 'thought': {
      const head = headRow(context, [{ text: thoughtText(block.ms, block.tokens), styles: ['dim'] }]);
      return block.text.trim() === '' ? [head] : [head, ...noteRows(block.text, 'dim', context)];
    }
    case 'call':
      return callRowsWhole(block, context);
    case 'command-output':
      return [
        ...commandRows(block.command, context),
        ...textRows(block.stdout, context),
        ...(block.stderr === '' ? [] : textRows(block.stderr, context)),
      ];
    case 'compaction':
      return [...blockToRows(block, context), ...(block.summary === '' ? [] : markdownRows(block.summary, context))];
    default:
      return blockToRows(block, context);
  }
}

function answerRows({ text, broken }: AnswerBlock, context: BlockContext): Row[] {
  return [...markdownRows(text, context), ...(broken ? brokenRows(broken, context) : [])];
}

export function markdownRows(text: string, context: BlockContext): Row[] {
  const rows = new AnswerRows({ context, colours: () => codeColours });
  return [...rows.push(text), ...rows.end()];
}

/** Every row of a prompt, where the scrollback has only the first ones. */
function promptRows(text: string, attachments: number, context: BlockContext): Row[] {
  const more = attachments > 0 ? ` [${attachments} attached]` : '';
  return textRows(text.trimEnd() + more, { ...context, width: Math.max(1, context.width - 2) }).map(
    (row, at) => (toRow([{ text: at === 0 ? '\u276f ' : '  ', styles: ['strong'] }], context.palette) + row) as Row,
  );
}

function callRowsWhole(block: CallBlock, context: BlockContext): Row[] {
  const [head = EMPTY_ROW] = callRows(block, context);
  const { call, patch, outcome, text } = block;
  if (patch && outcome === 'done') {
    const language = /\.(\w+)$/.exec(patch.file)?.[1] ?? '';
    return [head, ...diffRows(patch.hunks, { context, most: Infinity, language, colours: codeColours })];
  }
  const input = inputText(block);
  return [
    head,
    ...(input === '' ? [] : noteRows(input, 'code', context)),
    ...(text.trim() === '' ? [] : textRows(text, context)),
    ...(call.agent && text.trim() === '' ? noteRows('no text', 'dim', context) : []),
  ];
}

/** What the head row had no room for: the whole command, or the input as JSON. */
function inputText({ call: { name, input } }: CallBlock): string {
  if (typeof input.command === 'string') return input.command;
  const keys = Object.keys(input);
  return keys.length === 0 || (keys.length === 1 && name !== 'Task') ? '' : JSON.stringify(input, null, 2);
}

function sourceOf(block: Block): string {
  switch (block.kind) {
    case 'prompt':
    case 'answer':
    case 'thought':
      return block.text;
    case 'call': {
      const input = inputText(block) || block.call.subject;
      return [`${callName(block.call.name)} ${input}`.trim(), block.text].filter((text) => text !== '').join('\n');
    }
    case 'command-output':
      return [block.command ?? '', block.stdout, block.stderr].filter((text) => text !== '').join('\n');
    case 'compaction':
      return block.summary;
    case 'notice':
      return safeLine(block.notice.text);
    case 'result':
      return block.errors.join('\n');
    default:
      return '';
  }
}
