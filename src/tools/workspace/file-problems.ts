import type { Stats } from 'node:fs';
import { errorCode } from '../../util/error-code.ts';
import { HeddleError } from '../../wire/errors.ts';
import { ToolError } from '../tool.ts';

const PROBLEMS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'has a parent that is not a directory',
  EACCES: 'cannot be accessed: permission denied',
  EPERM: 'cannot be accessed: operation not permitted',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written: no space left on the device',
  EFBIG: 'cannot be written: it would be larger than files may be',
  EDQUOT: 'cannot be written: the disk quota is used up',
  ELOOP: 'is a loop of symbolic links',
  ENAMETOOLONG: 'has a name that is too long',
  EISDIR: 'is a directory',
  ENXIO: 'is not a regular file',
};

/** Turns system errors into sentences that a model can act on. A ToolError or a HeddleError is rethrown unchanged. */
export function rethrowReadable(path: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof ToolError || HeddleError.isInstance(error)) throw error;
    const problem = PROBLEMS[errorCode(error) ?? ''];
    const text = problem === undefined ? `cannot be used: ${(error as Error).message}` : problem;
    throw new ToolError(`${path} ${text}.`, { cause: error });
  };
}

export function refuseSpecial(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  throw new ToolError(`${path} is ${stats.isDirectory() ? 'a directory' : 'not a regular file'}.`);
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR';
}
