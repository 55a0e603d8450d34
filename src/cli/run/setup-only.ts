import { openEngine } from '../../host/engine/engine.ts';
import { openSession } from '../../host/session/open-session.ts';
import { Aborted } from '../../util/abort.ts';
import { toHeddleError } from '../../wire/errors.ts';
import type { RunConfig } from '../../wire/run-config.ts';
import type { CliLogger } from '../terminal/logger.ts';
import { onSignals } from '../terminal/signals.ts';

/** `--init-only`: the Setup and SessionStart hooks run as they would before a first prompt; there is no prompt. */
export async function runSetup(config: RunConfig, logger: CliLogger): Promise<number> {
  const engine = openEngine({ cwd: process.cwd(), env: process.env, log: logger.log, pid: process.pid });
  const stop = new AbortController();
  const signals = onSignals(stop);
  // Prints nothing; failing hooks are logged to stderr.
  const launch = { config: { ...config, noSessionPersistence: true } };
  try {
    const session = await openSession(engine, launch, () => undefined, { signal: stop.signal });
    stop.signal.addEventListener('abort', () => session.stop(new Aborted('shutdown')), { once: true });
    await session.change(async () => session.main.hooks.current?.begin(stop.signal));
    session.endInput();
    await session.finished;
    return signals.exitCode() ?? 0;
  } catch (error) {
    process.stderr.write(`${toHeddleError(error).message}\n`);
    return signals.exitCode() ?? 1;
  } finally {
    await engine.close();
    logger.close();
    signals.dispose();
  }
}
