import type { JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import type { BlockContext } from '../rows/blocks/block-context.ts';
import { linkedRow } from '../rows/linked-row.ts';
import { cutRow, type Row } from '../rows/row.ts';
import { expandTabs, safeText } from '../rows/safe-text.ts';
import type { StatusLineState } from '../stage/look-view.ts';
import type { Stage } from '../stage/stage.ts';

/** A script that is wanted again and again runs once, so long after the last cause. */
const QUIET_MS = 300;
const MOST_ROWS = 3;
/** Longer lines are no status; cut first, they cost nothing. */
const MOST_CHARS = 4096;
/** A session of another machine may answer anything, also what makes it run without a pause. */
const MOST_PADDING = 40;
const SHORTEST_INTERVAL = 0.05;
const LONGEST_INTERVAL = 24 * 3600;

/**
 * The person's own status line: a command that the session runs, and whose output stands above the keys. Without a cause
 * it does not run, and without `refreshInterval` it has no timer.
 */
export class StatusLine {
  readonly #stage: Pick<Stage, 'link' | 'now' | 'notify' | 'changed' | 'vim'>;
  readonly #size: () => { columns: number; rows: number };
  #lines: readonly string[] = [];
  #padding = 0;
  #timer: NodeJS.Timeout | null = null;
  #refresh: NodeJS.Timeout | null = null;
  #running: AbortController | null = null;
  #isClosed = false;
  #state: StatusLineState = { isConfigured: null, problem: null, hidesVimMode: false, tookMs: null };

  constructor(
    stage: Pick<Stage, 'link' | 'now' | 'notify' | 'changed' | 'vim'>,
    size: () => { columns: number; rows: number },
  ) {
    this.#stage = stage;
    this.#size = size;
  }

  get state(): StatusLineState {
    return this.#state;
  }

  /** Its rows; none where there is no such setting, or where it has failed. */
  rows(context: BlockContext): Row[] {
    const left = ' '.repeat(this.#padding);
    const width = Math.max(1, context.width - this.#padding);
    return this.#lines.map((line) => {
      const row = linkedRow(left + line, context.palette, (text) => expandTabs(safeText(text)));
      return cutRow(row, width, context.widths);
    });
  }

  /** What it shows may have changed. A run that is under way is of no use any more. */
  wanted(): void {
    if (this.#isClosed || this.#state.isConfigured === false) return;
    this.#clearTimers();
    this.#timer = setTimeout(() => void this.#run(), QUIET_MS);
  }

  /** Another session, or other settings: whether there is one has to be asked again. */
  again(): void {
    this.#state = { ...this.#state, isConfigured: null };
    this.wanted();
  }

  close(): void {
    this.#isClosed = true;
    this.#clearTimers();
    this.#running?.abort();
  }

  #clearTimers(): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#refresh) clearTimeout(this.#refresh);
    this.#timer = null;
    this.#refresh = null;
  }

  async #run(): Promise<void> {
    this.#clearTimers();
    this.#running?.abort();
    const { link } = this.#stage;
    if (!link || this.#isClosed) return;
    const running = new AbortController();
    this.#running = running;
    const began = this.#stage.now();
    try {
      const { mode } = this.#stage.vim;
      const request = { ...this.#size(), ...(mode !== null && { vim_mode: mode.replace('-', ' ').toUpperCase() }) };
      const answer = await link.call({ subtype: 'status_line', ...request }, { signal: running.signal });
      if (this.#running === running) this.#take(answer, this.#stage.now() - began);
    } catch (error) {
      // A session of an earlier version, or one that lets this host only watch, has no status line for it.
      if (this.#running === running) this.#state = { ...NONE, problem: messageOf(error) };
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }

  #take(answer: JsonObject, tookMs: number): void {
    const { configured, output, error, padding, refresh_interval: seconds } = answer;
    const lines = configured === true && typeof output === 'string' ? linesOf(output) : [];
    const problem = configured === true ? problemOf(error, lines) : null;
    if (problem !== null && problem !== this.#state.problem) {
      this.#stage.notify(`The status line shows nothing: ${problem} (/statusline)`);
    }
    this.#state = { isConfigured: configured === true, problem, hidesVimMode: answer.hide_vim_mode === true, tookMs };
    this.#lines = lines;
    this.#padding = typeof padding === 'number' ? within(Math.trunc(padding), 0, MOST_PADDING) : 0;
    this.#stage.changed();
    if (typeof seconds !== 'number') return;
    this.#refresh = setTimeout(() => void this.#run(), within(seconds, SHORTEST_INTERVAL, LONGEST_INTERVAL) * 1000);
  }
}

const NONE: StatusLineState = { isConfigured: false, problem: null, hidesVimMode: false, tookMs: null };

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** The rows that a script means: without the blank ones at both ends. */
function linesOf(output: string): string[] {
  const lines = output.split(/\r?\n/).map((line) => line.slice(0, MOST_CHARS).trimEnd());
  const first = lines.findIndex((line) => line !== '');
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1).slice(0, MOST_ROWS);
}

function problemOf(error: unknown, lines: readonly string[]): string | null {
  if (typeof error === 'string') return error;
  return lines.length === 0 ? 'its command printed nothing' : null;
}
