import { asEscape } from '../../util/text/printable.ts';

/** Characters that must not reach a terminal. Line ends and tabs may, and so may joiners, which emoji need. */
const ACTING = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * A text of several lines, made safe for a terminal: nothing in it moves the cursor, changes colours or reverses the
 * writing.
 */
export function shownText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(ACTING, asEscape);
}

/**
 * `shownText` for a text that arrives in pieces. An incomplete character, and a carriage return that may belong to a
 * line end, wait for the next piece; `rest` returns them when there is none.
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
