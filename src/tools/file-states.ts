/** What a session knows of a file: the state in which it was last read or written, so that an edit cannot be blind. */
export interface FileState {
  mtimeMs: number;
  size: number;
  /** False when only a part was read. */
  whole: boolean;
}

/** By absolute path. */
export type FileStates = Map<string, FileState>;
