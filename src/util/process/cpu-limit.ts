/**
 * A limit of CPU time for work that keeps the event loop busy. The clock alone would not do: on a machine with other work,
 * an ordinary input would run into the limit, and a decision would depend on the load.
 *
 * The function tells whether this process has used more CPU time since the call of `cpuLimit`. It looks at the clock first,
 * because asking the system for CPU time costs more: work that is not yet late by the clock cannot have used the time.
 *
 * @example
 * ```ts
 * const isOver = cpuLimit(75);
 * for (const node of nodes) {
 *   if (isOver()) throw new Error('This takes too long.');
 *   read(node);
 * }
 * ```
 */
export function cpuLimit(maxMs: number): () => boolean {
  const started = performance.now();
  const atStart = process.cpuUsage();
  return () => {
    if (performance.now() - started < maxMs) return false;
    const { user, system } = process.cpuUsage(atStart);
    return user + system > maxMs * 1000;
  };
}
