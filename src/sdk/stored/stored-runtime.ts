import type { Ids, Logger } from '../../util/runtime.ts';

/** The global `crypto` is loaded with the first id; `node:crypto` would take a tenth of a list of sessions. */
export function randomIds(): Ids {
  return { uuid: () => crypto.randomUUID() };
}

/** Functions for stored sessions report by their results and errors only. */
export const silentLogger: Logger = () => {};
