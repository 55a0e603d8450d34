import { resolve } from 'node:path';
import { configHome } from '../../host/home.ts';
import { realDirectory } from '../../host/place.ts';
import type { SessionsPlace } from '../../host/stored-sessions.ts';
import { printable } from '../../util/printable.ts';
import { usage } from '../args.ts';
import type { CommandArgs } from '../command-args.ts';
import { tell } from './terminal.ts';

/** Where a command looks for sessions. Throws `invalid_option` for a `--home` that is no directory. */
export function openSessionsPlace({ text }: CommandArgs): SessionsPlace {
  const given = text('--home');
  // An empty one, as of an unset variable, would be the working directory.
  if (given === '') throw usage("option '--home' needs a directory");
  const home = given === undefined ? configHome(process.env) : realDirectory(given, '--home', process.cwd());
  return {
    home: resolve(process.cwd(), home),
    cwd: realDirectory(process.cwd(), 'The working directory'),
    log: (level, message) => {
      if (level === 'warn' || level === 'error') tell(printable(message));
    },
  };
}

/** The value of a flag that counts something. */
export function countFlag({ text }: CommandArgs, flag: string, otherwise: number): number {
  const value = text(flag);
  if (value === undefined) return otherwise;
  const count = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(count)) return count;
  throw usage(`option '${flag}' needs a whole number, not '${printable(value)}'`);
}
