import type { JsonObject } from '../util/json.ts';
import { createPaint } from '../util/paint.ts';
import { isOn } from '../util/setting-text.ts';
import { FRAME_MS, progressLine } from './progress-line.ts';
import { trackProgress } from './progress-state.ts';

export interface Progress {
  /** Takes a line of the run. */
  note(line: JsonObject): void;
  /** Makes room for something else on stderr; it is drawn again with the next frame. */
  erase(): void;
  /** Nothing of it is left. */
  end(): void;
}

/** What it is drawn on; the process has all of it. */
export interface ProgressPlace {
  stderr: { isTTY?: boolean; columns?: number; write(text: string): unknown };
  env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  /** Whether the line may be drawn now. Default: always. */
  mayDraw?: () => boolean;
}

/** A run that is over by then needs no display. */
const QUIET_MS = 500;

const ERASE = '\r\u001b[2K';

/**
 * A line on stderr that says what a run is doing. It holds no process open, and the cursor stays visible: whatever ends
 * this process, the terminal is as it was. Null where nobody would see it move. The signal ends it.
 */
export function openProgress(signal: AbortSignal, place: ProgressPlace = process): Progress | null {
  const { stderr, env } = place;
  if (!stderr.isTTY || env.TERM === 'dumb' || isOn(env.CI)) return null;
  const tracker = trackProgress();
  const paint = createPaint({ colours: !env.NO_COLOR });
  const cwd = place.cwd();
  const startedAt = Date.now();
  let isDrawn = false;

  const erase = () => {
    if (isDrawn) stderr.write(ERASE);
    isDrawn = false;
  };
  const draw = () => {
    const now = Date.now();
    if (now - startedAt < QUIET_MS || place.mayDraw?.() === false) return;
    // A line in the last column would wrap, and what has wrapped is not erased.
    const width = (stderr.columns || 80) - 1;
    stderr.write(ERASE + progressLine(tracker.state, { now, startedAt, width, cwd, paint }));
    isDrawn = true;
  };
  const end = () => {
    clearInterval(timer);
    signal.removeEventListener('abort', end);
    process.off('exit', erase);
    erase();
  };
  const timer = setInterval(draw, FRAME_MS);
  timer.unref();
  signal.addEventListener('abort', end, { once: true });
  process.on('exit', erase);
  return { note: (line) => tracker.note(line, Date.now()), erase, end };
}
