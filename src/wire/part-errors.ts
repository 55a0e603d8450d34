import { closeSync, openSync } from 'node:fs';
import { errorCode } from '../util/error-code.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from './errors.ts';

/**
 * Heddle loads parts of its program when they are first needed, which may be hours after the start. Two things can
 * prevent that: the machine lacks file handles or memory, which passes, or the installation changed, which does not.
 */

/** Errors that pass when other programs close files or free memory. */
const SCARCE: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** Milliseconds to wait before each further attempt. */
const PAUSES = [20, 80, 300, 1000];

/** Retries for about a second while files or memory are scarce, then rejects with `load_failed`. */
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

/** Node did not find a module, or the file is not a module. */
export function isUnusable(error: unknown): boolean {
  return error instanceof SyntaxError || UNUSABLE.test(errorCode(error) ?? '');
}

const UNUSABLE = /MODULE_NOT_FOUND$|^ERR_UNSUPPORTED_DIR_IMPORT$|^(ENOENT|ENOTDIR|EISDIR|EACCES|EPERM|ELOOP)$/;

function isScarce(error: unknown): boolean {
  return SCARCE.has(errorCode(error) ?? '');
}

/**
 * Throws when fewer than `files` more files can be opened. Node remembers for ever that a module could not be read, so
 * Heddle must not import one while files are scarce.
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

/** The error for a part that is missing or changed. All parts that load later would belong to another program. */
export function installationChanged(part: string, cause?: unknown): HeddleError {
  const text = `The installation of Heddle has changed while it was running: ${part} is not there any more, or damaged`;
  const next = 'Start it again; what was said is stored, and --resume goes on with it. If that fails, install it again';
  return new HeddleError('installation_changed', `${text}. ${next}.`, { facts: { part }, cause });
}
