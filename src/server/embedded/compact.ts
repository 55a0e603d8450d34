import { replacePrivateText } from '../../util/files/replace-file.ts';
import type { Journal } from './journal.ts';

/** A file is written again when less than this part of it is still of use. */
const LEAST_USE = 0.5;
const SMALL = 64 * 1024;

/** Replaces a journal by the rows that still count, when it has grown much larger than they are. */
export async function compacted(journal: Journal, rows: readonly object[]): Promise<void> {
  if (journal.size < SMALL) return;
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  if (Buffer.byteLength(text) > journal.size * LEAST_USE) return;
  await journal.close();
  await replacePrivateText(journal.path, text);
}
