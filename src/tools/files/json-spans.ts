import type { Pauses } from '../../util/pauses.ts';

/** A part of a text. */
export interface Span {
  start: number;
  end: number;
}

/** A member of an object or an item of a list, without the white space around it. */
export interface JsonSpan extends Span {
  /** How many values it holds, and how deep they are nested. */
  values: number;
  depth: number;
}

export interface JsonElements {
  elements: JsonSpan[];
  /** Behind the closing bracket; -1 when there is none. */
  end: number;
}

/** Characters between checks of the clock. */
const STRIDE = 2 ** 18;

/**
 * The members of the object or the items of the list that begins at `open`. It checks only what it needs to find them,
 * and makes pauses: JSON.parse would hold up everything else for a second with some files.
 */
export async function jsonElements(text: string, open: number, pauses: Pauses): Promise<JsonElements> {
  const elements: JsonSpan[] = [];
  let start = open + 1;
  let values = 1;
  let deepest = 0;
  let depth = 0;
  let checked = open;
  for (let at = open; at < text.length; at++) {
    if (at - checked > STRIDE) {
      checked = at;
      if (pauses.isDue()) await pauses.take();
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === BRACE || code === BRACKET) depth++;
    else if (code === END_BRACE || code === END_BRACKET) depth--;
    if (depth > deepest) deepest = depth;
    if (code === COMMA || code === BRACE || code === BRACKET) values++;
    const isEnd = depth === 0;
    if (!isEnd && !(code === COMMA && depth === 1)) continue;
    elements.push({ ...trimmed(text, start, at), values, depth: deepest - 1 });
    if (isEnd) return { elements: withoutEmptyOnly(elements), end: at + 1 };
    start = at + 1;
    values = 0;
    deepest = 1;
  }
  return { elements, end: -1 };
}

/** `[]` has one element of no length; in any other list such an element is a mistake. */
function withoutEmptyOnly(elements: JsonSpan[]): JsonSpan[] {
  const [first, ...more] = elements;
  return first !== undefined && more.length === 0 && first.start === first.end ? [] : elements;
}

/** By numbers: a notebook with pictures has millions of letters. */
const [QUOTE, BRACE, BRACKET, END_BRACE, END_BRACKET, COMMA] = [...'"{[}],'].map((c) => c.charCodeAt(0));
const ESCAPE = '\\'.charCodeAt(0);

/** The position of the closing quote. The search of the engine is several times as fast as a loop. */
function endOfString(text: string, quote: number): number {
  for (let at = text.indexOf('"', quote + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === ESCAPE) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

function trimmed(text: string, start: number, end: number): Span {
  let [from, to] = [start, end];
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return { start: from, end: to };
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
