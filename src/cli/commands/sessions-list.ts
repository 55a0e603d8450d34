import { firstWords } from '../../host/session-views.ts';
import { listSessions, type SessionSummary } from '../../host/stored-sessions.ts';
import { cutToWidth, padToWidth } from '../../util/display-width.ts';
import { printable } from '../../util/printable.ts';
import { takeWords } from '../command-args.ts';
import type { SessionsAction } from './sessions-action.ts';
import { countFlag } from './sessions-place.ts';
import { sayJson, sayLines, type Terminal, tell, terminalOf } from './terminal.ts';

const HELP = `Usage: heddle sessions list [--all] [--archived] [--limit N] [--offset N] [--json] [--home DIR]

Lists the sessions of this directory, the one written to last first: id, time, size, tag, title or
last prompt.

  --all        of every directory
  --archived   also those that are archived
  --limit N    so many at most (default 50; 0 for all)
  --offset N   without the first N
  --json       as JSON: an array with sessionId, path, summary, lastModified, fileSize, and where
               known customTitle, firstPrompt, lastPrompt, tag, gitBranch, cwd, createdAt, archived
  --home DIR   of another config home; nothing is written there

Examples:
  heddle sessions list
  heddle sessions list --all --limit 10
  heddle sessions list --json | jq -r '.[0].sessionId'
`;

const PAGE = 50;

export const list: SessionsAction = {
  help: HELP,
  flags: { '--all': 'switch', '--archived': 'switch', '--limit': 'text', '--offset': 'text', '--json': 'switch' },
  async run(args, { home, cwd }) {
    takeWords(args.words, []);
    const isAll = args.has('--all');
    const limit = countFlag(args, '--limit', PAGE) || Number.POSITIVE_INFINITY;
    const offset = countFlag(args, '--offset', 0);
    // One more than is shown tells whether there are more.
    const scope = { home, hideArchived: !args.has('--archived'), ...(!isAll && { project: cwd }) };
    const found = await listSessions({ ...scope, offset, limit: limit + 1 });
    const sessions = found.slice(0, limit);
    if (args.has('--json')) sayJson(sessions);
    else sayLines(tableOf(sessions, { isAll, terminal: terminalOf(process.stdout, process.env) }));
    if (sessions.length === 0 && !args.has('--json')) {
      tell(await nothingToList(scope, { isAll, offset, cwd }));
    }
    if (found.length > limit) tell(`there are more: --offset ${offset + limit} shows the next`);
    return 0;
  },
};

/** Why there is nothing to be seen, and what would show something. */
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

const DIRECTORY_WIDTH = 40;

function tableOf(sessions: readonly SessionSummary[], options: { isAll: boolean; terminal: Terminal }): string[] {
  const { isAll, terminal } = options;
  const { paint, width, isTerminal } = terminal;
  const tagWidth = Math.min(20, Math.max(0, ...sessions.map(({ tag }) => (tag ? shownTag(tag).length : 0))));
  return sessions.map(({ sessionId, lastModified, fileSize, tag, summary, cwd, archived }) => {
    const id = isTerminal ? sessionId.slice(0, 13) : sessionId;
    const tagged = padToWidth(tag ? cutToWidth(printable(shownTag(tag)), tagWidth) : '', tagWidth);
    const directory = isAll ? [padToWidth(cutEnd(printable(cwd ?? '?')), DIRECTORY_WIDTH)] : [];
    const facts = [localTime(lastModified), shownSize(fileSize).padStart(7), ...directory];
    const left = `${id}  ${facts.join('  ')}  ${tagWidth > 0 ? `${tagged}  ` : ''}`;
    const state = archived ? 'archived  ' : '';
    const words = firstWords(summary, Math.max(20, width - left.length - state.length)) || '(no messages)';
    const tags = tagWidth > 0 ? `${paint.yellow(tagged)}  ` : '';
    return `${paint.cyan(id)}  ${paint.dim(facts.join('  '))}  ${tags}${paint.dim(state)}${words}`;
  });
}

/** Some write the sign themselves. */
function shownTag(tag: string): string {
  return tag.startsWith('#') ? tag : `#${tag}`;
}

/** The end of a path says more than its beginning. */
function cutEnd(path: string): string {
  return path.length <= DIRECTORY_WIDTH ? path : `…${path.slice(1 - DIRECTORY_WIDTH)}`;
}

/** Minutes are enough to recognise a session by. */
export function localTime(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function shownSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
