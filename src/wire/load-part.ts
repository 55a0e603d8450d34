import { devNull } from 'node:os';
import { installationChanged, isMissingModule, needRoom, whileScarce } from './part-errors.ts';

/** One place in the code at which a part is loaded. */
export interface PartSite {
  /** The file of ours that is loaded; absent for packages, which a program need not have installed. */
  readonly file?: string;
  isLoaded?: boolean;
}

/**
 * Every `import()` of the built library goes through this (`scripts/lib/late-parts.mjs`). Node never tries again what it
 * could once not read, in a process that may serve sessions for months: so nothing is asked for while there is no room to
 * read it. A part that is missing is told as what it is.
 */
export async function loadPart<T>(site: PartSite, start: () => Promise<T>): Promise<T> {
  if (site.isLoaded) return start();
  await whileScarce(() => needRoom(devNull));
  try {
    const part = await start();
    site.isLoaded = true;
    return part;
  } catch (error) {
    const isGone = site.file !== undefined && isMissingModule(error);
    throw isGone ? installationChanged(site.file ?? '', error) : error;
  }
}
