import { errorCode } from '../util/error-code.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import type { LeaseHolder } from './store.ts';

/** A transcript could not be written: the message says where, why, and what to do. */
export function storageFailed(path: string, cause: unknown): HeddleError {
  const code = errorCode(cause);
  const [reason, remedy] = WRITE_TROUBLE[code ?? ''] ?? [messageOf(cause), 'Check the path and resume the session.'];
  const message = `Could not write the session file ${path}: ${reason}. ${remedy} What was stored before is whole.`;
  return new HeddleError('storage_failed', message, { facts: { path, code }, cause });
}

/** A file exists at the path of a transcript, but it cannot be read as one. */
export function sessionUnreadable(path: string, cause: unknown): HeddleError {
  const message = `Could not read the session file ${path}: ${messageOf(cause)}.`;
  return new HeddleError('session_unreadable', message, { facts: { path, code: errorCode(cause) }, cause });
}

/** Another process writes to the session: the message says who, since when, and what to do. */
export function sessionBusy(sessionId: string, holder: LeaseHolder & { since: string }): HeddleError {
  const { pid, host, since } = holder;
  const message =
    `Session ${sessionId} is in use by process ${pid} on ${host}, since ${since}. ` +
    'Wait until it is done, fork the session, or end that process.';
  return new HeddleError('session_busy', message, { facts: { pid, host, since } });
}

/** Another process has taken the session over: whatever this one still does for it counts for nothing. */
export function sessionTaken(sessionId: string): HeddleError {
  const message =
    `Session ${sessionId} was taken over by another process, because this one seemed dead. ` +
    'Nothing more is written here: go on where the session is open now, or resume it when that process is done.';
  return new HeddleError('session_taken', message, { facts: { sessionId } });
}

/** Nothing can be created in the config home, so that no session can start. */
export function homeUnwritable(home: string, cause: unknown): HeddleError {
  const code = errorCode(cause) ?? '';
  const reason = HOME_TROUBLE[code] ?? WRITE_TROUBLE[code]?.[0] ?? messageOf(cause);
  const remedy = 'Set HEDDLE_HOME to a directory of yours, or keep nothing on disk with --no-session-persistence.';
  const message = `The config home ${home} cannot be written: ${reason}. ${remedy}`;
  return new HeddleError('storage_failed', message, { facts: { path: home, code }, cause });
}

export function isMissing(error: unknown): boolean {
  return MISSING.has(errorCode(error) ?? '');
}

/** A slug that older versions did not cut may be longer than a file name can be: then no session is stored there. */
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

const FULL: [string, string] = ['the disk is full', 'Make room and resume the session.'];
const DENIED: [string, string] = [
  'it is not writable',
  'Make it writable, or choose another folder with HEDDLE_HOME, and resume the session.',
];

/** For each system error code: what is wrong, and what to do. */
const WRITE_TROUBLE: Record<string, [string, string]> = {
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

const HOME_TROUBLE: Readonly<Record<string, string>> = {
  ENOENT: 'it cannot be made there',
  ENOTDIR: 'it is not a directory',
  EEXIST: 'it is not a directory',
};
