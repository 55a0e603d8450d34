import type { JsonObject } from '../util/json.ts';
import { badOption } from '../wire/check-named.ts';
import type { Transport } from '../wire/link/transport.ts';

/** A transport of the program may be any value, so it is checked. */
export function checkTransport(given: Transport): Transport {
  const methods = ['connect', 'write', 'readMessages', 'endInput', 'close', 'isReady'];
  const missing = methods.filter((name) => typeof (given as unknown as JsonObject | undefined)?.[name] !== 'function');
  if (missing.length === 0) return given;
  const what = `options.transport must return a Transport; it has no ${missing.join(', ')}`;
  throw badOption('transport', `${what}. For an engine in this process: transport: inProcess(engine)`);
}

/** Short and unique within the connection. */
export function requestIds(): () => string {
  let count = 0;
  const prefix = Math.random().toString(36).slice(2, 10);
  return () => `${prefix}${(++count).toString(36)}`;
}
