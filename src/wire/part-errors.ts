import { closeSync, openSync } from 'node:fs';
import { errorCode } from '../util/error-code.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from './errors.ts';

/**
 * Parts of this program are loaded when they are first needed, which may be hours after it has started. Two things can be
 * in the way by then: the machine has nothing left to open files with, which passes, or the installation is another one,
 * which does not.
 */

/** What passes when others have closed their files, or the machine has memory again. */
const SCARCE: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** Milliseconds to wait before each further attempt. */
const PAUSES = [20, 80, 300, 1000];

/** Tries until there is enough of what was scarce, for a second or so; then rejects with `load_failed`. */
export async function whileScarce<T>(attempt: () => T | Promise<T>): Promise<T> {
  for (const pause of PAUSES) {
    try {
      return await attempt();
    } catch (error) {
      if (!isScarce(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  try {
    return await attempt();
  } catch (error) {
    throw isScarce(error) ? loadFailed(error) : error;
  }
}

/** Node has not found a module. */
export function isMissingModule(error: unknown): boolean {
  return /MODULE_NOT_FOUND$/.test(errorCode(error) ?? '');
}

function isScarce(error: unknown): boolean {
  return SCARCE.has(errorCode(error) ?? '');
}

/**
 * Throws when fewer than this many more files can be opened. Node remembers for ever that a module could not be read, so
 * that one which may lack the room for it must not even be asked for.
 */
export function needRoom(existing: string, files = 24): void {
  const open: number[] = [];
  try {
    for (let count = 0; count < files; count++) open.push(openSync(existing, 'r'));
  } finally {
    for (const file of open) closeSync(file);
  }
}

function loadFailed(cause: unknown): HeddleError {
  const text = `A part of Heddle could not be loaded: ${messageOf(cause)}. It is tried again when it is needed next`;
  const next = 'the limit for open files can be raised with ulimit -n';
  return new HeddleError('load_failed', `${text}; ${next}`, { facts: { reason: errorCode(cause) }, cause });
}

/** For a part that is not there, or not what it was. Every other part that is still to come would be of another program. */
export function installationChanged(part: string, cause?: unknown): HeddleError {
  const text = `The installation of Heddle has changed while it was running: ${part} is not there any more, or damaged`;
  const next = 'Start it again; what was said is stored, and --resume goes on with it. If that fails, install it again';
  return new HeddleError('installation_changed', `${text}. ${next}.`, { facts: { part }, cause });
}
