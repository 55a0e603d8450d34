import { Aborted } from '../util/abort.ts';
import type { Processes } from '../util/process.ts';
import type { Logger } from '../util/runtime.ts';

/** Processes whose machinery is loaded with the first command: many runs have none. */
export function lazyProcesses(log: Logger): Processes {
  let loading: Promise<Processes> | null = null;
  let isClosed = false;
  const load = async () => (await import('../util/process.ts')).createProcesses({ log });
  return {
    async run(spec, signal) {
      if (isClosed) throw new Aborted('shutdown');
      loading ??= load();
      return (await loading).run(spec, signal);
    },
    async close() {
      isClosed = true;
      await (await loading)?.close();
    },
  };
}
