/** A path that no confined command may write, whether it exists or not (CVE-2026-25725). */
export interface ProtectedPath {
  /** Absolute. */
  path: string;
  /** The stand-in while the path does not exist, so that commands cannot create it. Absent: commands may create it. */
  placeholder?: PlaceholderKind;
}

/** An empty directory, because git does not see those; a file only where git itself looks for one. */
export type PlaceholderKind = { kind: 'directory' } | { kind: 'file'; content: string };

/** A path that can neither be changed nor made. */
export function closed(path: string): ProtectedPath {
  return { path, placeholder: { kind: 'directory' } };
}
