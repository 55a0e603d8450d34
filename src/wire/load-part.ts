import { devNull } from 'node:os';
import { installationChanged, isUnusable, needRoom, whileScarce } from './part-errors.ts';

/** One place in the code that loads a part. */
export interface PartSite {
  /** The file, for a part of Heddle itself; absent for packages that a program need not have installed. */
  readonly file?: string;
  isLoaded?: boolean;
}

/**
 * The build passes every `import()` of a file through this function (`scripts/lib/late-parts.mjs`). Node never tries
 * again to read a module that it once could not read, so this function starts an import only while files can be opened.
 * It reports a missing or damaged part as such.
 */
export async function loadPart<T>(site: PartSite, start: () => Promise<T>): Promise<T> {
  if (site.isLoaded) return start();
  await whileScarce(() => needRoom(devNull));
  try {
    const part = await start();
    site.isLoaded = true;
    return part;
  } catch (error) {
    const isGone = site.file !== undefined && isUnusable(error);
    throw isGone ? installationChanged(site.file ?? '', error) : error;
  }
}
