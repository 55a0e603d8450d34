/** Readers for entries, which come from anywhere. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(value: unknown, key: string): string | undefined {
  const found = isFields(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}

export function listIn(value: unknown, key: string): unknown[] {
  const found = isFields(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

export function numberIn(value: unknown, key: string): number | undefined {
  const found = isFields(value) ? value[key] : undefined;
  return typeof found === 'number' ? found : undefined;
}

/** The blocks of a message with their ways; a plain text is one block. */
export function blocksIn(entry: Fields): { block: Fields; path: (string | number)[] }[] {
  const content = isFields(entry.message) ? entry.message.content : undefined;
  if (typeof content === 'string')
    return [{ block: { type: 'text', text: content }, path: ['message', 'content', 'text'] }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block, at) => (isFields(block) ? [{ block, path: ['message', 'content', at] }] : []));
}
