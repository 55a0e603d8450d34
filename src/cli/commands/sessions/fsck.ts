import {
  checkFile,
  type FileCheck,
  type FileRepair,
  repairFile,
  transcriptsOf,
} from '../../../admin/check-sessions.ts';
import {
  findStored,
  listSessions,
  type SessionsLocation,
  type StoredSessionFile,
  withSession,
} from '../../../admin/sessions.ts';
import { messageOf } from '../../../util/message-of.ts';
import type { Paint } from '../../../util/text/paint.ts';
import { printable } from '../../../util/text/printable.ts';
import { HeddleError } from '../../../wire/errors.ts';
import { usage } from '../../flags/args.ts';
import type { CommandArgs } from '../../flags/command-args.ts';
import { printJson, printLines, terminalOf } from '../../terminal/terminal.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions fsck [--repair] [--json] [--home DIR] SESSION…
       heddle sessions fsck [--repair] [--json] [--home DIR] --all

Checks session files, with those of their subagents: damaged lines, uuids stored twice, lost
parents, circles, and entries of a shape that they should not have. A damaged session can be
resumed as it is; what is found is what a resume passes over or puts right for itself.

  --all        every session of the config home; without it and without SESSION, those of this
               directory
  --repair     repairs what is damaged, after a copy beside the file (FILE.bak-TIME), and says
               what it does. Whole lines stay byte for byte, also of kinds that are not known here
  --json       as JSON
  --home DIR   of another config home; written to only with --repair

Examples:
  heddle sessions fsck --all
  heddle sessions fsck --repair 3f2a91c0

Exit codes: 0 nothing is wrong (any more), 1 something is.
`;

export const fsck: SessionsAction = {
  help: HELP,
  flags: { '--all': 'switch', '--repair': 'switch', '--json': 'switch' },
  async run(args, location) {
    const outcomes: Outcome[] = [];
    for (const session of await selectedFiles(args, location)) {
      const check = () => checkSession(session, { isRepair: args.has('--repair') });
      outcomes.push(...(await (args.has('--repair') ? alone(session, location, check) : check())));
    }
    if (args.has('--json')) printJson(outcomes);
    else printLines([...outcomes.flatMap((outcome) => outcomeLines(outcome)), summaryLine(outcomes)]);
    return outcomes.every(isFine) ? 0 : 1;
  },
};

/** The findings in a file, and the repair. */
interface Outcome extends FileCheck {
  /** Why it could not be checked or repaired. */
  error?: string;
  repair?: FileRepair;
  /** The findings that remain after the repair. */
  left?: FileCheck['checks'];
}

async function selectedFiles({ words, has }: CommandArgs, location: SessionsLocation): Promise<StoredSessionFile[]> {
  if (words.length > 0 && has('--all')) throw usage('--all checks all sessions: name none, or leave it out');
  if (words.length === 0) return listSessions({ home: location.home, ...(!has('--all') && { project: location.cwd }) });
  return Promise.all(words.map((word) => findStored(word, location)));
}

/** Holds the lease, because a repair must not run while another process writes. */
async function alone(
  session: StoredSessionFile,
  location: SessionsLocation,
  check: () => Promise<Outcome[]>,
): Promise<Outcome[]> {
  try {
    return await withSession(session.sessionId, location, check);
  } catch (error) {
    if (!HeddleError.isInstance(error)) throw error;
    return [{ path: session.path, entries: 0, checks: [], error: messageOf(error) }];
  }
}

async function checkSession({ path }: StoredSessionFile, options: { isRepair: boolean }): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const file of transcriptsOf(path)) outcomes.push(await checkOne(file, options));
  return outcomes;
}

async function checkOne(path: string, { isRepair }: { isRepair: boolean }): Promise<Outcome> {
  let outcome: Outcome = { path, entries: 0, checks: [] };
  try {
    outcome = await checkFile(path);
    if (!isRepair || isFine(outcome)) return outcome;
    const repair = await repairFile(path, { now: () => Date.now() });
    return { ...outcome, repair, left: (await checkFile(path)).checks };
  } catch (error) {
    if (!HeddleError.isInstance(error)) throw error;
    return { ...outcome, error: messageOf(error) };
  }
}

function isFine({ error, checks, left = checks }: Outcome): boolean {
  return error === undefined && !left.some(({ isProblem }) => isProblem);
}

function outcomeLines({ path, checks, error, repair, left }: Outcome): string[] {
  const { paint } = terminalOf(process.stdout, process.env);
  const found = checks.map(({ line, isProblem, text }) => {
    const place = line > 0 ? `line ${line}: ` : '';
    return `  ${isProblem ? paint.red('✗') : paint.dim('·')} ${place}${printable(text)}`;
  });
  const lines = [...found, ...(error === undefined ? [] : [`  ${paint.red('✗')} ${printable(error)}`])];
  if (lines.length === 0) return [];
  return [printable(path), ...lines, ...(repair ? repairLines(repair, left ?? [], paint) : [])];
}

function repairLines({ backup, repairs, refusal }: FileRepair, left: FileCheck['checks'], paint: Paint): string[] {
  const problems = left.filter(({ isProblem }) => isProblem).length;
  return [
    ...repairs.map(({ line, text }) => `  ${paint.green('✓')} line ${line}: ${printable(text)}`),
    ...(backup === null ? [] : [`  repaired; the file as it was: ${printable(backup)}`]),
    ...(refusal === null ? [] : [`  ${paint.red('✗')} not repaired: ${printable(refusal)}`]),
    ...(problems > 0
      ? [`  ${paint.yellow('!')} what is left (${problems}) stays as it is: the entries are whole`]
      : []),
  ];
}

function summaryLine(outcomes: readonly Outcome[]): string {
  const bad = outcomes.filter((outcome) => !isFine(outcome)).length;
  const files = `${outcomes.length} ${outcomes.length === 1 ? 'file' : 'files'} checked`;
  return bad === 0 ? `${files}, nothing is wrong` : `${files}, ${bad} with problems`;
}
