import { firstWords } from '../../../admin/session-views.ts';
import { listTrash, restoreTrashed, type TrashedSession } from '../../../admin/sessions.ts';
import { HeddleError } from '../../../wire/errors.ts';
import { localTime } from '../../terminal/show-value.ts';
import { printJson, printLines, printRemark, terminalOf } from '../../terminal/terminal.ts';
import { tableLines } from '../table.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions restore [--json] [--home DIR] [SESSION…]

Brings sessions back from the trash, into the directory that they were in. Without SESSION: lists
what is in the trash, the one deleted last first. SESSION is an id, or the beginning of one.

  --json       the list as JSON: an array with sessionId, folder, deletedAt, summary
  --home DIR   of another config home, which is written to

Examples:
  heddle sessions restore
  heddle sessions restore 3f2a91c0

Exit codes: 0 done, 1 an error.
`;

export const restore: SessionsAction = {
  help: HELP,
  flags: { '--json': 'switch' },
  async run(args, { home }) {
    const trashed = listTrash(home);
    if (args.words.length === 0) {
      if (args.has('--json')) printJson(trashed);
      else if (trashed.length === 0) printRemark(`there are no deleted sessions in ${home}`);
      else printLines(listLines(trashed));
      return 0;
    }
    // All names are looked up first, so that a mistyped one stops the command before any change.
    const chosen = args.words.map((name) => deleted(name, trashed));
    for (const session of chosen) printLines([`${session.sessionId} is back: ${restoreTrashed(session, home)}`]);
    return 0;
  },
};

/** The last deleted one, where a session was deleted more than once. */
function deleted(name: string, trashed: readonly TrashedSession[]): TrashedSession {
  const found = trashed.filter(({ sessionId }) => sessionId.startsWith(name.toLowerCase()));
  const ids = new Set(found.map(({ sessionId }) => sessionId));
  const [first] = found;
  if (first && ids.size === 1) return first;
  const problem = first
    ? `${ids.size} deleted sessions begin with '${name}'`
    : `No deleted session has the id '${name}'`;
  throw new HeddleError(
    first ? 'session_ambiguous' : 'session_not_found',
    `${problem} (heddle sessions restore lists them)`,
  );
}

function listLines(trashed: readonly TrashedSession[]): string[] {
  const { paint, width, isTerminal } = terminalOf(process.stdout, process.env);
  const columns = [
    { title: 'ID', cells: trashed.map(({ sessionId }) => sessionId), paint: paint.cyan },
    { title: 'DELETED', cells: trashed.map(({ deletedAt }) => localTime(deletedAt)), paint: paint.dim },
    { title: 'TITLE', cells: trashed.map(({ summary }) => firstWords(summary?.summary ?? '', 200)), least: 10 },
  ];
  return tableLines(columns, width, { hasTitles: isTerminal });
}
