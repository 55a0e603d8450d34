import type { RunningCli } from './cli.ts';
import type { Place } from './place.ts';
import { descendantsOf, isAlive } from './processes.ts';

export interface AfterReader {
  code: number | null;
  /** Until the process had ended. */
  ms: number;
  /** Requests to the model that were made although nobody read any more. */
  requests: number;
  /** Of the processes that it had started, those that live on. */
  left: number[];
}

/** Closes the reading end of stdout, as a host that has died does, and waits for the end of the process (trust P-15). */
export async function leaveReader(cli: RunningCli, place: Place): Promise<AfterReader> {
  const children = descendantsOf(cli.pid);
  const before = place.api.requests.length;
  const started = Date.now();
  cli.child.stdout?.destroy();
  const { code } = await cli.finished;
  const ms = Date.now() - started;
  return { code, ms, requests: place.api.requests.length - before, left: children.filter(isAlive) };
}
