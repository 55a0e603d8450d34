import { join } from 'node:path';
import { isLeft, type LeaseRecord, readLease } from './lease-file.ts';
import { namesIn } from './session-places.ts';

/** A lease as somebody sees it who wants nothing of it. */
export interface SeenLease {
  sessionId: string;
  record: LeaseRecord;
  /** Whoever held it is gone: the next one who wants it gets it. */
  isLeft: boolean;
}

/** Every lease of a config home. What is no lease is passed over; nothing is changed. */
export function seenLeases(home: string): SeenLease[] {
  const folder = join(home, 'locks');
  return namesIn(folder).flatMap((name) => {
    if (!name.endsWith('.json')) return [];
    try {
      const found = readLease(join(folder, name));
      return found ? [{ sessionId: name.slice(0, -'.json'.length), record: found.record, isLeft: isLeft(found) }] : [];
    } catch {
      return []; // something else has that name
    }
  });
}
