import { isAbsolute, relative } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';
import { cutToWidth, displayWidth } from '../../util/text/display-width.ts';
import type { Paint } from '../../util/text/paint.ts';
import { printable } from '../../util/text/printable.ts';
import type { Call, ProgressState } from './progress-state.ts';

/** The terminal and directory that a line is drawn for. */
export interface LineView {
  now: number;
  startedAt: number;
  /** The columns that the line may take. */
  width: number;
  /** Paths below this directory are shown relative to it. */
  cwd: string;
  paint: Paint;
}

/** One line about a run: a spinner, the current activity, its duration, and the tokens used. */
export function progressLine(state: ProgressState, view: LineView): string {
  const { now, startedAt, width, paint } = view;
  const elapsed = now - startedAt;
  const spinner = FRAMES[Math.floor(elapsed / FRAME_MS) % FRAMES.length] ?? '';
  const details = [others(state), duration(elapsed), tokens(state)].filter((fact) => fact !== '');
  const tail = ` · ${details.join(' · ')}`;
  const room = width - displayWidth(tail) - 2; // the spinner and the space after it
  const what = goingOn(state, view);
  if (room < MIN_ROOM) return cutToWidth(`${spinner} ${what}`, width);
  return `${paint.cyan(spinner)} ${cutToWidth(what, room)}${paint.dim(tail)}`;
}

const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
export const FRAME_MS = 125;

/** A narrower terminal shows only the activity. */
const MIN_ROOM = 12;

function goingOn(state: ProgressState, { now, cwd }: LineView): string {
  const { retry, doing } = state;
  if (retry) {
    const seconds = Math.max(0, Math.ceil((retry.at - now) / 1000));
    return `retry ${retry.attempt}/${retry.of}${seconds > 0 ? ` in ${seconds}s` : ''}`;
  }
  const call = shownCall(state);
  return oneLine(call ? callText(call, cwd) : doing);
}

/** The first call without a result: later ones may still wait for it. An agent is shown by its current call. */
function shownCall({ calls, agents }: ProgressState): Call | undefined {
  const all = [...calls.values()];
  return (agents.size > 0 ? all.find(({ name }) => !STARTS_AGENTS.has(name)) : undefined) ?? all[0];
}

const STARTS_AGENTS: ReadonlySet<string> = new Set(['Task', 'Agent']);

/** A line that stays on the screen: the tool call, cut to the width. */
export function callLine(call: Call, { cwd, width, mark }: { cwd: string; width: number; mark: string }): string {
  return cutToWidth(`${mark}${oneLine(callText(call, cwd))}`, width);
}

function callText({ name, subject, share }: Call, cwd: string): string {
  const below = isAbsolute(subject) && isInside(cwd, subject) ? relative(cwd, subject) : '';
  const short = below === '' ? subject : below;
  return [name, short, share].filter((part) => part !== '').join(' ');
}

/** A text from a call must not act on the terminal. */
function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ').trim());
}

function others({ calls, agents, background }: ProgressState): string {
  const tools = calls.size > 1 ? `${calls.size} calls` : '';
  const running = agents.size > 0 ? counted(agents.size, 'agent') : '';
  const tasks = background > agents.size ? `${background} in the background` : '';
  return [tools, running, tasks].filter((part) => part !== '').join(', ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds}s`;
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

function tokens({ tokens: used }: ProgressState): string {
  return used.in + used.out === 0 ? '' : `↑${short(used.in)} ↓${short(used.out)}`;
}

function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
