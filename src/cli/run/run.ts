import type { Readable } from 'node:stream';
import { referenceHomeToMention } from '../../admin/choose-home.ts';
import { type Engine, type EngineOptions, openEngine } from '../../host/engine/engine.ts';
import type { LoadTelemetry } from '../../host/engine/telemetry.ts';
import { serve } from '../../host/serve/serve.ts';
import { stdioTransport } from '../../host/serve/stdio.ts';
import { Aborted } from '../../util/abort.ts';
import { unusedReferenceHome } from '../../util/own/config-home.ts';
import type { Logger } from '../../util/runtime.ts';
import { seededRuntime } from '../../util/seeded-runtime.ts';
import { isOn } from '../../util/text/setting-text.ts';
import { shellWord } from '../../util/text/shell-word.ts';
import type { HeddleError } from '../../wire/errors.ts';
import type { Launch, RunConfig } from '../../wire/run-config.ts';
import { type ParsedArgs, usage, validateFormats } from '../flags/args.ts';
import { noteIgnored } from '../flags/ignored-flags.ts';
import { type CliLogger, createLogger } from '../terminal/logger.ts';
import { onSignals } from '../terminal/signals.ts';
import { wrapLogger } from '../terminal/wrap-logger.ts';
import { runPrint } from './print.ts';
import { readPrompt } from './prompt-input.ts';
import { runSetup } from './setup-only.ts';

/** A run of the agent on one prompt, or on the messages of stdin; resolves with the exit code. */
export async function run(args: ParsedArgs): Promise<number> {
  const { config } = args;
  validateFormats(config);
  if (config.resume === true && config.inputFormat !== 'stream-json') throw sessionMissing();
  const logger = wrapLogger(createLogger(config));
  if (unusedReferenceHome(process.env) !== null) await noteUnusedHome(logger);
  noteIgnored(args.ignored, logger.log);
  if (args.prompt !== undefined && config.inputFormat === 'stream-json') {
    logger.log('warn', 'The prompt argument was ignored: with --input-format stream-json, prompts come through stdin');
  }
  if (config.initOnly) return runSetup(config, logger);
  const isProtocol = config.inputFormat === 'stream-json';
  const prompt = isProtocol ? null : await readPrompt(args.prompt, { isOptional: config.continueTurn === true });
  const launch: Launch = { config: isProtocol ? config : { ...config, inputFormat: 'text' } };
  const engine = openProcessEngine(logger.log);
  const stop = new AbortController();
  const signals = onSignals(stop);
  try {
    if (isProtocol) {
      const code = await runStdio(engine, launch, stop);
      return signals.exitCode() ?? code;
    }
    const person = isForPerson(config)
      ? (await import('../terminal/person.ts')).personAt(config, logger, stop.signal)
      : null;
    const code = await runPrint(engine, launch, { prompt, logger, person }, stop);
    return signals.exitCode() ?? code;
  } finally {
    await engine.close();
    logger.close();
    signals.dispose();
  }
}

/** Loads the code with the first use. */
function telemetryFor({ HEDDLE_TELEMETRY_CONTENT }: NodeJS.ProcessEnv): LoadTelemetry {
  return async (log) => {
    const { engineTelemetry } = await import('../../host/telemetry/engine-telemetry.ts');
    return engineTelemetry({ captureContent: isOn(HEDDLE_TELEMETRY_CONTENT) }, log);
  };
}

/** The error for `--resume` without a value, where Heddle cannot show a list to choose from. */
function sessionMissing(): HeddleError {
  const forms = 'its id, the start of it, its title, or a file';
  const where = 'heddle sessions list shows them; --continue takes the newest';
  return usage(`option '--resume' needs a session: ${forms} (${where})`);
}

/** The first run that finds an unused config home of the reference prints one line about it on stderr. */
async function noteUnusedHome({ log }: CliLogger): Promise<void> {
  const reference = await referenceHomeToMention(process.env);
  if (reference === null) return;
  const command = `heddle config home ${shellWord(reference)}`;
  log('warn', `${reference} is not used: sessions and settings are in ~/.heddle. To use it: ${command}`);
}

/** Without `-p`, a person at a terminal sees the text as it is written, and is asked for permissions. */
function isForPerson({ print, outputFormat = 'text' }: RunConfig): boolean {
  return !print && outputFormat === 'text' && process.stdin.isTTY && process.stdout.isTTY;
}

/** The engine of this process. */
export function openProcessEngine(log: Logger): Engine {
  const { env } = process;
  return openEngine({
    ...{ cwd: process.cwd(), env, log, ...identity(env) },
    telemetry: isOn(env.HEDDLE_TELEMETRY) ? telemetryFor(env) : null,
  });
}

/** HEDDLE_SEED makes a run repeatable, for tests and replays: the same ids, the same times, no process id. */
function identity(env: NodeJS.ProcessEnv): Pick<EngineOptions, 'clock' | 'ids' | 'pid' | 'ordered'> {
  const seed = env.HEDDLE_SEED;
  if (!seed) return { pid: process.pid };
  return { ...seededRuntime(seed), ordered: true };
}

/** The protocol itself over stdin and stdout. */
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

/** How often Heddle checks whether the host is alive, once the input has ended. */
const LOOK_MS = 1000;

/**
 * Notices a host that was killed while the agent works without output. Its death closes stdin, but so does a host that
 * has nothing to add and still reads. So only after the input has ended, and if the parent process is gone, `tryReader`
 * is called repeatedly: it writes a line that readers skip, and a failed write proves the loss. Returns a function that
 * ends the watch.
 */
function watchForLostHost(input: Readable, tryReader: () => void): () => void {
  const starter = process.ppid;
  let timer: ReturnType<typeof setInterval> | undefined;
  const watch = () => {
    timer = setInterval(() => {
      if (process.ppid !== starter) tryReader();
    }, LOOK_MS).unref();
  };
  input.once('end', watch);
  return () => {
    input.off('end', watch);
    clearInterval(timer);
  };
}
