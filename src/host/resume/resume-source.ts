import type { SessionKey, SessionStore } from '../../sessions/store.ts';
import { HeddleError } from '../../wire/errors.ts';

export interface SessionSource {
  key: SessionKey;
  store: SessionStore;
}

/** The session that a launch resumes. */
export interface ResumeSource {
  source: SessionSource | null;
  /** A file that the launch names is never written to: its conversation continues in a new session. */
  isFile: boolean;
  missing: string | null;
}

export interface ChooseOptions {
  /** Null: nothing is saved, and nothing can be resumed. */
  store: SessionStore | null;
  /** The home in which sessions are found by title; null: the store is not the folder of this home. */
  home: string | null;
  cwd: string;
  newId: () => string;
}

/** Flags that do not go together, or a session that cannot be named so. */
export function usage(message: string): HeddleError {
  return new HeddleError('invalid_option', `Error: ${message}`);
}
