import { existsSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Some package managers install a package as hard links to files of their store. A write to such a file by its other
 * name changes the package, too.
 */

/** The stores of package managers: in a home, or at the top of a project. */
const STORES = ['.pnpm-store', '.local/share/pnpm/store', 'Library/pnpm/store', '.bun/install/cache'];

/** The stores that files of these packages may be hard links into. */
export function storesOf(places: readonly string[]): string[] {
  const linked = places.filter((place) => [place, join(place, 'package.json')].some(hasOtherName));
  const above = new Set(linked.flatMap(ancestors));
  return [...above].flatMap((folder) => STORES.map((store) => join(folder, store))).filter((path) => existsSync(path));
}

/** With more files than this, the files are not compared: the path counts as another name. */
const MAX_FILES = 20_000;

/** Whether a path is another name of a file in one of these directories. They are searched once, on first use. */
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
    return []; // an unreadable file cannot be loaded
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
    return undefined; // below a file, or in a directory without access
  }
}

function ancestors(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...ancestors(above)];
}
