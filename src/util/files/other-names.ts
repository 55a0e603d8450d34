import { existsSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Some package managers lay out a package as hard links to files of their store. Whoever writes to such a file by its
 * other name changes the package, too (ruling G12).
 */

/** Where package managers keep their stores: in a home, or at the top of a project. */
const STORES = ['.pnpm-store', '.local/share/pnpm/store', 'Library/pnpm/store', '.bun/install/cache'];

/** The stores that files of these packages may be hard links into. */
export function storesOf(places: readonly string[]): string[] {
  const linked = places.filter((place) => [place, join(place, 'package.json')].some(hasOtherName));
  const above = new Set(linked.flatMap(ancestors));
  return [...above].flatMap((folder) => STORES.map((store) => join(folder, store))).filter((path) => existsSync(path));
}

/** Above this many files it is not looked whether one of them is meant: it is taken for one. */
const MAX_FILES = 20_000;

/** Whether a path is another name of a file that lies in one of these places. They are looked through once, when needed. */
export function otherNames(places: () => readonly string[]): (path: string) => boolean {
  let known: Set<string> | null = null;
  return (path) => {
    const stats = lookAt(path);
    if (!stats || !isLinkedFile(stats)) return false;
    known ??= linkedFiles(places());
    return known.has(identity(stats)) || known.size > MAX_FILES;
  };
}

function linkedFiles(places: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    const stats = lookAt(path);
    if (found.size > MAX_FILES || !stats) return;
    if (isLinkedFile(stats)) found.add(identity(stats));
    else if (stats.isDirectory()) for (const name of namesIn(path)) visit(join(path, name));
  };
  for (const place of places) visit(place);
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // what we cannot read we cannot load
  }
}

function hasOtherName(path: string): boolean {
  const stats = lookAt(path);
  return stats !== undefined && isLinkedFile(stats);
}

function isLinkedFile(stats: Stats): boolean {
  return stats.isFile() && stats.nlink > 1;
}

function identity({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // below a file, or in a directory that is closed to us
  }
}

function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...ancestors(above)];
}
