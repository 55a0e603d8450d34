import type { ApiMessage } from '../../model/model.ts';
import type { ContentBlock } from '../../wire/content.ts';

/** Characters of one text, and of all that one attribute holds: backends drop spans that are larger than they like. */
const MAX_PART = 4000;
const MAX_ATTRIBUTE = 32_000;
const MAX_PARTS = 8;

/** A conversation as the conventions write it: the newest messages of it that fit. */
export function messagesText(messages: readonly ApiMessage[]): string {
  const kept: string[] = [];
  let room = MAX_ATTRIBUTE;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (!message) break;
    const text = JSON.stringify({ role: message.role, parts: message.content.slice(-MAX_PARTS).map(partOf) });
    room -= text.length + 1;
    if (room < 0 && kept.length > 0) break;
    kept.unshift(text);
  }
  return `[${kept.join(',')}]`;
}

export function systemText(system: readonly string[]): string {
  return JSON.stringify(system.slice(0, MAX_PARTS).map((text) => ({ type: 'text', content: cut(text) })));
}

/** What a tool was given or has found. */
export function valueText(value: unknown): string {
  return cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}

function partOf(block: ContentBlock): object {
  switch (block.type) {
    case 'text':
      return { type: 'text', content: cut(block.text) };
    case 'thinking':
      return { type: 'reasoning', content: cut(block.thinking) };
    case 'tool_use':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: valueText(block.input) };
    case 'tool_result':
      return { type: 'tool_call_response', id: block.tool_use_id, response: valueText(block.content) };
    default:
      return { type: block.type };
  }
}

/** By characters: half of a pair would be no text. */
function cut(text: string): string {
  if (text.length <= MAX_PART) return text;
  const end = /[\ud800-\udbff]/.test(text[MAX_PART - 1] ?? '') ? MAX_PART - 1 : MAX_PART;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}
