import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Stats, viewStats } from '../../../admin/stats/stats.ts';
import { realDirectory } from '../../../host/launch/launch-context.ts';
import { printable } from '../../../util/text/printable.ts';
import { usage } from '../../flags/args.ts';
import { type CommandArgs, parseCommandArgs, takeWords } from '../../flags/command-args.ts';
import { printHelp, printJson, printLines, printRemark, terminalOf } from '../../terminal/terminal.ts';
import { countFlag, openSessionsLocation } from '../sessions-location.ts';
import { statsLines } from './stats-tables.ts';

export const STATS_HELP = `Usage: heddle stats [--days N] [--project DIR] [--json] [--home DIR]

Sums up what the stored sessions have spent: cost, tokens, turns and sessions,
by day, model, project and tool. Only session files are read.

  --days N        of the last N days, with today (default 30; 0 for all)
  --project DIR   only sessions of that directory, which may be gone by now
  --json          as JSON: {total, days, models, projects, tools, unpriced}; each
                  row has name, costUsd, inputTokens, outputTokens,
                  cacheReadTokens, cacheWriteTokens, turns, sessions, calls
  --home DIR      of another config home; nothing is written there

A cost is the one that the session has recorded for a turn, with its agents and
summaries. Turns without one are priced from the tokens of their answers. A tool
has the costs of the answers that call it, shared among their calls; answers
without calls belong to no tool. Copies in forks count once. IN includes tokens
of the prompt cache.

Examples:
  heddle stats
  heddle stats --days 7 --project .
  heddle stats --days 0 --json | jq '.models[] | {name, costUsd}'
`;

const DAYS = 30;

/** `heddle stats …`; resolves with the exit code. */
export async function runStats(argv: readonly string[]): Promise<number> {
  const args = parseCommandArgs(argv, {
    command: 'heddle stats',
    own: { '--days': 'text', '--project': 'text', '--json': 'switch', '--home': 'text' },
    run: [],
  });
  if (!args) {
    printHelp(STATS_HELP);
    return 0;
  }
  takeWords(args.words, [], 0);
  const days = countFlag(args, '--days', DAYS);
  const { home, log } = openSessionsLocation(args);
  const project = projectOf(args);
  const since = days === 0 ? 0 : startOfDay(days - 1);
  const stats = await viewStats({ home, since, log, ...(project !== undefined && { project }) });
  const where = `${project === undefined ? '' : `of ${project} `}in ${home}`;
  if (args.has('--json')) printJson(stats);
  else if (stats.total.sessions === 0) printRemark(printable(`${nothingSince(days)} ${where}`));
  else printLines(statsLines(stats, { days, terminal: terminalOf(process.stdout, process.env) }));
  remarkUnpriced(stats);
  return 0;
}

/** A project that has been removed still has its sessions. */
function projectOf({ text }: CommandArgs): string | undefined {
  const given = text('--project');
  if (given === '') throw usage("option '--project' needs a directory");
  if (given === undefined) return undefined;
  const path = resolve(process.cwd(), given);
  return existsSync(path) ? realDirectory(path, '--project', process.cwd()) : path;
}

/** Midnight where the user is, some days ago. */
function startOfDay(daysAgo: number): number {
  const now = new Date();
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime();
  return Number.isNaN(start) ? 0 : start; // more days than a date can count
}

function nothingSince(days: number): string {
  if (days === 0) return 'there are no sessions';
  return days === 1
    ? 'no session has worked today (--days 0 counts all)'
    : `no session has worked in the last ${days} days (--days 0 counts all)`;
}

function remarkUnpriced({ unpriced }: Stats): void {
  if (unpriced.length === 0) return;
  printRemark(printable(`no price is known for ${unpriced.join(', ')}: what it costs is missing in the sums`));
}
