import { homedir } from 'node:os';
import type { Stats, StatsRow } from '../../../admin/stats/stats.ts';
import { printable } from '../../../util/text/printable.ts';
import { wrapText } from '../../../util/text/wrap-text.ts';
import { shortPath } from '../../terminal/show-value.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { tableLines } from '../table.ts';

/** Rows of each table of a terminal; a pipe gets all. */
const MOST_ROWS = 20;

/** The sums as tables that fit the terminal. */
export function statsLines(stats: Stats, { days, terminal }: { days: number; terminal: Terminal }): string[] {
  const home = homedir();
  const projects = stats.projects.map((row) => ({ ...row, name: shortPath(row.name, home) }));
  const period = days === 0 ? 'all days' : days === 1 ? 'today' : `the last ${days} days`;
  const { paint } = terminal;
  const { total } = stats;
  const counts = [
    counted(total.sessions, 'session'),
    counted(total.turns, 'turn'),
    counted(total.calls, 'call'),
    `${shownCount(inputOf(total))} tokens in, ${shownCount(total.outputTokens)} out`,
  ];
  return [
    `${paint.bold(shownUsd(total.costUsd))}  ${paint.dim(period)}`,
    ...wrapText(counts.join(' · '), terminal.room).map(paint.dim),
    ...table('DAY', { rows: stats.days, keepLast: true }, terminal),
    ...table('MODEL', { rows: stats.models }, terminal),
    ...table('PROJECT', { rows: projects, keep: 'end' }, terminal),
    ...table('TOOL', { rows: stats.tools }, terminal),
  ];
}

interface TableRows {
  rows: readonly StatsRow[];
  /** Of too many rows, the last stay. */
  keepLast?: boolean;
  keep?: 'end';
}

function table(title: string, { rows, keepLast, keep }: TableRows, { paint, width, isTerminal }: Terminal): string[] {
  if (rows.length === 0) return [];
  const most = isTerminal ? MOST_ROWS : rows.length;
  const shown = keepLast ? rows.slice(-most) : rows.slice(0, most);
  const figures = (name: string, cellOf: (row: StatsRow) => string) => {
    return { title: name, align: 'right' as const, cells: shown.map(cellOf), paint: paint.dim };
  };
  const columns = [
    { title, cells: shown.map(({ name }) => printable(name)), least: LEAST_NAME, ...(keep && { keep }) },
    { ...figures('COST', ({ costUsd }) => shownUsd(costUsd)), paint: (text: string) => text },
    figures('IN', (row) => shownCount(inputOf(row))),
    figures('OUT', ({ outputTokens }) => shownCount(outputTokens)),
    figures('TURNS', ({ turns }) => String(turns)),
    figures('SESSIONS', ({ sessions }) => String(sessions)),
    figures('CALLS', ({ calls }) => String(calls)),
  ];
  const [head = '', ...lines] = tableLines(fitting(columns, width), width, { hasTitles: true });
  const left = rows.length - shown.length;
  return ['', paint.dim(head), ...lines, ...(left > 0 ? [paint.dim(`… and ${left} more: --json has all`)] : [])];
}

const LEAST_NAME = 10;
const NARROW = 64;

/** A narrow terminal has room for the name, the cost and the tokens. */
function fitting<Each>(columns: readonly Each[], width: number): readonly Each[] {
  return width < NARROW ? columns.slice(0, 4) : columns;
}

function inputOf(row: Omit<StatsRow, 'name'>): number {
  return row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens;
}

function shownUsd(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 1 ? 4 : 2)}`;
}

function shownCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1e6) return `${(count / 1000).toFixed(1)}k`;
  return count < 1e9 ? `${(count / 1e6).toFixed(1)}M` : `${(count / 1e9).toFixed(1)}G`;
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
