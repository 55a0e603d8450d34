// The repository's folder and its files, for the scripts.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Files below a folder of the repository, as paths relative to the root with forward slashes; none if it is absent. */
export function filesBelow(folder) {
  const full = path.join(root, folder);
  if (!fs.existsSync(full)) return [];
  return fs
    .readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
}

/** The newest modification time among files and folders (with all they hold); folders count too, for removed files. */
export function newestMtime(paths) {
  let newest = 0;
  const visit = (full) => {
    const stat = fs.statSync(full, { throwIfNoEntry: false });
    if (!stat) return;
    newest = Math.max(newest, stat.mtimeMs);
    if (stat.isDirectory()) for (const name of fs.readdirSync(full)) visit(path.join(full, name));
  };
  for (const each of paths) visit(path.join(root, each));
  return newest;
}
