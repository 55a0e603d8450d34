/** A PDF file of this many pages is given whole; of others the pages must be chosen. */
export const MAX_WHOLE_PAGES = 10;
/** So many pages at most in one call. */
const MAX_CHOSEN_PAGES = 20;

/**
 * The numbers that "3", "1-5" or "1,3-4" means, in ascending order. Throws a RangeError whose message says what is
 * wrong: not numbers, too many, or beyond `total` where that is known.
 */
export function parsePages(text: string, total: number | null): number[] {
  const pages = new Set<number>();
  for (const part of text.split(',')) {
    const [, first, last = first] = /^\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || from < 1 || to < from) {
      throw new RangeError(`pages must be like "3", "1-5" or "1,3-4", not ${JSON.stringify(text)}`);
    }
    if (total !== null && to > total) throw new RangeError(`there is no page ${to}: the file has ${total} pages`);
    if (to - from >= MAX_CHOSEN_PAGES) throw tooMany();
    for (let page = from; page <= to; page++) pages.add(page);
  }
  if (pages.size > MAX_CHOSEN_PAGES) throw tooMany();
  return [...pages].sort((a, b) => a - b);
}

function tooMany(): RangeError {
  return new RangeError(`at most ${MAX_CHOSEN_PAGES} pages can be read at once`);
}
