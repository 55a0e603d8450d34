import { lexer, type Token, type Tokens } from 'marked';
import { EMPTY_ROW, type Row, type Span, toRow } from '../row.ts';
import type { RowContext } from '../row-context.ts';
import { wrapSpans } from '../wrap.ts';
import { inlineSpans } from './inline-spans.ts';
import { tableLines } from './table-rows.ts';

/** What stands before the first line of a block, and before its others. */
interface Margin {
  first: readonly Span[];
  rest: readonly Span[];
}

const NO_MARGIN: Margin = { first: [], rest: [] };

/** Nesting beyond this is shown as it was written; it would cost more than it tells. */
const DEEPEST = 20;
/** Columns that text needs besides its margin; where they are not there, it has no margin. */
const ROOM = 8;
const TOO_DEEP = /^(?: {0,4}(?:[>*+-]|\d{1,9}[.)]) ?){20}/m;

/** Markdown of one or more blocks as rows. */
export function blockRows(text: string, context: RowContext): Row[] {
  const tokens = lexed(text);
  return tokens ? rowsOfTokens(tokens, context, NO_MARGIN, 0) : plainRows(text, context);
}

/** One item of a list; `indent` is where its text begins. Without its mark when code has interrupted it. */
export function itemRows(text: string, indent: number, isContinued: boolean, context: RowContext): Row[] {
  if (!isContinued) return blockRows(text, context);
  const lines = text.split('\n').map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)));
  const tokens = lexed(lines.join('\n'));
  if (!tokens) return plainRows(text, context);
  const blank: Span[] = [{ text: ' '.repeat(Math.min(indent, 8)) }];
  return rowsOfTokens(tokens, context, { first: blank, rest: blank }, 0);
}

/** The further rows of a table whose head stands above them. */
export function tableRows(head: string, text: string, context: RowContext): Row[] {
  const [table] = lexed(`${head}\n${text}`) ?? [];
  if (table?.type !== 'table') return plainRows(text, context);
  return tableLines(table as Tokens.Table, context, false).map((line) => toRow(line, context.palette));
}

/** Text as it is, wrapped. */
export function plainRows(text: string, context: RowContext): Row[] {
  return text.split('\n').flatMap((line) => proseRows([{ text: line }], context, NO_MARGIN));
}

function lexed(text: string): Token[] | null {
  if (TOO_DEEP.test(text)) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    return null; // it recurses, and a text may be made to exhaust the stack
  }
}

function rowsOfTokens(tokens: readonly Token[], context: RowContext, margin: Margin, depth: number): Row[] {
  const rows: Row[] = [];
  let isGap = false;
  for (const token of tokens) {
    if (token.type === 'space') {
      isGap = rows.length > 0;
      continue;
    }
    const own = rows.length === 0 ? margin : { first: margin.rest, rest: margin.rest };
    const next =
      depth > DEEPEST ? proseRows([{ text: token.raw.trim() }], context, own) : rowsOf(token, context, own, depth);
    if (next.length === 0) continue;
    if (isGap) rows.push(toRow(trimmedEnd(margin.rest), context.palette));
    isGap = false;
    rows.push(...next);
  }
  return rows;
}

function rowsOf(token: Token, context: RowContext, margin: Margin, depth: number): Row[] {
  switch (token.type) {
    case 'heading':
      return headingRows(token as Tokens.Heading, context, margin);
    case 'paragraph':
    case 'text': {
      const { tokens, text } = token as Tokens.Paragraph;
      const lines = tokens ? inlineSpans(tokens) : [[{ text: text.replaceAll('\n', ' ') }]];
      return lines.flatMap((line, index) => proseRows(line, context, index === 0 ? margin : restOf(margin)));
    }
    case 'blockquote': {
      const mark: Span = { text: '> ', styles: ['dim'] };
      const inner = { first: [...margin.first, mark], rest: [...margin.rest, mark] };
      return rowsOfTokens((token as Tokens.Blockquote).tokens, context, inner, depth + 1);
    }
    case 'list':
      return listRows(token as Tokens.List, context, margin, depth);
    case 'code':
      return codeRows((token as Tokens.Code).text, context, margin);
    case 'table': {
      const narrower = { ...context, width: context.width - marginWidth(margin.rest, context) };
      const lines = tableLines(token as Tokens.Table, narrower, true);
      return lines.map((line, index) => marked(line, context, index === 0 ? margin.first : margin.rest));
    }
    case 'hr':
      return [marked([{ text: '\u2500\u2500\u2500', styles: ['dim'] }], context, margin.first)];
    case 'def':
    case 'html':
      return token.raw
        .trim()
        .split(/\n|<br *\/?>/i)
        .flatMap((line, index) => proseRows([{ text: line }], context, index === 0 ? margin : restOf(margin)));
    default:
      return proseRows([{ text: token.raw.trim().replaceAll('\n', ' ') }], context, margin);
  }
}

