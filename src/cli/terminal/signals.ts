import { Aborted } from '../../util/abort.ts';

/** After a signal the run has this long to end its turn and its children before the process exits anyway. */
const GRACE_MS = 4000;

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Handled = keyof typeof EXIT_CODES;

/**
 * The first signal interrupts the run, which still writes its result line; a second one, or the end of the grace
 * period, ends the process at once. Children die with it in any case: their supervisor sees Heddle's end of the pipe
 * close.
 */
export function onSignals(stop: AbortController): { exitCode(): number | null; dispose(): void } {
  let code: number | null = null;
  const listeners = (Object.keys(EXIT_CODES) as Handled[]).map((signal) => {
    const listener = () => {
      if (code !== null) process.exit(code);
      code = EXIT_CODES[signal];
      stop.abort(new Aborted(signal === 'SIGINT' ? 'interrupt' : 'shutdown'));
      setTimeout(() => process.exit(EXIT_CODES[signal]), GRACE_MS).unref();
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    exitCode: () => code,
    dispose() {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
