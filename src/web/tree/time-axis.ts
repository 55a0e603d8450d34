import type { SessionModel } from './session-model.ts';

/** Places moments of a session on a line from 0 to 1. */
export interface TimeAxis {
  at(moment: number): number;
  /** Milliseconds on the line in all. */
  ms: number;
}

/** A longer pause takes no more room than this. */
const LONGEST_PAUSE = 10_000;

/** The time in which something worked: pauses between turns are cut short, so that hours between prompts hide nothing. */
export function axisOf({ rows }: Pick<SessionModel, 'rows'>): TimeAxis {
  const moments = [
    ...new Set(rows.flatMap(({ at, isSidechain }) => (at === undefined || isSidechain ? [] : [at]))),
  ].sort((a, b) => a - b);
  const prompts = new Set(rows.flatMap(({ kind, at }) => (kind === 'prompt' && at !== undefined ? [at] : [])));
  const places: number[] = [];
  let length = 0;
  for (const [n, moment] of moments.entries()) {
    const pause = n === 0 ? 0 : moment - (moments[n - 1] ?? moment);
    length += prompts.has(moment) ? Math.min(pause, LONGEST_PAUSE) : pause;
    places.push(length);
  }
  const whole = Math.max(length, 1);
  return {
    ms: length,
    at(moment) {
      const next = firstBehind(moments, moment);
      const before = next - 1;
      if (before < 0) return 0;
      const start = moments[before] ?? moment;
      const end = moments[next];
      const from = places[before] ?? 0;
      if (end === undefined) return Math.min(1, (from + Math.max(0, moment - start)) / whole);
      const to = places[next] ?? from;
      return (from + ((moment - start) / Math.max(1, end - start)) * (to - from)) / whole;
    },
  };
}

/** The number of the first moment that is later. */
function firstBehind(moments: readonly number[], moment: number): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle] ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
