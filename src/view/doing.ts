import { isObject, type JsonObject } from '../util/json.ts';
import { numberField, textField } from './line-fields.ts';
import type { Doing } from './view.ts';

/** What the agent does while this block of an answer arrives. */
export function doingOf(block: unknown, since: number): Doing {
  switch (isObject(block) ? block.type : undefined) {
    case 'thinking':
    case 'redacted_thinking':
      return { what: 'thinking', since };
    case 'tool_use':
      return { what: 'calling', tool: textField(block, 'name'), since };
    default:
      return { what: 'writing', since };
  }
}

/** The wait of the agent before it asks the model again. */
export function retryOf(line: JsonObject, now: number): Doing {
  return {
    what: 'retry',
    at: now + (numberField(line, 'retry_delay_ms') ?? 0),
    attempt: numberField(line, 'attempt') ?? 0,
    of: numberField(line, 'max_retries') ?? 0,
    reason: textField(line, 'message') || textField(line, 'error'),
    since: now,
  };
}
