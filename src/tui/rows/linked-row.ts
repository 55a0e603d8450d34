import { LINK_END, outputRow, type Palette, RESET, type Row } from './row.ts';
import { assertSafe } from './safe-text.ts';

const LONGEST_ADDRESS = 2048;
const MOST_PARAMETERS = 40;

/** Sequences of colours, and links as programs write them: with parameters, ended by BEL or ST. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const KNOWN = /(\x1b\[[0-9;:]*m|\x1b\]8;[^;\x07\x1b]*;[^\x07\x1b]*(?:\x07|\x1b\\))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const LINK = /^\x1b\]8;[^;]*;([^\x07\x1b]*)(?:\x07|\x1b\\)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const COLOUR = /^\x1b\[[0-9;:]*m$/;

/**
 * As `outputRow`, for the output of a command that the person has chosen: links to http and https stay, too, and end with
 * the row.
 */
export function linkedRow(line: string, palette: Palette, safe: (text: string) => string): Row {
  if (!line.includes('\x1b]8;')) return outputRow(line, palette, safe);
  const hasColours = palette.error !== '';
  let row = '';
  let isLinked = false;
  for (const part of line.split(KNOWN)) {
    const link = LINK.exec(part);
    if (link) {
      const address = addressOf(link[1] ?? '');
      row += (isLinked ? LINK_END : '') + (address === null ? '' : `\x1b]8;;${address}\x1b\\`);
      isLinked = address !== null;
    } else if (COLOUR.test(part) && part.length <= MOST_PARAMETERS) row += hasColours ? part : '';
    else row += assertSafe(safe(part));
  }
  return (row + (isLinked ? LINK_END : '') + (hasColours ? RESET : '')) as Row;
}

/** Percent-encoded; null for the end of a link, and for an address that no browser should get. */
function addressOf(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { href } = new URL(text);
  return /^[!-~]+$/.test(href) && href.length <= LONGEST_ADDRESS ? href : null;
}
