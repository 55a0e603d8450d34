import { ControlError } from '../../wire/errors.ts';
import type { ControlBody } from '../../wire/link/peer.ts';
import { THINKING_DISPLAYS, type ThinkingDisplay } from '../../wire/thinking-display.ts';
import { type ControlContext, invalidRequest } from './control-handler.ts';

/** `set_max_thinking_tokens`: a field that is left out changes nothing. An invalid display leaves the budget changed. */
export function setMaxThinkingTokens({ main: { model } }: ControlContext, request: ControlBody): void {
  const { max_thinking_tokens: tokens, thinking_display: display } = request;
  if (tokens !== undefined && tokens !== null && !isCount(tokens)) {
    throw invalidRequest('max_thinking_tokens', 'a whole number, 0 or above, or null');
  }
  // None at all: a model that paces itself does not think either.
  if (tokens !== undefined)
    model.change({ maxThinkingTokens: tokens || null, ...(!tokens && { adaptiveThinking: false }) });
  if (display === undefined) return;
  if (display !== null && !isDisplay(display)) {
    throw new ControlError(
      `The thinking display must be one of ${THINKING_DISPLAYS.join(', ')}, or null, not '${String(display)}'`,
      'invalid_request',
    );
  }
  model.change({ thinkingDisplay: display });
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isDisplay(value: unknown): value is ThinkingDisplay {
  return THINKING_DISPLAYS.some((display) => display === value);
}
