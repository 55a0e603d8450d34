/** Longer words are not typed by hand, and the cost grows with the product of both lengths. */
const MAX_CHARS = 100;

/** The candidate that a mistyped word most likely means; null when none is near enough to be a typing error. */
export function nearestWord(word: string, candidates: Iterable<string>): string | null {
  if (word.length > MAX_CHARS) return null;
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate.length > MAX_CHARS) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/**
 * The candidate that is one typing error away from a word: one letter added, left out, replaced or swapped with its
 * neighbour, or only letter case and separators differ. Null when there is none, and for a word that is a candidate
 * itself.
 */
export function slipOf(word: string, candidates: Iterable<string>): string | null {
  if (word.length > MAX_CHARS || word.length < MIN_CHARS) return null;
  const known = [...candidates].filter((candidate) => candidate.length <= MAX_CHARS);
  if (known.includes(word)) return null;
  const wanted = plain(word);
  const same = known.find((candidate) => plain(candidate) === wanted);
  return same ?? known.find((candidate) => editDistance(wanted, plain(candidate)) === 1) ?? null;
}

/** In shorter words one letter is too large a part to be a typing error. */
const MIN_CHARS = 3;

function plain(word: string): string {
  return word.toLowerCase().replace(/[_\-\s]/g, '');
}

/** How many letters must be added, removed, replaced or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? at(beforeLast, j - 2) + 1 : replaced;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
