import { resolve } from 'node:path';
import type { SessionsLocation } from '../../admin/sessions.ts';
import { configHome } from '../../host/engine/environment.ts';
import { realDirectory } from '../../host/launch/launch-context.ts';
import { printable } from '../../util/text/printable.ts';
import { usage } from '../flags/args.ts';
import type { CommandArgs } from '../flags/command-args.ts';
import { printRemark } from '../terminal/terminal.ts';

/** Where a command looks for sessions. Throws `invalid_option` for a `--home` that is not a directory. */
export function openSessionsLocation({ text }: CommandArgs): SessionsLocation {
  const given = text('--home');
  // An empty path, as from an unset variable, would mean the working directory.
  if (given === '') throw usage("option '--home' needs a directory");
  const home = given === undefined ? configHome(process.env) : realDirectory(given, '--home', process.cwd());
  return {
    home: resolve(process.cwd(), home),
    cwd: realDirectory(process.cwd(), 'The working directory'),
    log: (level, message) => {
      if (level === 'warn' || level === 'error') printRemark(printable(message));
    },
  };
}

/** The value of a numeric flag. */
export function countFlag({ text }: CommandArgs, flag: string, otherwise: number): number {
  const value = text(flag);
  if (value === undefined) return otherwise;
  const count = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(count)) return count;
  throw usage(`option '${flag}' needs a whole number, not '${printable(value)}'`);
}
