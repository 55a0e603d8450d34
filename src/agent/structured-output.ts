import type { JsonObject } from '../util/json.ts';
import { cutText } from '../util/text/cut-text.ts';
import type { NoOutput } from './turn-end.ts';

/** How often the model is asked for an output before the turn fails. */
const MAX_ASKS = 5;

/** An output that does not fit the schema. */
interface RefusedOutput {
  value: unknown;
  problems: readonly string[];
}

/** The length of an invalid output in an error message: enough to show the reason. */
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

  /** The tool calls it with a valid output. */
  accept(output: JsonObject): void {
    this.#output = output;
  }

  /** The tool calls it with an invalid output and the reasons. */
  refuse(value: unknown, problems: readonly string[]): void {
    this.#refused = { value, problems };
  }

  /** The reason for a missing output, when the model was asked often enough. */
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

  /** Called after a round of tool calls: decides whether the model may continue. */
  afterRound(calls: readonly { block: { name: string } }[]): 'done' | 'exhausted' | 'go on' {
    if (this.#output) return 'done';
    if (!calls.some(({ block }) => block.name === this.toolName)) return 'go on';
    return this.#ask() ? 'go on' : 'exhausted';
  }

  /** Called at a stop without an output: the message for the model, or null when it was asked often enough. */
  demand(): string | null {
    return this.#ask() ? DEMAND : null;
  }

  #ask(): boolean {
    this.#asks++;
    return this.#asks <= MAX_ASKS;
  }
}
