import type { JsonObject } from '../util/json.ts';
import type { ToolCall } from './run-call.ts';

/** How often an output is asked for in all, before the turn fails (ruling K29). */
const MAX_ASKS = 5;

const DEMAND =
  'You have not handed in the answer yet. Call the StructuredOutput tool now, with an input that fits its schema.';

/**
 * Follows one turn towards an output of the asked shape. Every answer that ends without one has used up an ask: a call
 * with a bad input, or a stop without a call.
 */
export class StructuredOutput {
  readonly toolName: string;
  #asks = 1;
  #output: JsonObject | null = null;

  constructor(toolName: string) {
    this.toolName = toolName;
  }

  /** Called by the tool with what the model handed in. */
  accept(output: JsonObject): void {
    this.#output = output;
  }

  get output(): JsonObject | null {
    return this.#output;
  }

  /** After a round of tool calls: whether the model may go on. */
  afterRound(calls: readonly ToolCall[]): 'done' | 'exhausted' | 'go on' {
    if (this.#output) return 'done';
    if (!calls.some(({ block }) => block.name === this.toolName)) return 'go on';
    return this.#ask() ? 'go on' : 'exhausted';
  }

  /** At a stop without an output: what to tell the model, or null when it was asked often enough. */
  demand(): string | null {
    return this.#ask() ? DEMAND : null;
  }

  #ask(): boolean {
    this.#asks++;
    return this.#asks <= MAX_ASKS;
  }
}
