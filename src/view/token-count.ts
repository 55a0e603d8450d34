import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Tokens } from './blocks.ts';
import { sumOf } from './line-fields.ts';

/** Further answers are not written at the same time: their counts are final. */
const MOST_OPEN = 64;

/** Counts the tokens of all answers of a run. An answer reports its tokens several times, each time the total. */
export class TokenCount {
  tokens: Tokens = { in: 0, out: 0 };
  readonly #open = new Map<string, Tokens>();
  /** The answer that each thread writes. */
  readonly #writing = new Map<string, string>();

  /** Takes a line of the agent. */
  note(line: JsonObject): void {
    if (line.type === 'assistant' && isObject(line.message)) {
      this.#add(stringField(line.message, 'id') ?? '', line.message.usage);
    }
    if (line.type !== 'stream_event' || !isObject(line.event)) return;
    const { event } = line;
    const thread = stringField(line, 'parent_tool_use_id') ?? '';
    if (event.type === 'message_start' && isObject(event.message)) {
      const id = stringField(event.message, 'id') ?? '';
      this.#writing.set(thread, id);
      this.#add(id, event.message.usage);
    }
    if (event.type === 'message_delta') this.#add(this.#writing.get(thread) ?? '', event.usage);
    if (event.type === 'message_stop') this.#writing.delete(thread);
  }

  /** Starts again, from what others have counted. */
  set(tokens: Tokens): void {
    this.tokens = tokens;
    this.#open.clear();
  }

  #add(id: string, usage: unknown): void {
    if (!isObject(usage)) return;
    const before = this.#open.get(id) ?? { in: 0, out: 0 };
    const after = { in: Math.max(before.in, inputOf(usage)), out: Math.max(before.out, sumOf(usage, 'output_tokens')) };
    this.#open.delete(id);
    this.#open.set(id, after);
    this.tokens = { in: this.tokens.in + after.in - before.in, out: this.tokens.out + after.out - before.out };
    if (this.#open.size <= MOST_OPEN) return;
    for (const [oldest] of this.#open) {
      this.#open.delete(oldest);
      break;
    }
  }
}

/** The tokens of a request: also those that came from the cache or went into it. */
export function inputOf(usage: unknown): number {
  return sumOf(usage, 'input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens');
}
