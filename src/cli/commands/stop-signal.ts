/** Resolves at the first SIGTERM or SIGINT; the second one ends the process at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopped = false;
    const onSignal = () => {
      if (isStopped) process.exit(1);
      isStopped = true;
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  });
}
