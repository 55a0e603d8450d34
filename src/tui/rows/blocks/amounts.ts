/** 950, 1.4k, 18k, 1.2M. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

/** 8 s, 1 min 20 s, 2 h 5 min. */
export function shortTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** $0.42; small amounts with as many digits as they need. */
export function shortCost(dollars: number): string {
  if (dollars <= 0) return '$0';
  return `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`;
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
