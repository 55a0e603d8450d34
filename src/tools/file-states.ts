/** The state in which the session last read or wrote a file, so that an edit cannot be blind. */
export interface FileState {
  /**
   * The digest of its bytes. Times and sizes can stay the same while the content changes, and change while it does not.
   */
  digest: string;
  /** False when only a part was seen. */
  whole: boolean;
}

/** By absolute path. */
export type FileStates = Map<string, FileState>;
