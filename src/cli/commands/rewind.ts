import { rewindStored, type StoredRewind } from '../../admin/rewind.ts';
import { realDirectory } from '../../host/launch/launch-context.ts';
import { printable } from '../../util/text/printable.ts';
import { parseCommandArgs, takeWords } from '../flags/command-args.ts';
import {
  isAgreed,
  printHelp,
  printJson,
  printLines,
  printRemark,
  type Terminal,
  terminalOf,
} from '../terminal/terminal.ts';
import { openSessionsLocation } from './sessions-location.ts';

export const REWIND_HELP = `Usage: heddle rewind [--dry-run] [--force] [--yes] [--json] [--add-dir DIR…] [--home DIR]
                     SESSION MESSAGE

Brings files back to how they were when a user message of a stored session was sent, on whatever
branch; the session must have been run with checkpoints. The conversation stays as it is
(heddle sessions switch goes on from elsewhere).

  --dry-run       only says what would change
  --force         also files that somebody has changed since the last turn of the session; without
                  it, nothing is done when there are some
  --yes           does not ask, on a terminal
  --json          as JSON
  --add-dir DIR   files below that directory, too; without it only those below the current one
  --home DIR      of another config home

SESSION is an id, the beginning of one, a title, or a path to a session file; MESSAGE the uuid of a
user message, or the beginning of one (heddle sessions tree --messages shows them).

Examples:
  heddle rewind --dry-run 3f2a91c0 9c1d
  heddle rewind 3f2a91c0 9c1d

Exit codes: 0 done, or nothing to do; 1 an error, or not everything could be brought back.
`;

/** `heddle rewind …`; resolves with the exit code. */
export async function runRewind(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, {
    command: 'heddle rewind',
    own: { '--dry-run': 'switch', '--force': 'switch', '--yes': 'switch', '--json': 'switch', '--home': 'text' },
    run: ['--add-dir'],
  });
  if (!args) {
    printHelp(REWIND_HELP);
    return 0;
  }
  const [session = '', message = ''] = takeWords(args.words, ['SESSION', 'MESSAGE']);
  const roots = (args.config.addDir ?? []).map((dir) => realDirectory(dir, '--add-dir', process.cwd()));
  const force = args.has('--force');
  const options = { ...openSessionsLocation(args), env: process.env, session, message, force, roots };
  const terminal = terminalOf(process.stdout, process.env);

  const plan = await rewindStored({ ...options, dryRun: true });
  const isBlocked = plan.changedSince.length > 0 && !force;
  const isOnlyLook = args.has('--dry-run') || isBlocked || plan.files.length === 0;
  if (!isOnlyLook && !args.has('--yes')) {
    if (process.stdin.isTTY)
      for (const line of fileLines(plan, { terminal, isDone: false })) process.stderr.write(`${line}\n`);
    if (!(await isAgreed('Change these files?'))) return 1;
  }
  const outcome = isOnlyLook ? plan : await rewindStored({ ...options, dryRun: false });
  if (args.has('--json')) printJson(outcome);
  else printLines(fileLines(outcome, { terminal, isDone: !isOnlyLook }));
  for (const remark of remarksOn(outcome, { isDryRun: args.has('--dry-run'), isBlocked }))
    printRemark(printable(remark));
  return outcome.problems.length > 0 || isBlocked ? 1 : 0;
}

function fileLines(
  { files, insertions, deletions, changedSince }: StoredRewind,
  { terminal: { paint }, isDone }: { terminal: Terminal; isDone: boolean },
): string[] {
  const words = isDone
    ? { restored: 'restored', removed: 'removed ' }
    : { restored: 'would restore', removed: 'would remove ' };
  const others = new Set(changedSince);
  const lines = files.map(({ path, becomes }) => {
    const mark = becomes === 'removed' ? paint.red(words.removed) : paint.green(words.restored);
    return `${mark}  ${printable(path)}${others.has(path) ? paint.yellow('  (changed since)') : ''}`;
  });
  return lines.length === 0 ? [] : [...lines, paint.dim(`+${insertions} -${deletions} lines`)];
}

function remarksOn(
  { files, problems, changedSince }: StoredRewind,
  { isDryRun, isBlocked }: { isDryRun: boolean; isBlocked: boolean },
): string[] {
  const count = changedSince.length;
  const who = `${count} of these files ${count === 1 ? 'was' : 'were'} changed after the last turn of the session`;
  return [
    ...problems.map(({ path, reason }) => `not brought back: ${path} (${reason})`),
    ...(files.length === 0 && problems.length === 0 ? ['the files are as they were then: nothing to do'] : []),
    ...(isBlocked ? [`${who}; --force brings ${count === 1 ? 'it' : 'them'} back all the same`] : []),
    ...(isDryRun && files.length > 0 ? ['this was a dry run: nothing was changed'] : []),
    ...(!isDryRun && isBlocked ? ['nothing was changed'] : []),
  ];
}
