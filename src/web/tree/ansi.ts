/** A piece of a command's output with what its escape sequences say about it. */
export interface AnsiSpan {
  text: string;
  /** Names of classes: `a1` (bold), `f4` (blue), `b1` (red behind it). */
  classes: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin so
const SEQUENCE = /\x1b(?:\[([\d;:]*)([A-Za-z@`~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/g;

/** Output with colours, as spans: only the sixteen colours and five attributes; every other sequence is left out. */
export function ansiSpans(text: string): AnsiSpan[] {
  const spans: AnsiSpan[] = [];
  const state = { attributes: new Set<number>(), front: '', back: '' };
  let from = 0;
  const take = (to: number) => {
    if (to <= from) return;
    const classes = [...state.attributes].map((code) => `a${code}`);
    spans.push({
      text: text.slice(from, to),
      classes: [...classes, state.front, state.back].filter(Boolean).join(' '),
    });
  };
  for (const found of text.matchAll(SEQUENCE)) {
    take(found.index);
    from = found.index + found[0].length;
    if (found[2] === 'm') apply(state, found[1] ?? '');
  }
  take(text.length);
  return spans;
}

function apply(state: { attributes: Set<number>; front: string; back: string }, given: string): void {
  const codes = given === '' ? [0] : given.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) {
      state.attributes.clear();
      [state.front, state.back] = ['', ''];
    } else if ([1, 2, 3, 4, 7, 9].includes(code)) state.attributes.add(code);
    else if (code === 22) for (const each of [1, 2]) state.attributes.delete(each);
    else if (code > 22 && code < 30) state.attributes.delete(code - 20);
    else if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) state.front = `f${code % 10}`;
    else if (code === 39) state.front = '';
    else if ((code >= 40 && code < 48) || (code >= 100 && code < 108)) state.back = `b${code % 10}`;
    else if (code === 49) state.back = '';
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4; // other palettes have no class
  }
}
