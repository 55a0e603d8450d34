import { arch, platform } from 'node:os';
import { pathToFileURL } from 'node:url';
import { resolveInstalled } from '../../util/own/own-files.ts';
import { HeddleError } from '../../wire/errors.ts';
import { loadPart } from '../../wire/load-part.ts';

const PACKAGE = '@vscode/ripgrep';

/**
 * The path of the ripgrep that comes with the package; no other is ever run. Rejects with instructions when it is not
 * installed. The package looks for its program next to itself; in a bundle, Heddle looks where the package is
 * installed.
 */
export async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath; // not on the start path
  } catch (cause) {
    if (HeddleError.isInstance(cause)) throw cause; // it was there, and is not any more
    const path = await installedPath();
    if (path !== null) return path;
    const missing = `${PACKAGE} for ${platform()}-${arch()}`;
    const next = 'install it with optional dependencies; docs/bundlers.md tells what a bundle needs';
    throw new Error(`ripgrep, which searches files, is not installed where this program runs (${missing}): ${next}`, {
      cause,
    });
  }
}

async function installedPath(): Promise<string | null> {
  const entry = resolveInstalled(PACKAGE);
  if (entry === null) return null;
  try {
    const { href } = pathToFileURL(entry);
    const { rgPath } = (await loadPart({}, () => import(href))) as typeof import('@vscode/ripgrep');
    return rgPath;
  } catch {
    return null;
  }
}
