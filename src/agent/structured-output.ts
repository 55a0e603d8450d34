import { cutText } from '../util/cut-text.ts';
import type { JsonObject } from '../util/json.ts';
import type { ToolCall } from './run-call.ts';

/** How often an output is asked for in all, before the turn fails (ruling K29). */
const MAX_ASKS = 5;

/** An output that does not fit the schema. */
interface RefusedOutput {
  value: unknown;
  problems: readonly string[];
}

/** The end of a turn that should have had an output, and has none. */
export interface NoOutput {
  kind: 'no_structured_output';
  /** How often it was asked for, what was handed in last and why it does not fit, and what was said last. */
  message: string;
}

/** Whoever reads of an output that does not fit must see why, but not all of it. */
const MAX_OUTPUT_CHARS = 1000;

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
  #refused: RefusedOutput | null = null;

  constructor(toolName: string) {
    this.toolName = toolName;
  }

  /** Called by the tool with what the model handed in. */
  accept(output: JsonObject): void {
    this.#output = output;
  }

  /** Called by the tool with what does not fit the schema, and why. */
  refuse(value: unknown, problems: readonly string[]): void {
    this.#refused = { value, problems };
  }

  /** Why there is none, when the model was asked often enough. */
  failure(lastText: string): NoOutput {
    const parts = [`Failed to provide valid structured output, which was asked for ${MAX_ASKS} times`];
    if (this.#refused) {
      const { value, problems } = this.#refused;
      parts.push(`The last one does not fit the schema: ${problems.join('; ')}`);
      parts.push(`It was: ${cutText(JSON.stringify(value) ?? 'undefined', MAX_OUTPUT_CHARS)}`);
    }
    if (lastText.trim() !== '') parts.push(`The last text was: ${lastText}`);
    return { kind: 'no_structured_output', message: parts.join('. ') };
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
