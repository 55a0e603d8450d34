import type { AnswerBlock, Block, CallBlock, LiveBlock, LiveCall, LiveText } from '../../view/blocks.ts';
import type { Change } from '../../view/changes.ts';
import type { View } from '../../view/view.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { blockToRows, brokenRows, noteRows } from '../rows/blocks/block-to-rows.ts';
import { groupOf, groupRows, isGroupOpen } from '../rows/blocks/call-group.ts';
import { callRows } from '../rows/blocks/call-rows.ts';
import { type CallState, doingRow, liveCallRow, type Moment } from '../rows/live/doing-rows.ts';
import type { AnswerRows } from '../rows/markdown/answer-rows.ts';
import { EMPTY_ROW, type Row } from '../rows/row.ts';
import type { LateRows } from './late-rows.ts';

/** An answer that is being written, as far as it has become rows. */
interface OpenAnswer {
  rows: AnswerRows;
  /** How many pieces, and how many characters, it has taken. */
  pieces: number;
  length: number;
  /** Finished rows that wait for what stands before the answer. */
  waiting: Row[];
  tail: Row[] | null;
}

/**
 * From the changes of a view to rows: those that are finished, in the order of the conversation, and those that stand
 * for what is in progress. Blocks wait where the code for their rows is not loaded yet.
 */
export class SessionRows {
  readonly #context: BlockContext;
  readonly #late: LateRows;
  readonly #blocks: Block[] = [];
  readonly #answers = new Map<string, OpenAnswer>();
  #lastKind: string | null = null;

  constructor(context: BlockContext, late: LateRows) {
    this.#context = context;
    this.#late = late;
  }

  /** Takes changes, and returns the rows that are finished now. */
  take(changes: readonly Change[], view: View): Row[] {
    for (const change of changes) if (change.type === 'done') this.#blocks.push(change.block);
    return this.advance(view);
  }

  /** As far as it goes: after changes, and when code has been loaded. */
  advance(view: View): Row[] {
    const rows: Row[] = [];
    for (let block = this.#blocks[0]; block && this.#isReady(block); block = this.#blocks[0]) {
      const group = groupOf(this.#blocks);
      if (group.length === this.#blocks.length && isGroupOpen(group, view.live)) break;
      this.#blocks.splice(0, Math.max(1, group.length));
      rows.push(...(group.length > 1 ? this.#groupRows(group, block.id) : this.#rowsOf(block)));
    }
    if (this.#blocks.length > 0) return rows;
    for (const [index, live] of view.live.entries()) {
      if (live.kind !== 'answer') continue;
      const answer = this.#read(live);
      if (answer && index === 0) rows.push(...this.#begin('answer', live.id, answer.waiting.splice(0)));
    }
    return rows;
  }

  /** What is in progress, for the live part. */
  live(view: View, moment: Moment): Row[] {
    const waiting = isGroupOpen(groupOf(this.#blocks), view.live)
      ? groupRows(groupOf(this.#blocks), this.#context)
      : [];
    const rows = [...waiting, ...view.live.flatMap((live) => this.#liveRows(live, view, moment))];
    const isCalling = view.live.some((live) => live.kind === 'call' && live.isWritten);
    const doing = isCalling ? null : doingRow(view, moment, this.#context);
    if (!doing) return rows;
    return rows.length > 0 ? [...rows, EMPTY_ROW, doing] : [doing];
  }

  #liveRows(live: LiveBlock, view: View, moment: Moment): Row[] {
    if (live.kind === 'call') return [liveCallRow(live.call, callState(live, view), moment, this.#context)];
    if (live.kind === 'done') return live.block.kind === 'call' ? callRows(live.block, this.#context).slice(0, 1) : [];
    if (live.kind === 'thought') return [];
    const answer = this.#answers.get(live.id);
    if (!answer) return [];
    answer.tail ??= answer.rows.tail();
    const gap = this.#lastKind !== `answer ${live.id}` && answer.waiting.length + answer.tail.length > 0;
    return [...(gap ? [EMPTY_ROW] : []), ...answer.waiting, ...answer.tail];
  }

  /** Rows of the terminal's own stand between those of the session. */
  interrupted(): void {
    this.#lastKind = 'note';
  }

  /** The window has another width: rows that are not finished are made for it. */
  resized(): void {
    for (const answer of this.#answers.values()) answer.tail = null;
  }

  #isReady(block: Block): boolean {
    return block.kind !== 'answer' || this.#isError(block) || this.#late.answerRows() !== null;
  }

  /** A text that stands for an answer and was not written by the model. */
  #isError({ id, error }: AnswerBlock): boolean {
    return error !== null && !this.#answers.has(id);
  }

  #groupRows(group: readonly CallBlock[], id: string): Row[] {
    return this.#begin('call', id, groupRows(group, this.#context));
  }

  #rowsOf(block: Block): Row[] {
    if (block.kind === 'answer' && this.#isError(block)) {
      return this.#begin('note', block.id, noteRows(`\u2717 ${block.text}`, 'error', this.#context));
    }
    if (block.kind === 'answer') return this.#endAnswer(block);
    const rows = blockToRows(block, this.#context);
    return rows.length > 0 ? this.#begin(GROUPS[block.kind] ?? 'note', block.id, rows) : [];
  }

  #endAnswer(block: AnswerBlock): Row[] {
    const known = this.#answers.get(block.id);
    const answer = known ?? this.#open();
    if (!answer) return [];
    this.#answers.delete(block.id);
    const rest = block.text.slice(answer.length);
    const rows = [...answer.waiting, ...answer.rows.push(rest), ...answer.rows.end()];
    const broken = block.broken ? brokenRows(block.broken, this.#context) : [];
    return this.#begin('answer', block.id, [...rows, ...broken]);
  }

  /** The new pieces of an answer. */
  #read({ id, pieces }: LiveText): OpenAnswer | null {
    const answer = this.#answers.get(id) ?? this.#open();
    if (!answer) return null;
    this.#answers.set(id, answer);
    if (pieces.length > answer.pieces) {
      const text = pieces.slice(answer.pieces).join('');
      answer.pieces = pieces.length;
      answer.length += text.length;
      answer.waiting.push(...answer.rows.push(text));
      answer.tail = null;
    }
    return answer;
  }

  #open(): OpenAnswer | null {
    const Rows = this.#late.answerRows();
    if (!Rows) return null;
    const { leavesProse = false } = this.#context;
    const rows = new Rows({ context: this.#context, colours: this.#late.colours, leavesProse });
    return { rows, pieces: 0, length: 0, waiting: [], tail: null };
  }

  /** A blank row between groups: calls stand together, everything else by itself. */
  #begin(group: string, id: string, rows: Row[]): Row[] {
    if (rows.length === 0) return rows;
    const kind = ['answer', 'prompt', 'output'].includes(group) ? `${group} ${id}` : group;
    const isFirst = this.#lastKind === null;
    const isSame = this.#lastKind === kind;
    this.#lastKind = kind;
    return isSame || isFirst ? rows : [EMPTY_ROW, ...rows];
  }
}

function callState({ call, isWritten }: LiveCall, { questions }: View): CallState {
  if (!isWritten) return 'written';
  return questions.some((question) => question.call?.id === call.id) ? 'asked' : 'runs';
}

const GROUPS: Readonly<Partial<Record<Block['kind'], string>>> = {
  ...{ prompt: 'prompt', 'command-output': 'output', call: 'call', thought: 'call', todos: 'call', denial: 'call' },
};
