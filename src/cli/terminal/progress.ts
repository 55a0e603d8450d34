import type { JsonObject } from '../../util/json.ts';
import { createPaint } from '../../util/text/paint.ts';
import { isOn } from '../../util/text/setting-text.ts';
import { FRAME_MS, progressLine } from './progress-line.ts';
import { trackProgress } from './progress-state.ts';

export interface Progress {
  /** Takes a line of the run. */
  note(line: JsonObject): void;
  /** Makes room for other output on stderr; the line is drawn again with the next frame. */
  erase(): void;
  /** Removes the line for good. */
  end(): void;
}

/** The streams and timers that it needs; `process` has all of them. */
export interface ProgressTerminal {
  stderr: { isTTY?: boolean; columns?: number; write(text: string): unknown };
  env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
  /** Whether the line may be drawn now. Default: always. */
  mayDraw?: () => boolean;
}

/** A run that ends before this needs no display. */
const QUIET_MS = 500;

const ERASE = '\r\u001b[2K';

/**
 * A line on stderr that shows what a run is doing. It does not keep the process alive, and the cursor stays visible:
 * however the process ends, the terminal is unchanged. Null where no one would see it move; the signal ends it.
 */
export function openProgress(signal: AbortSignal, terminal: ProgressTerminal = process): Progress | null {
  const { stderr, env } = terminal;
  if (!stderr.isTTY || env.TERM === 'dumb' || isOn(env.CI)) return null;
  const tracker = trackProgress();
  const paint = createPaint({ colours: !env.NO_COLOR });
  const cwd = terminal.cwd();
  const startedAt = Date.now();
  let isDrawn = false;

  const erase = () => {
    if (isDrawn) stderr.write(ERASE);
    isDrawn = false;
  };
  const draw = () => {
    const now = Date.now();
    if (now - startedAt < QUIET_MS || terminal.mayDraw?.() === false) return;
    // A line in the last column would wrap, and a wrapped line is not erased.
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
