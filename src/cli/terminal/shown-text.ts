import { asEscape } from '../../util/printable.ts';

/** What may not reach a terminal as it is. Line ends and tabs may, and so may joiners, of which emoji are made. */
const ACTING = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A text of several lines as a terminal may get it: nothing in it moves the cursor, changes colours or turns the writing. */
export function shownText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(ACTING, asEscape);
}

/**
 * The same for a text that arrives in pieces. A character that a piece ends in the middle of, and a carriage return that
 * may belong to a line end, wait for the next piece; `rest` hands them over when there is none.
 */
export function shownPieces(): { take(piece: string): string; rest(): string } {
  let held = '';
  return {
    take(piece) {
      const text = held + piece;
      held = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? '';
      return shownText(text.slice(0, text.length - held.length));
    },
    rest() {
      const last = shownText(held);
      held = '';
      return last;
    },
  };
}
