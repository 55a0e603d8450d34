import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { AnswerBlock, Broken, LiveText, ThoughtBlock } from './blocks.ts';
import { textField } from './line-fields.ts';
import type { Order } from './order.ts';

type Kind = LiveText['kind'];

/** A text while it is written. */
interface Writing extends LiveText {
  pieces: string[];
  tokens: number | null;
}

/** The answers and thoughts of the main thread: piece by piece where the agent streams them, then as they are recorded. */
export class WrittenTexts {
  readonly #order: Order;
  /** By their index in the answer that is being written. */
  readonly #open = new Map<number, Writing>();

  constructor(order: Order) {
    this.#order = order;
  }

  begin(kind: Kind, index: number, now: number): void {
    const live: Writing = { kind, id: this.#order.newId(), pieces: [], startedAt: now, tokens: null };
    this.#open.set(index, live);
    this.#order.begin(live);
  }

  add(index: number, delta: unknown): boolean {
    const live = this.#open.get(index);
    const piece = textField(delta, live?.kind === 'thought' ? 'thinking' : 'text');
    if (!live || piece === '') return false;
    live.pieces.push(piece);
    return true;
  }

  noteTokens(tokens: number): void {
    for (const live of this.#open.values()) if (live.kind === 'thought') live.tokens = tokens;
  }

  /** Takes a recorded text. It is the one that was written piece by piece, or a new one. */
  record(
    kind: Kind,
    text: string,
    { uuids, error, now }: { uuids: string[]; error: string | null; now: number },
  ): void {
    const written = this.#next(kind);
    const fits = written !== undefined && text.startsWith(written.pieces.join(''));
    if (written) this.#open.delete(written.index);
    if (written && !fits) this.#end(written, 'replaced');
    if (text.trim() === '' && kind === 'answer') {
      if (fits) this.#order.drop(written.id);
      return;
    }
    const id = fits ? written.id : this.#order.newId();
    if (kind === 'answer') this.#order.end({ kind, id, uuids, text, broken: null, error });
    else {
      const ms = fits ? now - written.startedAt : null;
      this.#order.end({ kind, id, uuids, text, ms, tokens: written?.tokens ?? null, broken: null });
    }
  }

  /** The texts that were shown and will not be recorded. */
  breakOff(broken: Broken): void {
    for (const live of this.#open.values()) this.#end(live, broken);
    this.#open.clear();
  }

  #next(kind: Kind): (Writing & { index: number }) | undefined {
    for (const [index, live] of this.#open) if (live.kind === kind) return { ...live, index };
    return undefined;
  }

  #end({ id, kind, pieces, tokens }: Writing, broken: Broken): void {
    const text = pieces.join('');
    if (text.trim() === '') this.#order.drop(id);
    else if (kind === 'answer') {
      this.#order.end({ kind, id, uuids: [], text, broken, error: null } satisfies AnswerBlock);
    } else this.#order.end({ kind, id, uuids: [], text, ms: null, tokens, broken } satisfies ThoughtBlock);
  }
}

/** The kind of text that a content block is; null for other blocks. */
export function textKind(block: unknown): Kind | null {
  switch (isObject(block) ? block.type : undefined) {
    case 'text':
      return 'answer';
    case 'thinking':
    case 'redacted_thinking':
      return 'thought';
    default:
      return null;
  }
}

/** The text of an answer's block. */
export function writtenText(block: JsonObject): string {
  return stringField(block, 'text') ?? stringField(block, 'thinking') ?? '';
}
