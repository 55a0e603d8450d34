/** A node of the parsed source. `named` ones are parts of the grammar, the others tokens such as `;` or `then`. */
export interface SyntaxNode {
  readonly type: string;
  readonly named: boolean;
  readonly start: number;
  readonly end: number;
  readonly children: readonly SyntaxNode[];
}

/** The parser's reading is unreliable. The caller that began to read the command line catches this. */
export class Unreadable extends Error {}

/**
 * The children of a node without comments. The parser's grammar is made for editors and tolerates errors, so the text
 * it skipped between them is checked: blanks, escaped line ends and, where a line may end, newlines. Any other text
 * means that bash reads the source differently.
 */
export function childrenOf(source: string, node: SyntaxNode, between: 'blanks' | 'lines'): SyntaxNode[] {
  const skipped = between === 'lines' ? /^(?:[ \t\n]|\\\n)*$/ : /^(?:[ \t]|\\\n)*$/;
  let end = node.start;
  for (const child of node.children) {
    if (!skipped.test(source.slice(end, child.start))) throw new Unreadable();
    if (child.type === 'comment' && !/^[\s;&|()]?$/.test(source[child.start - 1] ?? '')) throw new Unreadable();
    if (!child.named && isWordToken(child.type)) requireWhole(source, child);
    end = child.end;
  }
  if (!skipped.test(source.slice(end, node.end))) throw new Unreadable();
  return node.children.filter((child) => child.type !== 'comment');
}

/** Requires that bash also reads this as a separate word: it begins and ends where words do. */
export function requireWhole(source: string, { start, end }: { start: number; end: number }, before = WORD_ENDS): void {
  const previous = source[start - 1];
  const next = source[end];
  if (previous !== undefined && !before.includes(previous)) throw new Unreadable();
  if (next !== undefined && !WORD_ENDS.includes(next)) throw new Unreadable();
  // A process substitution continues the word.
  if (/^[<>]\($/.test(source.slice(end, end + 2))) throw new Unreadable();
}

/** A backquote ends words inside of a substitution that it delimits. */
export const WORD_ENDS = ' \t\n;&|()<>`';

/** Tokens that are words to bash, and mean something only when they stand alone. */
function isWordToken(type: string): boolean {
  return /^(?:[a-z]+|[{}!]|\[\[?|\]\]?)$/.test(type);
}
