/** The words of an OAuth scope, each once, in their order. */
export function scopeWords(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(/\s+/).filter((word) => word !== ''))];
}

/** The words of all these scopes; undefined when there are none. */
export function joinedScope(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = scopeWords(scopes.join(' '));
  return words.length === 0 ? undefined : words.join(' ');
}

/** A limit, so that a server cannot widen the scope without end. */
const MAX_CHARS = 2000;

/** The words that a server wants and that were not requested yet; empty when the scope would exceed the limit. */
export function missingScope(wanted: string, asked: string | undefined): string[] {
  const known = scopeWords(asked);
  if ((joinedScope(asked, wanted) ?? '').length > MAX_CHARS) return [];
  return scopeWords(wanted).filter((word) => !known.includes(word));
}
