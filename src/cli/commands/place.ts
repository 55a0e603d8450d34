import { resolve } from 'node:path';
import { configHome } from '../../host/home.ts';
import { realDirectory } from '../../host/place.ts';
import { existingOrSame } from '../../util/existing-path.ts';

/** Where a subcommand works: the directory that it is about, and the home of the user's own files. */
export interface CommandPlace {
  /** A real path. */
  cwd: string;
  configHome: string;
}

/** Throws `invalid_option` when there is no such directory, or no home. */
export function commandPlace(directory = process.cwd()): CommandPlace {
  const cwd = realDirectory(resolve(process.cwd(), directory), 'The directory argument');
  return { cwd, configHome: configHome(process.env) };
}

/** The real path of a directory that may be gone: then the path as it was written. */
export function lastingPath(directory: string): string {
  return existingOrSame(resolve(process.cwd(), directory));
}
