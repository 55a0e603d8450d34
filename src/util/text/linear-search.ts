import type { Pauses } from '../pauses.ts';

/** Up to this many comparisons it uses the search of the JavaScript engine, which is faster but not bounded. */
const MAX_PRODUCT = 2 ** 26;
/** Characters between checks of the clock. */
const STRIDE = 2 ** 20;

/**
 * The positions of `part` in `text`, without overlaps, at most `max`. The time grows with the length of both for any
 * content; the time of `indexOf` can grow with their product.
 */
export async function occurrencesOf(text: string, part: string, max: number, pauses: Pauses): Promise<number[]> {
  const found: number[] = [];
  if (part === '') return found;
  if (text.length * part.length <= MAX_PRODUCT) {
    for (let at = text.indexOf(part); at !== -1 && found.length < max; at = text.indexOf(part, at + part.length)) {
      found.push(at);
    }
    return found;
  }
  const borders = bordersOf(part.length, (a, b) => part.charCodeAt(a) === part.charCodeAt(b));
  for (let at = 0, fitting = 0; at < text.length && found.length < max; at++) {
    if (at % STRIDE === 0 && pauses.isDue()) await pauses.take();
    const code = text.charCodeAt(at);
    while (fitting > 0 && part.charCodeAt(fitting) !== code) fitting = borders[fitting - 1] ?? 0;
    if (part.charCodeAt(fitting) === code) fitting++;
    if (fitting < part.length) continue;
    found.push(at + 1 - part.length);
    fitting = 0;
  }
  return found;
}

/** Every position, in ascending order, at which `items` contains `part`; overlaps count. */
export function* runsOf<T>(items: readonly T[], part: readonly T[]): Generator<number, void> {
  if (part.length === 0) return;
  const borders = bordersOf(part.length, (a, b) => part[a] === part[b]);
  for (let at = 0, fitting = 0; at < items.length; at++) {
    while (fitting > 0 && part[fitting] !== items[at]) fitting = borders[fitting - 1] ?? 0;
    if (part[fitting] === items[at]) fitting++;
    if (fitting < part.length) continue;
    yield at + 1 - part.length;
    fitting = borders[fitting - 1] ?? 0;
  }
}

/** For each prefix: the length of its longest proper suffix that is also a prefix (Knuth, Morris, Pratt). */
function bordersOf(length: number, isSame: (a: number, b: number) => boolean): Int32Array {
  const borders = new Int32Array(length);
  for (let at = 1, border = 0; at < length; at++) {
    while (border > 0 && !isSame(at, border)) border = borders[border - 1] ?? 0;
    if (isSame(at, border)) border++;
    borders[at] = border;
  }
  return borders;
}
