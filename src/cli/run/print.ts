import type { Engine } from '../host/engine.ts';
import { inProcess } from '../host/in-process.ts';
import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import { LineWriter } from '../wire/jsonl.ts';
import { Peer } from '../wire/peer.ts';
import type { Launch, OutputFormat, RunConfig } from '../wire/run-config.ts';
import type { CliLogger } from './logger.ts';
import type { Progress } from './progress.ts';
import { commandText, type RunText, resultText } from './result-text.ts';
import type { Person } from './terminal/person.ts';

export interface PrintInput {
  prompt: string;
  logger: CliLogger;
  /** Somebody sits at the terminal, reads along and can be asked; null: what would have to be asked is denied. */
  person: Person | null;
}

/**
 * `heddle -p PROMPT`, and `heddle PROMPT` in a terminal: a client like any other, over a linked pair to an engine in this
 * process. Sends the prompt, ends the input and shows what comes back in the chosen format.
 */
export async function runPrint(
  engine: Engine,
  launch: Launch,
  { prompt, logger, person }: PrintInput,
  stop: AbortController,
): Promise<number> {
  const out = new LineWriter(process.stdout);
  out.onFailure(() => stop.abort(new Aborted('shutdown', 'The reader of stdout is gone')));
  const face = person?.face ?? (await faceOf(launch.config, out));
  const progress = person ? person.progress : await progressOf(launch.config, logger, stop.signal);
  // The display follows the model word by word; nothing else of the run changes with these lines.
  const partials = progress ? { includePartialMessages: true } : {};
  const config = { ...launch.config, ...partials, ...person?.config };
  const transport = inProcess(engine, stop.signal)({ ...launch, config });
  // Elsewhere somebody waits for one text or one result, and sees nothing of why it does not come.
  const showsRetries = progress || config.outputFormat === 'stream-json';
  let broken: unknown = null;
  const peer = new Peer(transport, {
    newId: () => engine.runtime.ids.uuid(),
    onMessage(message) {
      progress?.note(message);
      if (message.subtype === 'api_retry' && !showsRetries) {
        logger.log('warn', `${message.message ?? message.error} (retry ${message.attempt} of ${message.max_retries})`);
      }
      return face.show(message)?.catch((error) => {
        broken ??= error;
      });
    },
    onRequest: person?.onRequest ?? refuseRequest,
  });
  try {
    await transport.write({ type: 'user', message: { role: 'user', content: prompt } });
    // A person still answers questions when nothing more is said: the end of the input is not the end of control.
    if (person)
      peer.call({ subtype: 'end_input' }).catch(() => {}); // the run was over before
    else transport.endInput();
    await peer.done;
  } finally {
    progress?.end();
  }
  // A reader that is gone (`closed`) has stopped the run already; there is nobody left to tell.
  if (broken && !(HeddleError.isInstance(broken) && broken.code === 'closed')) throw broken;
  if (!broken) await face.end();
  await out.flush();
  if (out.failed) return 1; // exit 0 means that the result was delivered (trust P-19)
  const exit = await transport.exit;
  if (exit.stderr && !face.toldFailure()) tellStartFailure(exit.stderr, launch.config);
  return exit.code ?? 1;
}

/** People get it with the prefix of this program, programs as it is. */
function tellStartFailure(message: string, { outputFormat = 'text' }: RunConfig): void {
  if (outputFormat === 'text') throw new HeddleError('other', message);
  process.stderr.write(`${message}\n`);
}

function refuseRequest({ subtype }: { subtype: string }): never {
  throw new HeddleError('not_supported', `Print mode cannot answer ${subtype}`);
}

/** For people who wait for a text; nothing of it is loaded for others. */
async function progressOf(
  { outputFormat = 'text', noProgress }: RunConfig,
  logger: CliLogger,
  signal: AbortSignal,
): Promise<Progress | null> {
  if (outputFormat !== 'text' || noProgress || !process.stderr.isTTY) return null;
  const progress = (await import('./progress.ts')).openProgress(signal);
  if (progress) logger.beforeLine = progress.erase;
  return progress;
}

/** As asked for; with `--verbose` a text run tells at its end who has done what. */
async function faceOf(config: RunConfig, out: LineWriter): Promise<Face> {
  const { outputFormat = 'text', verbose = false } = config;
  const face = faces[outputFormat](out, verbose);
  if (outputFormat !== 'text' || !verbose) return face;
  const { createAgentTree } = await import('./agent-tree.ts');
  const tree = createAgentTree({ isResumed: config.resume !== undefined || config.continue === true });
  return {
    ...face,
    show(message) {
      tree.note(message);
      return face.show(message);
    },
    async end() {
      await face.end();
      for (const line of tree.lines()) process.stderr.write(`${line}\n`);
    },
  };
}

/** How one output format shows a run. */
export interface Face {
  show(message: JsonObject): Promise<void> | undefined;
  end(): Promise<void> | void;
  /** Whether the reason of a failed start has reached stdout or stderr. */
  toldFailure(): boolean;
}

/** A resume that had to leave something out, or found nothing, is told before the answer. */
async function tellResumed(report: JsonObject): Promise<void> {
  const { resumedLines } = await import('./trouble-text.ts');
  for (const line of resumedLines(report)) process.stderr.write(`${line}\n`);
}

/** Whether what goes to stdout and what goes to stderr is read at the same place. */
function isOneTerminal(): boolean {
  return process.stdout.isTTY === true && process.stderr.isTTY === true;
}

const faces: Record<OutputFormat, (out: LineWriter, verbose: boolean) => Face> = {
  'stream-json': (out) => {
    let told = false;
    return {
      show(message) {
        told ||= message.type === 'result';
        return out.write(message);
      },
      end: () => {},
      toldFailure: () => told,
    };
  },
  json(out, verbose) {
    const messages: JsonObject[] = [];
    return {
      show(message) {
        if (verbose) messages.push(message);
        else if (message.type === 'result') messages.splice(0, messages.length, message);
        return undefined;
      },
      async end() {
        if (messages.length > 0) await out.writeText(`${JSON.stringify(verbose ? messages : messages[0])}\n`);
      },
      toldFailure: () => messages.length > 0,
    };
  },
  text(out) {
    let result: JsonObject | null = null;
    let said: RunText | null = null;
    const denied: JsonObject[] = [];
    let commands: unknown;
    return {
      async show(message) {
        if (message.type === 'result') result = message;
        if (message.subtype === 'init') commands = message.slash_commands;
        if (message.subtype === 'permission_denied') denied.push(message);
        if (message.subtype === 'resume_report') await tellResumed(message);
        said = commandText(message) ?? said;
      },
      async end() {
        if (!result) return;
        const view = { isTerminal: isOneTerminal(), denied, commands };
        const { stdout, stderr } = said && result.is_error !== true ? said : await resultText(result, view);
        if (stdout !== null) await out.writeText(`${stdout}\n`);
        if (stderr !== null) process.stderr.write(`${stderr}\n`);
      },
      toldFailure: () => result !== null,
    };
  },
};
