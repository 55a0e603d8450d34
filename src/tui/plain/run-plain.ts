import type { TuiEnd } from '../app/tui-options.ts';
import { safeText } from '../rows/safe-text.ts';
import { reportFailure } from '../term/failure-report.ts';
import { PlainApp, type PlainOptions } from './plain-app.ts';

/**
 * A person at a terminal that shows lines only, as the host of a session. Resolves when the person has left and the session
 * has ended; SIGINT interrupts, or leaves where nothing runs.
 */
export async function runPlain(options: PlainOptions): Promise<TuiEnd> {
  const { env, version } = options;
  const report = (error: unknown) => reportFailure(error, { env, version, now: new Date() });
  const app = new PlainApp({ ...options, report });
  const signals = app.handleSignals(process);
  try {
    const { exitCode, lines } = await app.run();
    // What a session or a server has said last is foreign text.
    return { exitCode, lines: lines.map(safeText) };
  } finally {
    signals.dispose();
  }
}
