import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { answeredIds, blocksOf, isConversation } from './entry-fields.ts';

export type TextRole = 'user' | 'assistant' | 'thinking' | 'tool call' | 'tool result' | 'note' | 'title' | 'summary';

/** A text of an entry, and the role that wrote it. */
export interface RoleText {
  role: TextRole;
  text: string;
}

/** The readable texts of an entry: no keys, no ids, no bytes of images. */
export function textsOf(entry: Entry): RoleText[] {
  if (isConversation(entry)) return blocksOf(entry).flatMap((block) => blockTexts(block, roleOf(entry)));
  const [field, role] = OTHER_TEXTS[entry.type] ?? [];
  const text = field && stringField(entry, field);
  return text && role ? [{ role, text }] : [];
}

const OTHER_TEXTS: Record<string, [field: string, role: TextRole]> = {
  system: ['content', 'note'],
  summary: ['summary', 'summary'],
  'custom-title': ['customTitle', 'title'],
};

/**
 * The text that a person wrote: null for results, for messages of the runtime to the model, and for interrupt markers.
 */
export function promptOf(entry: Entry): string | null {
  if (entry.type !== 'user' || !isConversation(entry) || entry.isMeta === true || entry.isCompactSummary === true) {
    return null;
  }
  if (answeredIds(entry).length > 0) return null;
  const content = isObject(entry.message) ? entry.message.content : undefined;
  const text = (typeof content === 'string' ? content : blocksOf(entry).map(blockLabel).join('\n')).trim();
  if (text === '' || RUNTIME_TEXT.test(text)) return null;
  return commandLine(text) ?? text;
}

const RUNTIME_TEXT = /^(\[Request interrupted by user|<local-command-(stdout|stderr|caveat)>|<task-notification>)/;

/** A command as the user typed it. */
function commandLine(text: string): string | null {
  if (!text.startsWith('<command-')) return null;
  const name = /^<command-(?:name|message)>[\s\S]*?<command-name>([^<]*)<|^<command-name>([^<]*)</.exec(text);
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? '';
  const typed = name?.[1] ?? name?.[2];
  return typed === undefined ? null : `${typed} ${args}`.trim();
}

/** A block as text, for uses where only its gist matters. */
export function blockLabel(block: JsonObject): string {
  return stringField(block, 'text') ?? (typeof block.type === 'string' ? `[${block.type}]` : '');
}

/** The text of a tool's result. */
export function resultText(block: JsonObject): string {
  const { content } = block;
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.filter(isObject).map(blockLabel).join('\n') : '';
}

function roleOf(entry: Entry): TextRole {
  if (entry.type === 'assistant') return 'assistant';
  if (entry.isCompactSummary === true) return 'summary';
  return entry.isMeta === true ? 'note' : 'user';
}

function blockTexts(block: JsonObject, role: TextRole): RoleText[] {
  switch (block.type) {
    case 'text':
      return [{ role, text: stringField(block, 'text') ?? '' }];
    case 'thinking':
      return [{ role: 'thinking', text: stringField(block, 'thinking') ?? '' }];
    case 'tool_use':
      return stringsIn(block.input).map((text) => ({ role: 'tool call', text }));
    case 'tool_result':
      return [{ role: 'tool result', text: resultText(block) }];
    default:
      return [];
  }
}

/** Every text value inside a tool's input. */
function stringsIn(input: unknown): string[] {
  const found: string[] = [];
  const waiting: unknown[] = [input];
  for (const value of waiting) {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) waiting.push(each);
  }
  return found;
}
