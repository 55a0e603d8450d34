/**
 * The longest stretch without a turn of the event loop while some work runs, in milliseconds. Counted in CPU time where
 * that is less than the time on the clock: on a busy machine others take their share.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let [clock, cpu] = [performance.now(), process.cpuUsage()];
  const look = () => {
    const { user, system } = process.cpuUsage(cpu);
    longest = Math.max(longest, Math.min(performance.now() - clock, (user + system) / 1000));
    [clock, cpu] = [performance.now(), process.cpuUsage()];
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
    isOver = true;
  }
  return longest;
}
