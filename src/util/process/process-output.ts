import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

/** The descriptor for reports of a process, in addition to its output; scripts do not use this number. */
export const REPORT_FD = 47;
/** The maximum size of a report. */
const MAX_REPORT_BYTES = 16_384;

/** How long output may be silent, and how long it may continue at all, after the command itself has ended. */
const SILENCE_MS = 1000;
const LINGER_MS = 3000;

export interface OutputEnd {
  /** Null when a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  /** A process that the command started still holds its output open, and is no longer waited for. */
  stillRunning: boolean;
  /** The text written to REPORT_FD; absent where no report was requested. */
  report?: string;
}

export interface WatchedOutput {
  outcome: Promise<OutputEnd>;
  /** The tree was killed: waits only a moment longer, even if a process holds the pipes. */
  letGoSoon: () => void;
}

export type WatchedChild = ChildProcess & { readonly stdout: Readable; readonly stderr: Readable };

/** For the `stdio` of a process that may report; the descriptors between stay closed. */
export function reportStdio(): ('ignore' | 'pipe')[] {
  return [...Array.from({ length: REPORT_FD - 3 }, () => 'ignore' as const), 'pipe'];
}

/**
 * Settles when the process has ended and all its output has arrived; not on `exit` alone, which loses the end of the
 * output. A daemon may hold the pipes open for ever, so after `exit` the wait is bounded. It does not wait for the
 * report, which was written before the end.
 */
export function watchOutput(
  child: WatchedChild,
  onOutput: ((stream: 'stdout' | 'stderr', data: Buffer) => void) | undefined,
): WatchedOutput {
  let silence: NodeJS.Timeout | undefined;
  let limit: NodeJS.Timeout | undefined;
  const { promise: outcome, resolve } = deferred<OutputEnd>();
  const report = watchReport(child);

  const settle = (stillRunning: boolean) => {
    clearTimeout(silence);
    clearTimeout(limit);
    resolve({ exitCode: child.exitCode, signal: child.signalCode, stillRunning, ...report?.take() });
  };
  const letGo = () => {
    child.stdout.destroy();
    child.stderr.destroy();
    settle(true);
  };
  const receive = (stream: 'stdout' | 'stderr') => (data: Buffer) => {
    silence?.refresh();
    onOutput?.(stream, data);
  };
  let open = 3;
  const close = () => {
    // A moment later, because the last output of the process is still being read.
    if (--open === 0) setImmediate(settle, false);
  };
  child.stdout.on('data', receive('stdout')).once('close', close);
  child.stderr.on('data', receive('stderr')).once('close', close);
  child.once('exit', () => {
    silence = setTimeout(letGo, SILENCE_MS);
    limit ??= setTimeout(letGo, LINGER_MS);
    close();
  });

  return {
    outcome,
    letGoSoon: () => {
      limit ??= setTimeout(letGo, SILENCE_MS);
    },
  };
}

function watchReport(child: ChildProcess): { take(): { report: string } } | null {
  const pipe = (child.stdio as readonly unknown[])[REPORT_FD] as Readable | undefined;
  if (!pipe) return null;
  const pieces: Buffer[] = [];
  let size = 0;
  pipe.on('data', (data: Buffer) => {
    if (size < MAX_REPORT_BYTES) pieces.push(data);
    size += data.length;
  });
  pipe.on('error', () => {});
  return {
    take() {
      pipe.destroy(); // a background process may hold it for ever
      return { report: Buffer.concat(pieces).toString() };
    },
  };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
