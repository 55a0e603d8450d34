import { isObject, stringField } from '../util/json.ts';
import type { SDKMessage } from '../wire/messages/sdk.ts';
import { FailedResultError } from './failed-result.ts';

/**
 * The text of the answers in a stream of messages: piece by piece where the agent sends pieces, else block by block. A
 * blank line separates two blocks. Throws FailedResultError at a result that is an error.
 */
export async function* textsOf(messages: AsyncIterable<SDKMessage>): AsyncGenerator<string, void> {
  const text = new AnswerText();
  for await (const message of messages) {
    const piece = text.next(message);
    if (piece !== '') yield piece;
    if (message.type === 'result' && (message.is_error || message.subtype !== 'success')) {
      throw new FailedResultError(message);
    }
  }
}

/** Finds the new text in each message. Messages of subagents, and the text of errors, are not part of the answer. */
class AnswerText {
  /** The answers whose pieces have arrived. Their whole blocks, which follow, add nothing. */
  readonly #inPieces = new Set<string>();
  /** The answer whose pieces are arriving. Null: its beginning was missed, so its blocks are used. */
  #current: string | null = null;
  /** The turn has yielded text. */
  #isBegun = false;
  /** The next text belongs to another block. */
  #isApart = false;

  next(message: SDKMessage): string {
    switch (message.type) {
      case 'stream_event':
        return message.parent_tool_use_id === null ? this.#event(message.event) : '';
      case 'assistant': {
        const { parent_tool_use_id, error, message: answer } = message;
        if (parent_tool_use_id !== null || error !== undefined || this.#inPieces.has(answer.id)) return '';
        return answer.content.map((block) => (block.type === 'text' ? this.#block(block.text) : '')).join('');
      }
      case 'result': {
        // The output of a local command is only in its result.
        const text = this.#isBegun || message.is_error ? '' : (message.result ?? '');
        this.#isApart = this.#isBegun || text !== '';
        this.#isBegun = false;
        return text;
      }
      default:
        return '';
    }
  }

  #event(event: { type: string; [key: string]: unknown }): string {
    if (event.type === 'message_start') {
      this.#current = stringField(event.message, 'id') ?? null;
      if (this.#current !== null) this.#inPieces.add(this.#current);
    }
    if (event.type === 'content_block_start') this.#isApart ||= this.#isBegun;
    if (event.type !== 'content_block_delta' || this.#current === null || !isObject(event.delta)) return '';
    return event.delta.type === 'text_delta' ? this.#piece(stringField(event.delta, 'text') ?? '') : '';
  }

  #block(text: string): string {
    this.#isApart ||= this.#isBegun;
    return this.#piece(text);
  }

  #piece(text: string): string {
    if (text === '') return '';
    const gap = this.#isApart ? '\n\n' : '';
    this.#isApart = false;
    this.#isBegun = true;
    return gap + text;
  }
}
