import { chmodSync, lstatSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeDirectory } from '../../util/files/make-directory.ts';
import { systemReason } from '../../util/files/system-reason.ts';
import { printable } from '../../util/text/printable.ts';
import { shellQuoted, shellWord } from '../../util/text/shell-word.ts';
import { HeddleError } from '../../wire/errors.ts';
import { parseCommandArgs, takeWords } from '../flags/command-args.ts';
import { printHelp, printLines } from '../terminal/terminal.ts';

const NAME = 'claude';
/** The line that identifies a launcher of Heddle. */
const MARK = '# heddle shim: starts Heddle where "claude" is called. To undo it, remove this file.';

export const SHIM_HELP = `Usage: heddle shim DIR

Writes a launcher named ${NAME} into DIR, which starts this Heddle with the same arguments:
programs and scripts that call ${NAME} then use Heddle, if DIR comes first in their PATH. A file of
that name that is not such a launcher is left alone. The directory is made if it is not there.

Examples:
  heddle shim ~/.local/heddle-bin
  heddle config home ~/.claude   # the sessions and settings of the reference, too

Exit codes: 0 done, 1 an error.
`;

/** `heddle shim DIR`; resolves with the exit code. */
export async function runShim(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, { command: 'heddle shim', own: {}, run: [] });
  if (!args) {
    printHelp(SHIM_HELP);
    return 0;
  }
  const [given = ''] = takeWords(args.words, ['DIR']);
  const directory = resolve(process.cwd(), given);
  const launcher = join(directory, NAME);
  refuseForeign(launcher);
  try {
    makeDirectory(directory);
    rmSync(launcher, { force: true });
    writeFileSync(launcher, launcherText(), { mode: 0o755, flag: 'wx' });
    chmodSync(launcher, 0o755); // independent of the umask
  } catch (cause) {
    throw new HeddleError('invalid_option', `${launcher} cannot be written: ${systemReason(cause)}`, { cause });
  }
  printLines([
    `${printable(launcher)} starts Heddle.`,
    pathLine(directory),
    `To undo it: rm ${printable(shellWord(launcher))}`,
  ]);
  return 0;
}

/** Refuses to overwrite anything of the user's: another program, a link, a folder. */
function refuseForeign(launcher: string): void {
  const stats = lstatSync(launcher, { throwIfNoEntry: false });
  if (!stats) return;
  if (stats.isFile() && stats.size < 10_000 && readFileSync(launcher, 'utf8').includes(MARK)) return;
  const message = `${launcher} is there already, and heddle shim has not made it. Choose another directory, or move it away`;
  throw new HeddleError('invalid_option', message);
}

/** Uses this Node, or the one on the PATH when this one has been removed since, as version managers do. */
function launcherText(): string {
  const script = realpathSync(process.argv[1] ?? '');
  return `#!/bin/sh
${MARK}
node=${shellQuoted(process.execPath)}
[ -x "$node" ] || node=node
exec "$node" ${shellQuoted(script)} "$@"
`;
}

/** Whether a shell finds the launcher, and what to do if not. */
function pathLine(directory: string): string {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, NAME)).find(isProgram);
  if (found !== undefined && isSameFile(found, join(directory, NAME))) return `It is the ${NAME} of this PATH.`;
  const command = `export PATH=${printable(shellWord(directory))}:"$PATH"`;
  if (found === undefined) return `To put it on the PATH: ${command}`;
  return `The PATH finds ${printable(found)} first. To put this one before ${printable(dirname(found))}: ${command}`;
}

function isProgram(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isFile() && (stats.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

function isSameFile(a: string, b: string): boolean {
  return realpathSync(a) === realpathSync(b);
}
