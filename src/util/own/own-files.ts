import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where this code lies: a file of the package, or of the bundle that a program was made into. Null where nothing tells.
 * The only use of `import.meta`: bundlers warn of each, when they write what is no module.
 */
export function ownFile(): string | null {
  const url: string | undefined = import.meta.url;
  if (url?.startsWith('file:')) return fileURLToPath(url);
  return typeof __filename === 'string' ? __filename : null; // a bundle that is no module
}

/** The root of the repository, where the sources themselves run. Null for everything that was built. */
export function sourcesRoot(): string | null {
  const file = ownFile();
  return file?.endsWith('.ts') ? join(dirname(file), '../..') : null;
}

/**
 * Where a file of `dist` may be that this code needs: beside it, or above it where this is a chunk; and where the package
 * is installed, when this is part of a program's bundle.
 */
export function ownFilePlaces(name: string): string[] {
  const file = ownFile();
  if (file === null) return [];
  const [sources, installed] = [sourcesRoot(), installedPackage()];
  const near = sources === null ? [name, `../${name}`].map((place) => join(dirname(file), place)) : [];
  const built = [sources, installed].flatMap((folder) => (folder === null ? [] : [join(folder, 'dist', name)]));
  return [...new Set([...near, ...built])];
}

/** The first of these places at which there is something. */
export function findOwnFile(name: string): string | null {
  return ownFilePlaces(name).find((place) => existsSync(place)) ?? null;
}

/** What `name` (`package/file`) leads to: for this code, or for the package that it was bundled from. Null: nowhere. */
export function resolveInstalled(name: string): string | null {
  const [file, installed] = [ownFile(), installedPackage()];
  return (file && resolveFrom(file, name)) ?? (installed && resolveFrom(join(installed, 'package.json'), name));
}

/** The folder of the package. Null for a bundle that runs where it is not installed. */
export function installedPackage(): string | null {
  const file = ownFile();
  const manifest = file && resolveFrom(file, 'heddle/package.json');
  return manifest && dirname(manifest);
}

function resolveFrom(file: string, name: string): string | null {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return null;
  }
}
