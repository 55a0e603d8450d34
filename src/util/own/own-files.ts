import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The path of this code: a file of the package, or of a program's bundle. Null where it is unknown. The only use of
 * `import.meta`, because bundlers warn about each when their output is not a module.
 */
export function ownFile(): string | null {
  const url: string | undefined = import.meta.url;
  if (url?.startsWith('file:')) return fileURLToPath(url);
  return typeof __filename === 'string' ? __filename : null; // a bundle that is not a module
}

/** The root of the repository, where the sources run. Null for built code. */
export function sourcesRoot(): string | null {
  const file = ownFile();
  return file?.endsWith('.ts') ? join(dirname(file), '../../..') : null;
}

/**
 * Possible paths of a file of `dist` that this code needs: next to it, above it where this is a chunk, and in the
 * installed package where this is part of a program's bundle.
 */
export function ownFileCandidates(name: string): string[] {
  const file = ownFile();
  if (file === null) return [];
  const [sources, installed] = [sourcesRoot(), installedPackage()];
  const near = sources === null ? [name, `../${name}`].map((place) => join(dirname(file), place)) : [];
  const built = [sources, installed].flatMap((folder) => (folder === null ? [] : [join(folder, 'dist', name)]));
  return [...new Set([...near, ...built])];
}

/** The first of these paths that exists. */
export function findOwnFile(name: string): string | null {
  return ownFileCandidates(name).find((place) => existsSync(place)) ?? null;
}

/**
 * The path that `name` (`package/file`) resolves to, for this code, or for the package that it was bundled from. Null
 * where it does not resolve.
 */
export function resolveInstalled(name: string): string | null {
  const [file, installed] = [ownFile(), installedPackage()];
  return (file && resolveFrom(file, name)) ?? (installed && resolveFrom(join(installed, 'package.json'), name));
}

/** The folder of the package. Null for a bundle without an installed package. */
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
