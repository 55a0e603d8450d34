import type { Token, Tokens } from 'marked';
import type { Span, Style } from '../row.ts';

/** Inline Markdown as lines of spans; a new line only where the text asks for one. */
export function inlineSpans(tokens: readonly Token[]): Span[][] {
  const lines: Span[][] = [[]];
  addTokens(lines, tokens, []);
  return lines;
}

/** Deeper marks than anybody writes are shown as they are. */
const DEEPEST = 20;

function addTokens(lines: Span[][], tokens: readonly Token[], styles: readonly Style[]): void {
  for (const token of tokens) {
    if (styles.length > DEEPEST) add(lines, token.raw, styles);
    else addToken(lines, token, styles);
  }
}

function addToken(lines: Span[][], token: Token, styles: readonly Style[]): void {
  const style = token.type in MARKS ? MARKS[token.type as keyof typeof MARKS] : null;
  const inner = 'tokens' in token && Array.isArray(token.tokens) ? (token.tokens as Token[]) : null;
  if (token.type === 'link') addLink(lines, token as Tokens.Link, styles);
  else if (token.type === 'codespan') add(lines, (token as Tokens.Codespan).text, [...styles, 'code']);
  else if (style && inner) addTokens(lines, inner, [...styles, style]);
  else if (token.type === 'text' && inner) addTokens(lines, inner, styles);
  else if (token.type === 'text') add(lines, decoded((token as Tokens.Text).text), styles);
  else if (token.type === 'escape') add(lines, (token as Tokens.Escape).text, styles);
  else if (token.type === 'br' || /^<br *\/?>$/i.test(token.raw.trim())) lines.push([]);
  else add(lines, token.raw, styles);
}

const MARKS = { strong: 'strong', em: 'emphasis', del: 'struck' } as const;

/** The address is always there to be read, so that no link leads elsewhere than it says. */
function addLink(lines: Span[][], { text, href, tokens, raw }: Tokens.Link, styles: readonly Style[]): void {
  const isAddress = text === href || href === `mailto:${text}` || raw === text;
  if (isAddress) {
    add(lines, text, [...styles, 'link']);
    return;
  }
  addTokens(lines, tokens, styles);
  add(lines, ' (', styles);
  add(lines, href, [...styles, 'link']);
  add(lines, ')', styles);
}

function add(lines: Span[][], text: string, styles: readonly Style[]): void {
  const line = lines.at(-1);
  const joined = text.replaceAll(/\s*\n\s*/g, ' ');
  const plain = line?.length === 0 ? joined.trimStart() : joined;
  if (plain !== '') line?.push({ text: plain, ...(styles.length > 0 && { styles }) });
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"', '&#39;': "'", '&nbsp;': ' ' },
};

/** The entities that models write; the rest stays as it is. */
function decoded(text: string): string {
  return text.includes('&')
    ? text.replaceAll(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (each) => ENTITIES[each] ?? each)
    : text;
}
