import { basename } from 'node:path';
import { isSessionId } from '../files/session-paths.ts';
import { readTranscript } from '../files/transcript-reader.ts';
import { readRecent } from '../files/transcript-tail.ts';
import { storageFailed } from '../storage-errors.ts';
import type { SessionKey, SessionStore } from '../store.ts';

/** A single transcript at any path, as a read-only store. */
export function readOnlyTranscript(path: string, project: string): { key: SessionKey; store: SessionStore } {
  const name = basename(path, '.jsonl');
  const key = { project, sessionId: isSessionId(name) ? name : UNNAMED };
  const store: SessionStore = {
    load: () => readTranscript(path),
    loadRecent: () => readRecent(path),
    exists: async () => true,
    list: async () => [],
    locate: () => path,
    append: async () => {
      throw storageFailed(path, new Error('this transcript is only read'));
    },
  };
  return { key, store };
}

/** A file may have any name; its own id does not matter, because a session made from it gets a new one. */
const UNNAMED = '00000000-0000-0000-0000-000000000000';
