import { resolve } from 'node:path';
import { configHome } from '../../host/engine/environment.ts';
import { realDirectory } from '../../host/launch/launch-context.ts';
import { existingOrSame } from '../../util/files/existing-path.ts';

/** The directory that a subcommand works on, and the home of the user's own files. */
export interface CommandLocation {
  /** A real path. */
  cwd: string;
  configHome: string;
}

/** Throws `invalid_option` when there is no such directory, or no home. */
export function commandLocation(directory = process.cwd()): CommandLocation {
  const cwd = realDirectory(resolve(process.cwd(), directory), 'The directory argument');
  return { cwd, configHome: configHome(process.env) };
}

/** The real path of a directory; the path as written if the directory no longer exists. */
export function lastingPath(directory: string): string {
  return existingOrSame(resolve(process.cwd(), directory));
}
