import { arch, platform } from 'node:os';
import { pathToFileURL } from 'node:url';
import { resolveInstalled } from '../util/own-place.ts';
import { HeddleError } from '../wire/errors.ts';

const PACKAGE = '@vscode/ripgrep';

/**
 * The ripgrep that comes with the package; no other is ever run. Rejects with what to do where it is not installed. The
 * package looks for its program beside itself: where a bundler has taken it along, it is looked for where it is installed.
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
    const { rgPath } = (await import(pathToFileURL(entry).href)) as typeof import('@vscode/ripgrep');
    return rgPath;
  } catch {
    return null;
  }
}
