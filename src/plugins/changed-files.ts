import { type Acts, mayBeRun } from './acts.ts';
import { integrityOf } from './integrity.ts';

/** What differs between two contents of a plugin, by path. */
export interface ChangedFiles {
  added: string[];
  changed: string[];
  removed: string[];
}

/** `old`: the folder of the content before; one that is gone counts as empty. */
export function changedFiles(old: string, next: ReadonlyMap<string, string>): ChangedFiles {
  const before = filesOf(old);
  return {
    added: [...next.keys()].filter((path) => !before.has(path)),
    changed: [...next].flatMap(([path, hash]) => (before.has(path) && before.get(path) !== hash ? path : [])),
    removed: [...before.keys()].filter((path) => !next.has(path)),
  };
}

/** The files among them that a hook or a server may run. */
export function changedCode({ added, changed }: ChangedFiles, acts: Acts): string[] {
  return [...added, ...changed].filter((path) => mayBeRun(path, acts)).sort();
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  try {
    return integrityOf(folder).files;
  } catch {
    return new Map();
  }
}
