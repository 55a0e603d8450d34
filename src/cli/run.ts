import { type Engine, type EngineOptions, openEngine } from '../host/engine.ts';
import { serve } from '../host/serve.ts';
import { stdioTransport } from '../host/stdio.ts';
import { Aborted } from '../util/abort.ts';
import { unusedReferenceHome } from '../util/config-home.ts';
import { isOn } from '../util/setting-text.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import type { ParsedArgs } from './args.ts';
import { createLogger } from './logger.ts';
import { watchForLostHost } from './lost-host.ts';
import { runPrint } from './print.ts';
import { readPrompt } from './prompt-input.ts';
import { onSignals } from './signals.ts';
import { validateFormats } from './validate.ts';

/** A run of the agent on one prompt, or on the messages of stdin; resolves with the exit code. */
export async function run(args: ParsedArgs): Promise<number> {
  const { config } = args;
  validateFormats(config);
  if (config.resume === true && config.inputFormat !== 'stream-json') {
    throw (await import('./mistakes.ts')).sessionMissing();
  }
  const logger = createLogger(config);
  if (process.stderr.isTTY) (await import('./wrap-logger.ts')).wrapLogger(logger);
  if (unusedReferenceHome(process.env) !== null) await (await import('./home-note.ts')).noteUnusedHome(logger);
  if (args.ignored.length > 0) (await import('./ignored-notes.ts')).noteIgnored(args.ignored, logger.log);
  if (args.prompt !== undefined && config.inputFormat === 'stream-json') {
    logger.log('warn', 'The prompt argument was ignored: with --input-format stream-json, prompts come through stdin');
  }
  if (config.initOnly) return (await import('./setup-only.ts')).runSetup(config, logger);
  const prompt = config.inputFormat === 'stream-json' ? null : await readPrompt(args.prompt);
  const launch: Launch = { config: prompt === null ? config : { ...config, inputFormat: 'text' } };
  const { env } = process;
  const engine = openEngine({
    ...{ cwd: process.cwd(), env, log: logger.log },
    telemetry: isOn(env.HEDDLE_TELEMETRY) && { captureContent: isOn(env.HEDDLE_TELEMETRY_CONTENT) },
    ...(await identity()),
  });
  const stop = new AbortController();
  const signals = onSignals(stop);
  try {
    if (prompt === null) {
      const code = await runStdio(engine, launch, stop);
      return signals.exitCode() ?? code;
    }
    const person = isForPerson(config)
      ? (await import('./terminal/person.ts')).personAt(config, logger, stop.signal)
      : null;
    const code = await runPrint(engine, launch, { prompt, logger, person }, stop);
    return signals.exitCode() ?? code;
  } finally {
    await engine.close();
    logger.close();
    signals.dispose();
  }
}

/** Without `-p`, somebody who types and reads at a terminal sees the text as it is written, and is asked. */
function isForPerson({ print, outputFormat = 'text' }: RunConfig): boolean {
  return !print && outputFormat === 'text' && process.stdin.isTTY && process.stdout.isTTY;
}

/** HEDDLE_SEED makes a run repeatable, for tests and replays: the same ids, the same times, no process id. */
async function identity(): Promise<Pick<EngineOptions, 'clock' | 'ids' | 'pid' | 'ordered'>> {
  const seed = process.env.HEDDLE_SEED;
  if (!seed) return { pid: process.pid };
  const { seededRuntime } = await import('../util/seeded-runtime.ts');
  return { ...seededRuntime(seed), ordered: true };
}

/** Lines in, lines out: the protocol itself over stdin and stdout. */
async function runStdio(engine: Engine, launch: Launch, stop: AbortController): Promise<number> {
  const transport = stdioTransport(process.stdin, process.stdout);
  transport.onReaderGone(() => stop.abort(new Aborted('shutdown', 'The reader of stdout is gone')));
  const keepAlive = () => transport.write({ type: 'keep_alive' })?.catch(() => {});
  const endWatch = watchForLostHost(process.stdin, keepAlive);
  const end = await serve(engine, transport, launch, stop.signal);
  endWatch();
  if (end.error) process.stderr.write(`${end.error.message}\n`);
  await transport.close();
  return transport.readerGone() ? 1 : end.exitCode;
}
