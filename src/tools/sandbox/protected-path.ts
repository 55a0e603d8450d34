/** A path that no confined command may write, whether it exists or not (CVE-2026-25725). */
export interface ProtectedPath {
  /** Absolute. */
  path: string;
  /** What stands in its place while it does not exist, so that it cannot be made. Absent: then it may be made. */
  standIn?: StandInKind;
}

/** An empty directory, because git does not see those; a file only where git itself looks for one. */
export type StandInKind = { kind: 'directory' } | { kind: 'file'; content: string };

/** A path that can neither be changed nor made. */
export function closed(path: string): ProtectedPath {
  return { path, standIn: { kind: 'directory' } };
}
