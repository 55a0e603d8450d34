import { Aborted } from '../util/abort.ts';
import { madeOnce } from '../util/made-once.ts';
import type { Processes } from '../util/process.ts';
import type { Logger } from '../util/runtime.ts';

/** Processes whose machinery is loaded with the first command: many runs have none. */
export function lazyProcesses(log: Logger): Processes {
  let isClosed = false;
  const load = madeOnce(async () => (await import('../util/process.ts')).createProcesses({ log }));
  return {
    async run(spec, signal) {
      if (isClosed) throw new Aborted('shutdown');
      return (await load()).run(spec, signal);
    },
    async close() {
      isClosed = true;
      await (await load.begun()?.catch(() => null))?.close();
    },
  };
}
