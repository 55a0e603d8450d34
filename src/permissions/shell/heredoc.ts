import { readSpan, type Visit } from './expand-words.ts';
import type { Word } from './shell-script.ts';
import { type SyntaxNode, Unreadable } from './syntax-nodes.ts';

/**
 * The text that a here-document passes to its command. The start and end of the document are found again by bash's
 * rules: a parser that ended it a line too late would hide commands in it.
 */
export function readHeredoc(visit: Visit, node: SyntaxNode): Word {
  const { source } = visit;
  const operator = node.children.find(({ type }) => type === '<<' || type === '<<-');
  const start = node.children.find(({ type }) => type === 'heredoc_start');
  const body = node.children.find(({ type }) => type === 'heredoc_body');
  const end = node.children.find(({ type }) => type === 'heredoc_end');
  if (!operator || !start || !body || !end) throw new Unreadable();

  const delimiter = /^(?:'([^'\n\\]+)'|"([^"\n\\$`]+)"|\\?([\w.,:+@%/-]+))$/.exec(source.slice(start.start, start.end));
  if (delimiter === null) throw new Unreadable();
  const word = delimiter[1] ?? delimiter[2] ?? delimiter[3] ?? '';
  const from = source.indexOf('\n', start.end) + 1;
  const to = endOfBody(source, from, { word, tabs: operator.type === '<<-' });
  // Blanks before the end come from the parser; the line must be the one that bash takes.
  if (from === 0 || to === null || end.end !== to + lineAt(source, to).length || body.end > end.end)
    throw new Unreadable();

  if (source[start.start] !== word[0]) return withoutTabs(source.slice(from, to), operator.type);
  const text = readSpan(visit, { start: from, end: to }, body, 'body');
  return typeof text === 'string' ? withoutTabs(text, operator.type) : text;
}

function withoutTabs(text: string, operator: string): string {
  return operator === '<<-' ? text.replaceAll(/^\t+/gm, '') : text;
}

/** The position of the line that ends a document which begins at `from`; null when no line does. */
function endOfBody(source: string, from: number, { word, tabs }: { word: string; tabs: boolean }): number | null {
  for (let at = from; at <= source.length; ) {
    const line = lineAt(source, at);
    if ((tabs ? line.replace(/^\t+/, '') : line) === word) return at;
    at += line.length + 1;
  }
  return null;
}

function lineAt(source: string, at: number): string {
  const end = source.indexOf('\n', at);
  return source.slice(at, end === -1 ? source.length : end);
}
