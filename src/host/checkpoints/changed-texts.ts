import { lstat, readFile } from 'node:fs/promises';
import { errorCode } from '../../util/error-code.ts';
import type { ChangedText } from '../../util/process/process.ts';
import type { Change } from './watch-commands.ts';

/** More files at once are the work of a build or an installation: nobody reads their changes one by one. */
const MAX_FILES = 20;
const MAX_FILE_BYTES = 256 * 1024;

/**
 * What a command has changed, as texts, for hosts that show it. Left out: files without a copy of their earlier state,
 * large ones, links, and what is no text. To be called while the copies still exist; never rejects.
 */
export async function changedTexts(changes: readonly Change[]): Promise<ChangedText[]> {
  const known = changes.filter(({ copy }) => copy !== undefined).slice(0, MAX_FILES);
  const read = await Promise.all(
    known.map(async ({ path, copy }) => {
      const [before, after] = await Promise.all([copy ? textAt(copy) : null, textAt(path)]);
      return before === undefined || after === undefined || before === after ? [] : [{ path, before, after }];
    }),
  );
  return read.flat();
}

/** Null where there is no file, undefined where there is no text to show. */
async function textAt(path: string): Promise<string | null | undefined> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
    const bytes = await readFile(path);
    return bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? null : undefined;
  }
}
