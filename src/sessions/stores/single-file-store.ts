import { basename } from 'node:path';
import { isSessionId } from './layout.ts';
import { storageFailed } from './storage-errors.ts';
import type { SessionKey, SessionStore } from './store.ts';
import { readTranscript } from './transcript-reader.ts';
import { readRecent } from './transcript-tail.ts';

/** A single transcript, wherever it lies, as a store that can only be read. */
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

/** A file may have any name; its own id does not matter, as what is made of it gets a new one. */
const UNNAMED = '00000000-0000-0000-0000-000000000000';
