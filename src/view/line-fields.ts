import { isObject, type JsonObject, stringField } from '../util/json.ts';

/** Readers for the fields of lines. No line is trusted: a field of another type counts as absent. */

/** The content blocks of a message; a text is one block. */
export function blocksOf({ message }: JsonObject): readonly JsonObject[] {
  const content = isObject(message) ? message.content : undefined;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** The call that started the subagent of a line; null on the main thread. */
export function parentOf(line: JsonObject): string | null {
  return stringField(line, 'parent_tool_use_id') ?? null;
}

export function uuidsOf(line: JsonObject): string[] {
  const { uuid } = line;
  return typeof uuid === 'string' ? [uuid] : [];
}

export function textField(value: unknown, key: string): string {
  return stringField(value, key) ?? '';
}

export function numberField(value: unknown, key: string): number | null {
  const field = isObject(value) ? value[key] : undefined;
  return typeof field === 'number' && Number.isFinite(field) ? field : null;
}

/** The sum of the fields that are numbers. */
export function sumOf(fields: unknown, ...names: string[]): number {
  return names.reduce((total, name) => total + (numberField(fields, name) ?? 0), 0);
}

export function listField(value: unknown, key: string): readonly unknown[] {
  const field = isObject(value) ? value[key] : undefined;
  return Array.isArray(field) ? field : [];
}

export function objectsIn(value: unknown, key: string): readonly JsonObject[] {
  return listField(value, key).filter(isObject);
}

export function textsIn(value: unknown, key: string): string[] {
  return listField(value, key).filter((item) => typeof item === 'string');
}

/** A block as text: what is not text is named by its type. */
export function blockText(block: JsonObject): string {
  return stringField(block, 'text') ?? (typeof block.type === 'string' ? `[${block.type}]` : '');
}
