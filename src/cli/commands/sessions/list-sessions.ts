import { homedir } from 'node:os';
import { firstWords, shortIds } from '../../../admin/session-views.ts';
import { listSessions, type SessionSummary, sessionFigures } from '../../../admin/sessions.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { localTime, shortPath } from '../../terminal/show-value.ts';
import { printJson, printLines, printRemark, type Terminal, terminalOf } from '../../terminal/terminal.ts';
import { countFlag } from '../sessions-location.ts';
import { type Column, tableLines } from '../table.ts';
import { listRunning } from './list-running.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions list [--all] [--archived] [--long] [--limit N] [--offset N] [--json]
                            [--home DIR]
       heddle sessions list --running [--json] [--home DIR]

Lists the sessions of this directory, the one written to last first: id, how long ago, turns, cost,
tag, and the title or the last prompt.

  --all        of every directory, and which
  --archived   also those that are archived
  --long       times, and the sizes of files; with --json also turns and costUsd
  --limit N    so many at most (default 50; 0 for all)
  --offset N   without the first N
  --json       as JSON: an array with sessionId, path, summary, lastModified, fileSize, and where
               known customTitle, firstPrompt, lastPrompt, tag, gitBranch, cwd, createdAt, archived
  --running    those that a process runs now, of every directory: state, process, since when; with
               --json sessionId, state, pid, host, since, and where known cwd, terminal, hosts
  --home DIR   of another config home; nothing is written there

Without a terminal, ids and times are whole, and there is no header.

Examples:
  heddle sessions list
  heddle sessions list --all --limit 10
  heddle sessions list --json | jq -r '.[0].sessionId'
`;

const PAGE = 50;

export const list: SessionsAction = {
  help: HELP,
  flags: {
    '--all': 'switch',
    '--archived': 'switch',
    '--running': 'switch',
    '--long': 'switch',
    '--limit': 'text',
    '--offset': 'text',
    '--json': 'switch',
  },
  async run(args, { home, cwd }) {
    takeWords(args.words, []);
    if (args.has('--running')) return listRunning(home, { isJson: args.has('--json') });
    const [isAll, isLong, isJson] = [args.has('--all'), args.has('--long'), args.has('--json')];
    const limit = countFlag(args, '--limit', PAGE) || Number.POSITIVE_INFINITY;
    const offset = countFlag(args, '--offset', 0);
    // Requests one more than is shown, to see whether there are more.
    const scope = { home, hideArchived: !args.has('--archived'), ...(!isAll && { project: cwd }) };
    const found = await listSessions({ ...scope, offset, limit: limit + 1 });
    const sessions = found.slice(0, limit);
    if (isJson) printJson(isLong ? sessions.map((each) => ({ ...each, ...sessionFigures(each) })) : sessions);
    else if (sessions.length === 0) printRemark(await nothingToList(scope, { isAll, offset, cwd }));
    else printLines(listLines(sessions, { isAll, isLong, terminal: terminalOf(process.stdout, process.env) }));
    if (found.length > limit) printRemark(`there are more: --offset ${offset + limit} shows the next`);
    return 0;
  },
};

/** Why the list is empty, and which flags would show something. */
async function nothingToList(
  scope: ListScope,
  { isAll, offset, cwd }: { isAll: boolean; offset: number; cwd: string },
): Promise<string> {
  const where = isAll ? `in ${scope.home}` : `of ${cwd} in ${scope.home}`;
  if (offset > 0) return `there are no sessions ${where} behind the first ${offset}`;
  const [archived] = scope.hideArchived ? await listSessions({ ...scope, hideArchived: false, limit: 1 }) : [];
  if (archived) return `all sessions ${where} are archived (--archived lists them)`;
  return isAll ? `there are no sessions ${where}` : `there are no sessions ${where} (--all lists all)`;
}

type ListScope = Parameters<typeof listSessions>[0];

interface ListView {
  isAll: boolean;
  isLong: boolean;
  terminal: Terminal;
}

function listLines(sessions: readonly SessionSummary[], { isAll, isLong, terminal }: ListView): string[] {
  const { paint, width, isTerminal } = terminal;
  const isShort = isTerminal && !isLong;
  const figures = sessions.map(sessionFigures);
  const short = shortIds(sessions.map(({ sessionId }) => sessionId));
  const now = Date.now();
  const home = homedir();
  const columns: Column[] = [
    {
      title: 'ID',
      cells: sessions.map(({ sessionId }) => (isTerminal ? short(sessionId) : sessionId)),
      paint: paint.cyan,
    },
    {
      title: isShort ? 'AGE' : 'TIME',
      cells: sessions.map(({ lastModified }) => (isShort ? ageOf(lastModified, now) : localTime(lastModified))),
      paint: paint.dim,
    },
    {
      title: 'TURNS',
      align: 'right',
      cells: figures.map((each) => (each ? String(each.turns) : '–')),
      paint: paint.dim,
    },
    { title: 'COST', align: 'right', cells: figures.map((each) => shownCost(each?.costUsd ?? null)), paint: paint.dim },
    ...(isLong ? [{ title: 'SIZE', align: 'right' as const, cells: sessions.map(sizeOf), paint: paint.dim }] : []),
    ...(isAll
      ? [
          {
            title: 'DIRECTORY',
            cells: sessions.map(({ cwd }) => printable(shortPath(cwd ?? '?', home))),
            keep: 'end' as const,
            least: 10,
            paint: paint.dim,
          },
        ]
      : []),
    ...(sessions.some(({ tag }) => tag)
      ? [{ title: 'TAG', cells: sessions.map(({ tag }) => printable(shownTag(tag))), least: 6, paint: paint.yellow }]
      : []),
    { title: 'TITLE', cells: sessions.map(titleOf), least: 10 },
  ];
  const [head = '', ...rows] = tableLines(columns, width, { hasTitles: isTerminal });
  return isTerminal ? [paint.dim(head), ...rows] : [head, ...rows];
}

function titleOf({ summary, archived }: SessionSummary): string {
  const words = firstWords(summary, LONGEST_TITLE) || '(no messages)';
  return archived ? `archived  ${words}` : words;
}

/** No terminal is wider, and a prompt can be megabytes long. */
const LONGEST_TITLE = 200;

/** Some users write the sign themselves. */
function shownTag(tag: string | undefined): string {
  return tag === undefined || tag.startsWith('#') ? (tag ?? '') : `#${tag}`;
}

function sizeOf({ fileSize: bytes }: SessionSummary): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function shownCost(costUsd: number | null): string {
  if (costUsd === null) return '–';
  return costUsd >= 100 ? `$${Math.round(costUsd)}` : `$${costUsd.toFixed(2)}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The age in one unit; after some weeks, the date. */
export function ageOf(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < MINUTE) return 'now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)} h`;
  if (age < 60 * DAY) return `${Math.floor(age / DAY)} days`;
  return localTime(at).slice(0, 'yyyy-mm-dd'.length);
}
