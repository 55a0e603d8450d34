import type { Block, CallOutcome, LiveBlock } from '../../view/blocks.ts';
import type { Change } from '../../view/changes.ts';
import { shortCost, shortTime } from '../rows/blocks/amounts.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { blockToRows } from '../rows/blocks/block-to-rows.ts';
import { textOfRow } from '../rows/row.ts';
import { expandTabs, safeText } from '../rows/safe-text.ts';
import { linearTables } from './linear-tables.ts';

/** What stands before a call, by how it ended. */
const CALL_WORDS: Readonly<Record<CallOutcome, string>> = {
  done: 'tool: ',
  failed: 'tool error: ',
  denied: 'tool denied: ',
  unknown: 'tool: no result: ',
};

/** From changes of the view to lines that are read one after the other. Answers come line by line, not word by word. */
export class PlainRows {
  readonly #context: BlockContext;
  /** Of each answer that is being written: how much of it was printed, and what waits for the end of its line. */
  readonly #answers = new Map<string, { pieces: number; printed: number; rest: string; hasBegun: boolean }>();

  constructor(context: BlockContext) {
    this.#context = context;
  }

  take(changes: readonly Change[], live: readonly LiveBlock[]): string[] {
    const lines = changes.flatMap((change) => (change.type === 'done' ? this.#blockLines(change.block) : []));
    const [first] = live;
    // Only the oldest part that is in progress: what comes behind it waits for its turn.
    if (first?.kind === 'answer') lines.push(...this.#answerSoFar(first.id, first.pieces));
    return lines;
  }

  #answerSoFar(id: string, pieces: readonly string[]): string[] {
    const answer = this.#answers.get(id) ?? { pieces: 0, printed: 0, rest: '', hasBegun: false };
    this.#answers.set(id, answer);
    const text = answer.rest + pieces.slice(answer.pieces).join('');
    answer.pieces = pieces.length;
    const end = text.lastIndexOf('\n');
    answer.rest = text.slice(end + 1);
    if (end < 0) return [];
    answer.printed += end + 1;
    return this.#answerLines(text.slice(0, end), answer);
  }

  #answerLines(text: string, answer: { hasBegun: boolean }): string[] {
    if (text === '') return answer.hasBegun ? [''] : [];
    const lines = linearTables(expandTabs(safeText(text)).split('\n'));
    const [first = '', ...others] = lines;
    if (answer.hasBegun) return lines;
    answer.hasBegun = true;
    return [`heddle: ${first}`, ...others];
  }

  #blockLines(block: Block): string[] {
    switch (block.kind) {
      case 'answer': {
        const answer = this.#answers.get(block.id) ?? { printed: 0, hasBegun: false };
        this.#answers.delete(block.id);
        if (block.error !== null) return [`error: ${safeText(block.text)}`];
        const rest = this.#answerLines(block.text.slice(answer.printed).trimEnd(), answer);
        return block.broken === null ? rest : [...rest, 'note: this text is not part of the conversation'];
      }
      // What the person has typed stands there already.
      case 'prompt':
        return block.origin === null ? [] : this.#worded(block, 'you: ');
      case 'thought':
        return block.ms === null ? [] : [`thinking: ${shortTime(block.ms)}`];
      case 'call':
        return this.#worded(block, CALL_WORDS[block.outcome]);
      case 'denial':
        return [`tool denied: ${safeText(block.tool)}: ${safeText(block.reason)}`];
      case 'notice':
        return [`${block.notice.level === 'info' ? 'note' : block.notice.level}: ${safeText(block.notice.text)}`];
      case 'result':
        return this.#resultLines(block);
      case 'todos':
        return ['tasks:', ...block.all.map(({ text, status }) => `  ${status.replace('_', ' ')}: ${safeText(text)}`)];
      case 'branch':
      case 'compaction':
      case 'task':
      case 'command-output':
        return this.#worded(block, '');
      default:
        throw block satisfies never;
    }
  }

  #resultLines(block: Extract<Block, { kind: 'result' }>): string[] {
    const lines = this.#worded(block, block.isError ? 'error: ' : '').filter((line) => !/\u2191.*\u2193/.test(line));
    const took = [...(block.costUsd > 0 ? [shortCost(block.costUsd)] : []), shortTime(block.ms)];
    return block.costUsd > 0 ? [...lines, `Cost: ${took.join(', ')}`] : lines;
  }

  /** The rows of the block, with a word instead of its mark. */
  #worded(block: Exclude<Block, { kind: 'answer' }>, word: string): string[] {
    const rows = blockToRows(block, this.#context).map(textOfRow);
    return rows.map((row, index) => (index === 0 ? word + row.replace(MARK, '') : row));
  }
}

/** The marks of the drawn terminal. */
const MARK = /^[\u276f\u25cf\u273b\u2717\u2713\u2022!] /;
