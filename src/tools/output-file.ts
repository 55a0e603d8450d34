import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../util/error-code.ts';
import { makeDirectory } from '../util/files/make-directory.ts';

/** A file that takes the output of a command, up to a limit. */
export interface OutputFile {
  readonly path: string;
  /** The number of bytes in the file. */
  readonly bytes: number;
  readonly state: 'whole' | 'cut' | { problem: string };
  write(data: Buffer): void;
  close(): void;
}

export interface OutputFileOptions {
  dir: string;
  name: string;
  extension: string;
  /** The most that is kept: a command that writes without end must not fill the disk. */
  maxBytes?: number;
  /** For tests: writes a part of `data` from `offset` on, and returns the number of bytes. */
  put?: (fd: number, data: Buffer, offset: number) => number;
}

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * A new file that only the user can read. Written synchronously, because a stream would keep unwritten data in memory.
 * When the disk fails, the file is lost but the command continues.
 */
export function openOutputFile(options: OutputFileOptions): OutputFile {
  const { dir, name, extension, maxBytes = MAX_FILE_BYTES, put = writeSync } = options;
  const base = join(dir, name.replace(/[^\w-]/g, '_').slice(0, 100));
  let path = '';
  let written = 0;
  let state: OutputFile['state'] = 'whole';

  function attempt<T>(action: () => T): T | null {
    try {
      return action();
    } catch (error) {
      state = { problem: (error as Error).message };
      return null;
    }
  }

  const file = attempt(() => {
    makeDirectory(dir, 0o700);
    // Counted up, not random: the model reads the name, and a replayed run must give the same one.
    for (let n = 1; ; n++) {
      path = `${base}${n === 1 ? '' : `-${n}`}.${extension}`;
      const created = openNew(path);
      if (created !== null) return created;
    }
  });

  function append(fd: number, data: Buffer): void {
    attempt(() => {
      for (let done = 0; done < data.length; ) {
        const count = put(fd, data, done);
        done += count;
        written += count;
      }
    });
  }

  return {
    get path() {
      return path;
    },
    get bytes() {
      return Math.min(written, maxBytes); // without the note at the end
    },
    get state() {
      return state;
    },
    write(data) {
      if (file === null || state !== 'whole') return;
      const part = data.subarray(0, maxBytes - written);
      append(file, part);
      if (part.length === data.length || state !== 'whole') return;
      state = 'cut';
      append(file, Buffer.from(`\n[… the rest is left out: no more than ${maxBytes} bytes are kept …]\n`));
    },
    close() {
      if (file !== null) attempt(() => closeSync(file));
    },
  };
}

/** Null when there is something at the path already. */
function openNew(path: string): number | null {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return null;
    throw error;
  }
}
