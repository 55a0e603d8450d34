import type { RunningSession } from '../../sdk/stored/running-sessions.ts';
import type { SDKSessionInfo } from '../../sdk/stored/sessions.ts';
import type { Span } from '../rows/row.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Widths } from '../rows/widths.ts';

/** A stored session in the list, with what is read of it only when it is seen. */
export interface StoredItem {
  readonly info: SDKSessionInfo;
  readonly running: RunningSession | null;
  /** Whether it is the session of this terminal. */
  readonly isHere: boolean;
}

export interface SessionSizes {
  turns: number;
  branches: number;
}

/** The text that it is known by: the custom title, else the last prompt. */
export function titleOf({ info }: StoredItem): string {
  return safeLine(info.customTitle ?? info.lastPrompt ?? info.summary).trim() || '(empty)';
}

export interface ItemView {
  columns: number;
  widths: Widths;
  now: number;
  sizes: SessionSizes | null;
  /** Says which directory it belongs to, where several are listed. */
  withPlace: boolean;
}

/** Title, age, turns, branches, git branch, size; the ends of long titles are left out before these. */
export function itemSpans(item: StoredItem, { columns, widths, now, sizes, withPlace }: ItemView): Span[] {
  const { info, running, isHere } = item;
  const details = [
    ageOf(now - info.lastModified),
    ...(sizes ? [counted(sizes.turns, 'turn')] : []),
    ...(sizes && sizes.branches > 1 ? [counted(sizes.branches, 'branch', 'branches')] : []),
    ...(info.gitBranch === undefined ? [] : [safeLine(info.gitBranch)]),
    sizeOf(info.fileSize ?? 0),
    ...(withPlace && info.cwd !== undefined ? [safeLine(info.cwd)] : []),
    ...(info.archived === true ? ['archived'] : []),
  ].join(' \u00b7 ');
  const state = isHere ? '\u25c0 here ' : running ? `\u25cf running, pid ${running.pid} on ${running.host} ` : '';
  const room = Math.max(12, columns - widths.of(details) - widths.of(state) - 8);
  return [
    { text: fitted(titleOf(item), room, widths) },
    { text: ' \u00b7 ', styles: ['dim'] },
    { text: state, styles: ['good'] },
    { text: details, styles: ['dim'] },
  ];
}

export function fitted(text: string, columns: number, widths: Widths): string {
  if (widths.of(text) <= columns) return text;
  let kept = '';
  let used = 1;
  for (const cluster of widths.clusters(text)) {
    used += cluster.width;
    if (used > columns) break;
    kept += cluster.text;
  }
  return `${kept}\u2026`;
}

function counted(count: number, word: string, words = `${word}s`): string {
  return `${count} ${count === 1 ? word : words}`;
}

/** just now, 5 min, 3 h, 12 d. */
export function ageOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
