import { errorCode } from '../util/error-code.ts';
import { messageOf } from '../util/message-of.ts';
import { HeddleError } from '../wire/errors.ts';
import { WRITE_TROUBLE } from './storage-errors.ts';

/** Nothing can be made in the config home, so that no session can begin. */
export function homeUnwritable(home: string, cause: unknown): HeddleError {
  const code = errorCode(cause) ?? '';
  const reason = HOME_TROUBLE[code] ?? WRITE_TROUBLE[code]?.[0] ?? messageOf(cause);
  const remedy = 'Set HEDDLE_HOME to a directory of yours, or keep nothing on disk with --no-session-persistence.';
  const message = `The config home ${home} cannot be written: ${reason}. ${remedy}`;
  return new HeddleError('storage_failed', message, { facts: { path: home, code }, cause });
}

const HOME_TROUBLE: Readonly<Record<string, string>> = {
  ENOENT: 'it cannot be made there',
  ENOTDIR: 'it is not a directory',
  EEXIST: 'it is not a directory',
};
