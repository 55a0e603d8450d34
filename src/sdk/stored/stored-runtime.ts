import type { Ids, Logger } from '../../util/runtime.ts';

/** The global `crypto` is loaded with the first id; `node:crypto` would be loaded for every list of sessions. */
export function randomIds(): Ids {
  return { uuid: () => crypto.randomUUID() };
}

/** Functions for stored sessions report by their results and errors only. */
export const silentLogger: Logger = () => {};
