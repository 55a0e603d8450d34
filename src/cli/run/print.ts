import type { Engine } from '../../host/engine/engine.ts';
import { inProcess } from '../../host/serve/in-process.ts';
import { Aborted } from '../../util/abort.ts';
import type { JsonObject } from '../../util/json.ts';
import { HeddleError } from '../../wire/errors.ts';
import { LineWriter } from '../../wire/link/jsonl.ts';
import { Peer } from '../../wire/link/peer.ts';
import type { Launch, OutputFormat, RunConfig } from '../../wire/run-config.ts';
import type { CliLogger } from '../terminal/logger.ts';
import type { Person } from '../terminal/person.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Renderer } from '../terminal/renderer.ts';
import { commandText, type RunText, resultText, resumedLines } from '../terminal/result-text.ts';
import { createAgentTree } from './agent-tree.ts';

export interface PrintInput {
  /** Null: the launch continues a turn, and there is no message. */
  prompt: string | null;
  logger: CliLogger;
  /**
   * The person at the terminal, who reads along and answers questions; null: calls that would need a question are
   * denied.
   */
  person: Person | null;
}

/**
 * `heddle -p PROMPT`, and `heddle PROMPT` in a terminal: a client like any other, over a linked pair to an engine in
 * this process. Sends the prompt, ends the input and prints the output in the chosen format.
 */
export async function runPrint(
  engine: Engine,
  launch: Launch,
  { prompt, logger, person }: PrintInput,
  stop: AbortController,
): Promise<number> {
  const out = new LineWriter(process.stdout);
  out.onFailure(() => stop.abort(new Aborted('shutdown', 'The reader of stdout is gone')));
  const renderer = person?.renderer ?? rendererOf(launch.config, out);
  const progress = person ? person.progress : await progressOf(launch.config, logger, stop.signal);
  // The display follows the model word by word; these lines change nothing else of the run.
  const partials = progress ? { includePartialMessages: true } : {};
  const config = { ...launch.config, ...partials, ...person?.config };
  const transport = inProcess(engine, stop.signal)({ ...launch, config });
  // In the other formats the user waits for one text or one result, and would not see the reason of a delay.
  const showsRetries = progress || config.outputFormat === 'stream-json';
  let broken: unknown = null;
  const peer = new Peer(transport, {
    newId: () => engine.runtime.ids.uuid(),
    onMessage(message) {
      progress?.note(message);
      if (message.subtype === 'api_retry' && !showsRetries) {
        logger.log('warn', `${message.message ?? message.error} (retry ${message.attempt} of ${message.max_retries})`);
      }
      return renderer.show(message)?.catch((error) => {
        broken ??= error;
      });
    },
    onRequest: person?.onRequest ?? refuseRequest,
  });
  try {
    if (prompt !== null) await transport.write({ type: 'user', message: { role: 'user', content: prompt } });
    // A person still answers questions after the last prompt: the end of the input is not the end of control.
    if (person)
      peer.call({ subtype: 'end_input' }).catch(() => {}); // the run had already ended
    else transport.endInput();
    await peer.done;
  } finally {
    progress?.end();
  }
  // A reader that is gone (`closed`) has already stopped the run; there is no one left to notify.
  if (broken && !(HeddleError.isInstance(broken) && broken.code === 'closed')) throw broken;
  if (!broken) await renderer.end();
  await out.flush();
  if (out.failed) return 1; // exit 0 means that the result was delivered
  const exit = await transport.exit;
  if (exit.stderr && !renderer.hasReportedFailure()) reportStartFailure(exit.stderr, launch.config);
  return exit.code ?? 1;
}

/** People get the message with the prefix of this program, programs get it unchanged. */
function reportStartFailure(message: string, { outputFormat = 'text' }: RunConfig): void {
  if (outputFormat === 'text') throw new HeddleError('other', message);
  process.stderr.write(`${message}\n`);
}

function refuseRequest({ subtype }: { subtype: string }): never {
  throw new HeddleError('not_supported', `Print mode cannot answer ${subtype}`);
}

/** For people who wait for a text. */
async function progressOf(
  { outputFormat = 'text', noProgress }: RunConfig,
  logger: CliLogger,
  signal: AbortSignal,
): Promise<Progress | null> {
  if (outputFormat !== 'text' || noProgress || !process.stderr.isTTY) return null;
  const { openProgress } = await import('../terminal/person.ts');
  const progress = openProgress(signal);
  if (progress) logger.beforeLine = progress.erase;
  return progress;
}

/** The renderer of the requested format; with `--verbose` a text run prints the tree of agents at its end. */
function rendererOf(config: RunConfig, out: LineWriter): Renderer {
  const { outputFormat = 'text', verbose = false } = config;
  const renderer = renderers[outputFormat](out, verbose);
  if (outputFormat !== 'text' || !verbose) return renderer;
  const tree = createAgentTree({ isResumed: config.resume !== undefined || config.continue === true });
  return {
    ...renderer,
    show(message) {
      tree.note(message);
      return renderer.show(message);
    },
    async end() {
      await renderer.end();
      for (const line of tree.lines()) process.stderr.write(`${line}\n`);
    },
  };
}

/** A resume that had to leave something out, or found nothing, is reported before the answer. */
function reportResume(report: JsonObject): void {
  for (const line of resumedLines(report)) process.stderr.write(`${line}\n`);
}

/** Whether stdout and stderr go to the same terminal. */
function isOneTerminal(): boolean {
  return process.stdout.isTTY === true && process.stderr.isTTY === true;
}

const renderers: Record<OutputFormat, (out: LineWriter, verbose: boolean) => Renderer> = {
  'stream-json': (out) => {
    let hasResult = false;
    return {
      show(message) {
        hasResult ||= message.type === 'result';
        return out.write(message);
      },
      end: () => {},
      hasReportedFailure: () => hasResult,
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
      hasReportedFailure: () => messages.length > 0,
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
        if (message.subtype === 'resume_report') reportResume(message);
        said = commandText(message) ?? said;
      },
      async end() {
        if (!result) return;
        const view = { isTerminal: isOneTerminal(), denied, commands };
        const { stdout, stderr } = said && result.is_error !== true ? said : resultText(result, view);
        if (stdout !== null) await out.writeText(`${stdout}\n`);
        if (stderr !== null) process.stderr.write(`${stderr}\n`);
      },
      hasReportedFailure: () => result !== null,
    };
  },
};
