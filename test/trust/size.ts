/** How much a long test does: HEDDLE_TRUST_POINTS, _LINES, _TURNS, _ROUNDS, _AGENTS, _SESSIONS, _SECONDS, _SEED override the standard figures. */
export function trustSize(
  name: 'POINTS' | 'LINES' | 'TURNS' | 'ROUNDS' | 'AGENTS' | 'SESSIONS' | 'SECONDS' | 'SEED',
  standard: number,
): number {
  const given = Number(process.env[`HEDDLE_TRUST_${name}`]);
  return Number.isInteger(given) && given > 0 ? given : standard;
}

/** So many pieces of work in tests of a size that reports well. */
export function batches(total: number, size: number): { from: number; to: number }[] {
  return Array.from({ length: Math.ceil(total / size) }, (_, at) => ({
    from: at * size,
    to: Math.min(total, (at + 1) * size),
  }));
}
