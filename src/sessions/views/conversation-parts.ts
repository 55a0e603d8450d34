import { isObject } from '../../util/json.ts';

/** A part of a conversation, as people read it. */
export type Part =
  | { kind: 'prompt'; text: string; uuid: string; at: string }
  | { kind: 'answer'; text: string; uuid: string; at: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'call'; name: string; input: unknown; result: { text: string; isError: boolean } | null }
  | { kind: 'error'; text: string }
  /** The summary that replaced everything before it. */
  | { kind: 'compaction'; text: string }
  /** Interrupts, and the output of local commands. */
  | { kind: 'note'; text: string };

/** The input of a call in short: a single text as it is, anything else as JSON. */
export function inputText(input: unknown): string {
  if (!isObject(input)) return JSON.stringify(input) ?? '';
  const values = Object.values(input);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(input);
}
