import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/**
 * Reads an untrusted file synchronously. Throws the errors of the file system, and an Error for a file that is not
 * regular or is larger than `maxBytes`: a pipe, a device or an endless file would block for ever. It checks the file
 * before it opens it, because opening alone triggers some devices, and again afterwards, because the file may have been
 * exchanged.
 */
export function readSmallFile(path: string, maxBytes: number): Buffer {
  refuseUnlessSmall(statSync(path), path, maxBytes);
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stats = fstatSync(file);
    refuseUnlessSmall(stats, path, maxBytes);
    return readAtMost(file, stats.size, path, maxBytes);
  } finally {
    closeSync(file);
  }
}

/** Like `readSmallFile`, as text; null when the file cannot be read for any reason. */
export function smallText(path: string, maxBytes: number): string | null {
  try {
    return readSmallFile(path, maxBytes).toString('utf8');
  } catch {
    return null;
  }
}

/** The reported size need not be true: files of the kernel report 0. */
function readAtMost(file: number, size: number, path: string, maxBytes: number): Buffer {
  let buffer = Buffer.alloc(size + 1);
  for (let length = 0; ; ) {
    const got = readSync(file, buffer, length, buffer.length - length, null);
    length += got;
    if (got === 0) return buffer.subarray(0, length);
    if (length > maxBytes) throw tooLarge(path, maxBytes);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(length)]);
  }
}

function refuseUnlessSmall(stats: Stats, path: string, maxBytes: number): void {
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
}

function tooLarge(path: string, maxBytes: number): Error {
  const unit = maxBytes >= 1024 * 1024 ? `${maxBytes / 1024 / 1024} MB` : `${maxBytes / 1024} KB`;
  return new Error(`${path} is larger than ${unit}`);
}
