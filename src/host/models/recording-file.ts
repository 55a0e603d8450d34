import {
  appendFileSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
} from 'node:fs';
import { systemReason } from '../../util/files/system-reason.ts';
import type { Logger } from '../../util/runtime.ts';
import { HeddleError } from '../../wire/errors.ts';

const { O_RDWR, O_CREAT, O_NONBLOCK } = constants;
const HEADER = '{"type":"recording"';

/**
 * Creates the file of a recording, readable only for the user, and returns a function that appends to it. Replaces an
 * older recording, but no other file. Throws `invalid_option` when the file cannot be created.
 */
export function createRecordingFile(path: string, log: Logger): (lines: string) => void {
  try {
    makeEmpty(path);
  } catch (cause) {
    throw new HeddleError('invalid_option', `--record: ${path} cannot be written: ${systemReason(cause)}`, { cause });
  }
  let broken = false;
  return (lines) => {
    if (broken) return;
    try {
      // Opened again each time: a session has no reliable end at which to close a descriptor.
      appendFileSync(path, lines);
    } catch (error) {
      // The run continues, because it may have cost money. A replay reports where the recording ends.
      broken = true;
      log('error', `The recording ${path} ends here, it cannot be written any more: ${(error as Error).message}`);
    }
  };
}

function makeEmpty(path: string): void {
  const file = openSync(path, O_RDWR | O_CREAT | O_NONBLOCK, 0o600);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new Error('it is not a file');
    if (stat.size > 0 && !beginsWithHeader(file)) throw new Error('it exists and is no recording; choose another name');
    fchmodSync(file, 0o600);
    ftruncateSync(file);
  } finally {
    closeSync(file);
  }
}

function beginsWithHeader(file: number): boolean {
  const start = Buffer.alloc(HEADER.length);
  return readSync(file, start, 0, start.length, 0) === start.length && start.toString() === HEADER;
}
