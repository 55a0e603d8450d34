import { errorCode } from '../error-code.ts';
import { messageOf } from '../message-of.ts';

/** The reason of a file system error, for a sentence that names the file: `notes.txt cannot be read: …`. */
export function systemReason(error: unknown): string {
  const code = errorCode(error);
  return (code === undefined ? undefined : REASONS[code]) ?? messageOf(error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of its path is not a directory',
  EISDIR: 'it is a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'its name is too long',
};
