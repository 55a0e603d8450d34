import type { ProcessOutcome, ProcessSpec } from '../util/process/process.ts';

/**
 * The one port through which tools touch files and processes. Local by default; a sandbox or a remote machine can
 * replace it. Paths are absolute, as `resolve` returns them.
 */
export interface Workspace {
  /** The working directory, a real path. */
  readonly cwd: string;
  /** The working directory and the additional directories, as real paths. */
  readonly roots: readonly string[];
  /** An absolute, normalised path for what the model wrote: relative to cwd, `~` expanded. Symlinks are kept. */
  resolve(path: string): string;
  stat(path: string): Promise<FileStat | null>;
  /** The names in a directory; none when it cannot be read. */
  list(path: string): Promise<string[]>;
  /** The bytes of a regular file. Throws a ToolError for anything else. */
  readFile(path: string): Promise<Uint8Array>;
  /** The bytes in pieces of any size, for files that memory should not hold. Closed when the reader stops early. */
  readChunks(path: string): AsyncIterable<Uint8Array>;
  /** Replaces the file atomically, keeping its mode; makes missing directories; writes through a symlink to its target. */
  writeFile(path: string, data: string | Uint8Array, keep?: KeepFile): Promise<void>;
  /** Holds a path for another program that reads it. Until `work` ends, `at` leads to nothing else. */
  hold<T>(path: string, work: (held: HeldFile) => Promise<T>): Promise<T>;
  /**
   * The workspace for one allowed call: its paths lead to the files that were judged. When another file is there by
   * now, or the path was not judged, a ToolError is thrown and nothing is read or written.
   */
  pin(places: Places): Promise<Workspace>;
  exec(spec: ProcessSpec, signal: AbortSignal): Promise<ProcessOutcome>;
}

/** The real paths of the paths that a call names; null for a path that could not be resolved. */
export type Places = ReadonlyMap<string, string | null>;

/** A file that cannot be replaced by another through changes of links or directories. */
export interface HeldFile {
  /** Its real path. */
  path: string;
  /** The path to use. The same where files cannot be held. */
  at: string;
}

/** Called with the file that is about to be replaced or made; rejects to prevent that. */
export type KeepFile = (file: HeldFile) => Promise<void>;

export interface FileStat {
  kind: 'file' | 'directory' | 'other';
  size: number;
  mtimeMs: number;
}
