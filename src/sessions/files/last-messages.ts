import { closeSync, fstatSync, openSync } from 'node:fs';
import { stringField } from '../../util/json.ts';
import type { Entry } from '../../wire/entries.ts';
import { isConversation } from '../entry-fields.ts';
import { recordsOfLine } from './line-records.ts';
import { linesBackwards } from './reverse-lines.ts';

/** So many lines are looked through for the parent of a message; a file that names none is not read as a whole. */
const MOST_SKIPPED = 20_000;

/**
 * The last messages of the branch that was written to last, the oldest first. Only the end of the file is read, whatever
 * its size.
 */
export function lastMessages(path: string, count: number): Entry[] {
  const found: Entry[] = [];
  const file = openSync(path, 'r');
  try {
    /** The next entry of the branch; undefined before the first, null behind its root. */
    let wanted: string | null | undefined;
    let skipped = 0;
    for (const line of linesBackwards(file, { end: fstatSync(file).size })) {
      const records = recordsOfLine({ ...line, number: 0 }).reverse();
      for (const record of records) {
        if (!('entry' in record) || record.entry.isSidechain === true) continue;
        const { entry } = record;
        const isNext = wanted === undefined ? isConversation(entry) : entry.uuid === wanted;
        skipped = isNext ? 0 : skipped + 1;
        if (!isNext) continue;
        wanted = stringField(entry, 'parentUuid') ?? stringField(entry, 'logicalParentUuid') ?? null;
        if (isConversation(entry)) found.push(entry);
      }
      if (found.length >= count || wanted === null || skipped > MOST_SKIPPED) break;
    }
  } finally {
    closeSync(file);
  }
  return found.reverse();
}
