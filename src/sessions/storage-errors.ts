import { errorCode } from '../util/error-code.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';

/** A transcript could not be written: says where, why, and what to do. */
export function storageFailed(path: string, cause: unknown): HeddleError {
  const code = errorCode(cause);
  const [reason, remedy] = WRITE_TROUBLE[code ?? ''] ?? [messageOf(cause), 'Check the path and resume the session.'];
  const message = `Could not write the session file ${path}: ${reason}. ${remedy} What was stored before is whole.`;
  return new HeddleError('storage_failed', message, { facts: { path, code }, cause });
}

/** Something is at the path of a transcript, but it cannot be read as one. */
export function sessionUnreadable(path: string, cause: unknown): HeddleError {
  const message = `Could not read the session file ${path}: ${messageOf(cause)}.`;
  return new HeddleError('session_unreadable', message, { facts: { path, code: errorCode(cause) }, cause });
}

export function isMissing(error: unknown): boolean {
  return MISSING.has(errorCode(error) ?? '');
}

/** A slug that older versions did not cut may be longer than a file name can be: then nothing is stored there. */
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

const FULL: [string, string] = ['the disk is full', 'Make room and resume the session.'];
const DENIED: [string, string] = [
  'it is not writable',
  'Make it writable, or choose another folder with HEDDLE_HOME, and resume the session.',
];

/** By the code of the system: what is wrong, and what to do. */
export const WRITE_TROUBLE: Record<string, [string, string]> = {
  ENOSPC: FULL,
  EDQUOT: ['the disk quota is used up', FULL[1]],
  EFBIG: ['the file is as large as this system allows', 'Fork the session to go on in a new file.'],
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: DENIED,
  EISDIR: ['a directory is in its place', 'Move it away and resume the session.'],
  ENXIO: ['it is not a regular file', 'Move it away and resume the session.'],
  EMFILE: ['too many files are open', 'Close other sessions or raise the limit, and resume the session.'],
  ENFILE: ['too many files are open', 'Close other programs, and resume the session.'],
};
