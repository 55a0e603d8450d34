import type { ApiMessage } from '../../model/model.ts';
import { cutText } from '../../util/cut-text.ts';
import type { ContentBlock } from '../../wire/content.ts';
import type { Parts } from '../parts.ts';

/** Takes out of a value what nobody may see: before it is cut, or the half of it would be no longer known. */
type Hide = Parts['hideCredentials'];

/** Characters of one text, and of all that one attribute holds: backends drop spans that are larger than they like. */
const MAX_PART = 4000;
const MAX_ATTRIBUTE = 32_000;
const MAX_PARTS = 8;

/** A conversation as the conventions write it: the newest messages of it that fit. */
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

/** What a tool was given or has found. */
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
