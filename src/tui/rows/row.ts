import { assertSafe } from './safe-text.ts';

declare const OF_ROWS: unique symbol;

/** One row for the screen: safe text with our own colours. Only this folder makes rows. */
export type Row = string & { readonly [OF_ROWS]: true };

/** What a piece of text means; the palette says what it looks like. */
export type Style =
  | 'strong'
  | 'emphasis'
  | 'struck'
  | 'dim'
  | 'heading'
  | 'code'
  | 'link'
  | 'added'
  | 'removed'
  | 'good'
  | 'warning'
  | 'error'
  | 'accent'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'type'
  | 'inverse';

export interface Span {
  text: string;
  styles?: readonly Style[];
}

/** The parameters of SGR for each style; an empty text where the terminal shall not have it. */
export type Palette = Readonly<Record<Style, string>>;

/** The sixteen colours of the terminal, so that its own theme decides. */
export const SIXTEEN_COLOURS: Palette = {
  ...{ strong: '1', emphasis: '3', struck: '9', dim: '2', heading: '1', code: '36', link: '4', inverse: '7' },
  ...{ added: '32', removed: '31', good: '32', warning: '33', error: '31', accent: '36' },
  ...{ keyword: '35', string: '32', number: '33', comment: '2', function: '34', type: '36' },
};

/** For NO_COLOR: marks carry the meaning. */
export const NO_COLOURS = Object.fromEntries(Object.keys(SIXTEEN_COLOURS).map((style) => [style, ''])) as Palette;

export const RESET = '\x1b[0m';

/** The one place where text becomes a row. The spans must hold one line. */
export function toRow(spans: readonly Span[], palette: Palette): Row {
  let row = '';
  for (const { text, styles } of spans) {
    if (text === '') continue;
    const safe = assertSafe(text);
    const on = (styles ?? []).flatMap((style) => palette[style] || []).join(';');
    row += on === '' ? safe : `\x1b[${on}m${safe}${RESET}`;
  }
  return row as Row;
}

export const EMPTY_ROW = '' as Row;

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours and links
const OWN = /\x1b\[[0-9;:]*m|\x1b\]8;;[!-~]*\x1b\\/g;
/** Ends a link, as `linkedRow` begins one. */
export const LINK_END = '\x1b]8;;\x1b\\';
const OWN_PART = new RegExp(`(${OWN.source})`);

/** The text of a row, without its colours and links. */
export function textOfRow(row: Row): string {
  return row.includes('\x1b') ? row.replaceAll(OWN, '') : row;
}

/** The parts of a row in order: sequences of colours and links, and the texts between them. */
export function partsOfRow(row: Row): string[] {
  return row.includes('\x1b') ? row.split(OWN_PART).filter((part) => part !== '') : [row];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
const SGR_PART = /(\x1b\[[0-9;:]*m)/;

const MOST_PARAMETERS = 40;

/**
 * One line of a command's output. Its colours stay where the palette has any, and end with the row; everything else
 * that acts on a terminal is dropped.
 */
export function outputRow(line: string, palette: Palette, safe: (text: string) => string): Row {
  if (!line.includes('\x1b')) return assertSafe(safe(line)) as Row;
  const hasColours = palette.error !== '';
  let row = '';
  let isColoured = false;
  for (const part of line.split(SGR_PART)) {
    const isColour = part.startsWith('\x1b[') && part.endsWith('m') && part.length <= MOST_PARAMETERS;
    if (!isColour) row += assertSafe(safe(part));
    else if (hasColours) {
      row += part;
      isColoured = true;
    }
  }
  return (isColoured ? row + RESET : row) as Row;
}

/** The first `width` columns of a row, with its colours ended; the row itself where it fits. */
export function cutRow(row: Row, width: number, widths: RowWidths): Row {
  if (widths.of(textOfRow(row)) <= width) return row;
  let kept = '';
  let used = 0;
  for (const part of partsOfRow(row)) {
    if (part.startsWith('\x1b')) {
      kept += part;
      continue;
    }
    for (const cluster of widths.clusters(part)) {
      used += cluster.width;
      if (used > width) return ended(row, kept);
      kept += cluster.text;
    }
  }
  return kept as Row;
}

/** The beginning of a row, with what it had switched on switched off. */
function ended(row: Row, beginning: string): Row {
  const link = row.includes(LINK_END) ? LINK_END : '';
  return (row.includes('\x1b') ? beginning + link + RESET : beginning) as Row;
}

/** A row in pieces of at most `width` columns, each with the colours that hold there. */
export function breakRow(row: Row, width: number, widths: RowWidths): Row[] {
  if (widths.of(textOfRow(row)) <= width) return [row];
  const rows: Row[] = [];
  let [piece, used, colours] = ['', 0, ''];
  for (const part of partsOfRow(row)) {
    if (part.startsWith('\x1b')) {
      colours = part === RESET || part === '\x1b[m' ? '' : colours + part;
      piece += part;
      continue;
    }
    for (const cluster of widths.clusters(part)) {
      if (used + cluster.width > width && used > 0) {
        rows.push((colours === '' ? piece : piece + RESET) as Row);
        [piece, used] = [colours, 0];
      }
      piece += cluster.text;
      used += cluster.width;
    }
  }
  return [...rows, piece as Row];
}

interface RowWidths {
  of(text: string): number;
  clusters(text: string): { text: string; width: number }[];
}