/** Without colours the marks of a heading stay: something has to tell that it is one. */
function headingRows({ depth, tokens }: Tokens.Heading, context: RowContext, margin: Margin): Row[] {
  const marks = context.palette.heading === '' ? [{ text: `${'#'.repeat(depth)} ` }] : [];
  const spans = inlineSpans(tokens).flat();
  const strong = spans.map(({ text, styles = [] }): Span => ({ text, styles: ['heading', ...styles] }));
  return proseRows([...marks, ...strong], context, margin);
}

function listRows({ items, ordered, start }: Tokens.List, context: RowContext, margin: Margin, depth: number): Row[] {
  return items.flatMap((item, index) => {
    const mark = ordered ? `${Number(start || 0) + index}. ` : '- ';
    const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
    const first = index === 0 ? margin.first : margin.rest;
    const own: Margin = {
      first: [...first, { text: mark + box }],
      rest: [...margin.rest, { text: ' '.repeat(mark.length) }],
    };
    const rows = rowsOfTokens(withoutBox(item.tokens), context, own, depth + 1);
    const isGap = item.loose && index < items.length - 1;
    const gap = isGap ? [toRow(trimmedEnd(margin.rest), context.palette)] : [];
    return [...(rows.length > 0 ? rows : [marked([], context, own.first)]), ...gap];
  });
}

/** Newer lexers have a token of their own for the box of a task. */
function withoutBox(tokens: readonly Token[]): Token[] {
  return tokens.filter((token) => token.type !== 'checkbox');
}

/** Code is never broken: the terminal wraps it, so that it can be copied. */
function codeRows(text: string, context: RowContext, margin: Margin): Row[] {
  return text.split('\n').map((line, index) => {
    const before = index === 0 ? margin.first : margin.rest;
    return line === '' ? EMPTY_ROW : marked([{ text: line, styles: ['code'] }], context, before);
  });
}

function proseRows(spans: readonly Span[], context: RowContext, wished: Margin): Row[] {
  const isTooWide =
    Math.max(marginWidth(wished.first, context), marginWidth(wished.rest, context)) > context.width - ROOM;
  const margin = isTooWide ? NO_MARGIN : wished;
  const first = marginWidth(margin.first, context);
  const hang = marginWidth(margin.rest, context);
  const lines = wrapSpans(spans, { width: context.proseWidth ?? context.width, widths: context.widths, first, hang });
  return lines.map((line, index) => marked(line, context, index === 0 ? margin.first : margin.rest));
}

function restOf({ rest }: Margin): Margin {
  return { first: rest, rest };
}

function marked(line: readonly Span[], { palette }: RowContext, before: readonly Span[]): Row {
  return toRow(line.length === 0 ? trimmedEnd(before) : [...before, ...line], palette);
}

function marginWidth(margin: readonly Span[], { widths }: RowContext): number {
  return margin.reduce((sum, { text }) => sum + widths.of(text), 0);
}

/** Nothing is padded. */
function trimmedEnd(margin: readonly Span[]): Span[] {
  const spans = margin.map((span) => ({ ...span }));
  for (let last = spans.at(-1); last; last = spans.at(-1)) {
    last.text = last.text.trimEnd();
    if (last.text !== '') break;
    spans.pop();
  }
  return spans;
}
