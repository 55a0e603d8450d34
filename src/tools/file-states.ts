/** What a session knows of a file: the state in which it was last read or written, so that an edit cannot be blind. */
export interface FileState {
  /** Of its bytes. Times and sizes can stay the same while the content changes, and change while it does not. */
  digest: string;
  /** False when only a part was seen. */
  whole: boolean;
}

/** By absolute path. */
export type FileStates = Map<string, FileState>;
