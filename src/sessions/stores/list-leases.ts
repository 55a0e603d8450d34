import { join } from 'node:path';
import { namesIn } from '../files/session-folders.ts';
import { isLeft, type LeaseRecord, readLease } from './lease-file.ts';

/** A lease as an observer sees it. */
export interface SeenLease {
  sessionId: string;
  record: LeaseRecord;
  /** The holder is dead: the next process that asks for the lease gets it. */
  isLeft: boolean;
}

/** Every lease of a config home. Other files are skipped; nothing is changed. */
export function seenLeases(home: string): SeenLease[] {
  const folder = join(home, 'locks');
  return namesIn(folder).flatMap((name) => {
    if (!name.endsWith('.json')) return [];
    try {
      const found = readLease(join(folder, name));
      return found ? [{ sessionId: name.slice(0, -'.json'.length), record: found.record, isLeft: isLeft(found) }] : [];
    } catch {
      return []; // the path holds something else
    }
  });
}
