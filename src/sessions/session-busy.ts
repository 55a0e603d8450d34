import { HeddleError } from '../wire/errors.ts';
import type { LeaseHolder } from './store.ts';

/** Somebody else writes to the session: says who, since when, and what can be done. */
export function sessionBusy(sessionId: string, holder: LeaseHolder & { since: string }): HeddleError {
  const { pid, host, since } = holder;
  const message =
    `Session ${sessionId} is in use by process ${pid} on ${host}, since ${since}. ` +
    'Wait until it is done, fork the session, or end that process.';
  return new HeddleError('session_busy', message, { facts: { pid, host, since } });
}
