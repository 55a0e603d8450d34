/** The words of an OAuth scope, each once, in their order. */
export function scopeWords(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(/\s+/).filter((word) => word !== ''))];
}

/** All that one of the scopes has; undefined when that is nothing. */
export function joinedScope(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = scopeWords(scopes.join(' '));
  return words.length === 0 ? undefined : words.join(' ');
}

/** A server that wants ever more is not followed for ever. */
const MAX_CHARS = 2000;

/** The words that a server wants and nobody has asked for yet; none when that would be more than anybody needs. */
export function missingScope(wanted: string, asked: string | undefined): string[] {
  const known = scopeWords(asked);
  if ((joinedScope(asked, wanted) ?? '').length > MAX_CHARS) return [];
  return scopeWords(wanted).filter((word) => !known.includes(word));
}
