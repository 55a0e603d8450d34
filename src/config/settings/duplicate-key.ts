/**
 * The first name that occurs twice in one object of a JSON text, as a dotted path; null when there is none.
 * `JSON.parse` silently keeps only the last one, and the rules in the first would be lost. `json` is valid.
 */
export function duplicateKey(json: string): string | null {
  const open: Container[] = [];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/gs)) {
    const inside = open.at(-1);
    if (token === '{' || token === '[') open.push({ names: token === '{' ? new Set() : null, name: null });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (inside) inside.name = null;
    } else if (inside?.names && inside.name === null) {
      inside.name = JSON.parse(token) as string;
      if (inside.names.has(inside.name)) return open.flatMap(({ name }) => name ?? []).join('.');
      inside.names.add(inside.name);
    }
  }
  return null;
}

interface Container {
  /** The names seen so far; null for a list. */
  names: Set<string> | null;
  /** The name whose value is being read. */
  name: string | null;
}
