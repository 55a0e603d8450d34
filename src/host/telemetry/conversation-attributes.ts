import type { ApiMessage } from '../../model/model.ts';
import { cutText } from '../../util/text/cut-text.ts';
import type { ContentBlock } from '../../wire/api/content.ts';

/**
 * Replaces credentials in a value. This happens before the value is cut, because half a credential is not recognized.
 */
type Hide = <T>(found: T) => T;

/** Characters of one text, and of one attribute: backends drop spans that are too large. */
const MAX_PART = 4000;
const MAX_ATTRIBUTE = 32_000;
const MAX_PARTS = 8;

/** A conversation in the form of the OpenTelemetry conventions: the newest messages that fit. */
export function messagesText(messages: readonly ApiMessage[], hide: Hide): string {
  const kept: string[] = [];
  let room = MAX_ATTRIBUTE;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (!message) break;
    const parts = message.content.slice(-MAX_PARTS).map((block) => partOf(block, hide));
    const text = JSON.stringify({ role: message.role, parts });
    room -= text.length + 1;
    if (room < 0 && kept.length > 0) break;
    kept.unshift(text);
  }
  return `[${kept.join(',')}]`;
}

export function systemText(system: readonly string[], hide: Hide): string {
  return JSON.stringify(system.slice(0, MAX_PARTS).map((text) => ({ type: 'text', content: cut(hide(text)) })));
}

/** The input or output of a tool. */
export function valueText(value: unknown, hide: Hide): string {
  const shown = hide(value);
  return cut(typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? ''));
}

function partOf(block: ContentBlock, hide: Hide): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', content: cut(hide(block.text)) };
    case 'thinking':
      return { type: 'reasoning', content: cut(hide(block.thinking)) };
    case 'tool_use':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: valueText(block.input, hide) };
    case 'tool_result':
      return { type: 'tool_call_response', id: block.tool_use_id, response: valueText(block.content, hide) };
    default:
      return { type: block.type };
  }
}

function cut(text: string): string {
  if (text.length <= MAX_PART) return text;
  const start = cutText(text, MAX_PART);
  return `${start}… (${text.length - start.length} more characters)`;
}
