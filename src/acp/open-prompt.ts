import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { RPC_ERRORS } from '../wire/link/json-rpc.ts';
import { AcpError } from './rpc-link.ts';

/** A prompt whose turn has not ended. */
export interface OpenPrompt {
  resolve(answer: JsonObject): void;
  reject(error: Error): void;
  isCancelled: boolean;
}

export interface PromptOptions {
  signal: AbortSignal;
  /** Continues behind this message instead of the end; null: as the first one. */
  parentUuid?: string | null;
  /** Joins the turn that runs. */
  isSteering?: boolean;
}

/** The answer to a prompt, with the tokens of its turn. */
export function answerOf(stop: JsonObject, { usage }: JsonObject): JsonObject {
  const count = (key: string) => (isObject(usage) && typeof usage[key] === 'number' ? usage[key] : 0);
  const [inputTokens, outputTokens] = [count('input_tokens'), count('output_tokens')];
  const [cachedReadTokens, cachedWriteTokens] = [
    count('cache_read_input_tokens'),
    count('cache_creation_input_tokens'),
  ];
  const totalTokens = inputTokens + outputTokens + cachedReadTokens + cachedWriteTokens;
  return { ...stop, usage: { totalTokens, inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } };
}

/** How a turn ended, in the words of the protocol. */
export function stopOf(line: JsonObject): JsonObject | AcpError {
  const { subtype, terminal_reason: reason, is_error: isError, stop_reason: stop } = line;
  if (reason === 'refusal') return { stopReason: 'refusal' };
  if (subtype === 'error_max_turns') return { stopReason: 'max_turn_requests' };
  const cut = isError === true ? line.error_code === 'max_output_tokens' : stop === 'max_tokens';
  if (cut) return { stopReason: 'max_tokens' };
  if (reason === 'aborted_streaming' || reason === 'aborted_tools') return { stopReason: 'cancelled' };
  if (isError !== true) return { stopReason: 'end_turn' };
  const errors = Array.isArray(line.errors) ? line.errors.map(String) : [];
  const text = errors[0] ?? stringField(line, 'result') ?? `The turn failed: ${String(subtype)}`;
  return new AcpError(RPC_ERRORS.internal, text, {
    ...{ error_code: stringField(line, 'error_code') ?? String(subtype), errors },
    ...(reason !== undefined && { terminal_reason: reason }),
  });
}
