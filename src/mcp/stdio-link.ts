import type { Writable } from 'node:stream';
import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import type { Processes, ProcessOutcome } from '../util/process/process.ts';
import type { Logger } from '../util/runtime.ts';
import { printable } from '../util/text/printable.ts';
import { within } from '../util/timer.ts';
import { HeddleError } from '../wire/errors.ts';
import { encodeLine, LineDecoder, parseLine } from '../wire/link/jsonl.ts';
import type { McpLink } from './client.ts';
import { MAX_MESSAGE_BYTES, MAX_UNREAD_BYTES } from './limits.ts';
import { PendingRequests } from './pending-requests.ts';

export interface StdioLinkOptions {
  serverName: string;
  command: string;
  args: readonly string[];
  cwd: string;
  /** The complete environment of the server. */
  env: Readonly<Record<string, string | undefined>>;
  processes: Pick<Processes, 'run'>;
  log: Logger;
  /** Takes a message that the server sends on its own; resolves with the response, if there is one. */
  receive(message: JsonObject): Promise<JsonObject | null>;
  /** The server has ended, or could not be started. Not called once `close` was called. */
  onLost(reason: Error): void;
  /** The limit for one message. */
  maxBytes?: number;
  /** The limit for answers that the server has not read. */
  maxUnreadBytes?: number;
}

/** How long a server has to exit by itself once its input has ended. */
const EOF_MS = 500;
/** How much of a server's stderr is kept, to be shown when it fails. */
const KEPT_WORDS = 4000;
const SHOWN_WORDS = 600;
const SHOWN_GARBAGE = 120;

/**
 * Runs a server as a child process and exchanges one message per line over its standard streams. It starts at once.
 * Nothing outlives `close`: it ends the server's input, and kills the process with all its children if it does not
 * exit.
 */
export function stdioLink(options: StdioLinkOptions): McpLink {
  const { serverName, log, receive, maxBytes = MAX_MESSAGE_BYTES, maxUnreadBytes = MAX_UNREAD_BYTES } = options;
  const pending = new PendingRequests();
  const decoder = new LineDecoder({ maxBytes });
  const stop = new AbortController();
  let input: Writable | null = null;
  let onInput: (stdin: Writable) => void = () => {};
  const started = new Promise<void>((resolve) => {
    onInput = (stdin) => {
      input = stdin;
      resolve();
    };
  });
  let lastWords = '';
  let garbage = 0;
  let lost: Error | null = null;
  let givenUp: Error | null = null;
  /** Bytes of answers that the server has not read yet. */
  let unread = 0;
  let isClosing = false;

  const gone = run(options, { onInput, onOutput, signal: stop.signal }).then((reason) => {
    lost = withLastWords(givenUp ?? reason, lastWords);
    pending.failAll(lost);
    if (!isClosing) options.onLost(lost);
  });

  function onOutput(stream: 'stdout' | 'stderr', data: Buffer): void {
    if (stream === 'stderr') {
      const text = data.toString();
      lastWords = `${lastWords}${text}`.slice(-KEPT_WORDS);
      log('debug', `MCP server ${serverName}: ${text.slice(0, KEPT_WORDS).trimEnd()}`);
      return;
    }
    for (const line of decoder.push(data)) take(parseLine(line), 'text' in line ? line.text : '');
  }

  function take(message: JsonObject | HeddleError, text: string): void {
    if (HeddleError.isInstance(message)) {
      // The request of such an answer is unknown: its caller would wait in vain.
      if (message.code === 'line_too_long')
        pending.failAll(new Error(`it sent a message of more than ${maxBytes} bytes`));
      noteGarbage(text || message.message);
    } else if (typeof message.method === 'string') {
      answer(message).catch((error) => log('debug', `MCP server ${serverName}: ${messageOf(error)}`));
    } else if ('result' in message || 'error' in message) pending.settle(message);
    else noteGarbage(text);
  }

  async function answer(message: JsonObject): Promise<void> {
    const response = await receive(message);
    if (response === null) return;
    const line = encodeLine(response);
    unread += line.length;
    if (unread > maxUnreadBytes) return giveUp();
    await send(line, () => {
      unread -= line.length;
    });
  }

  /** A server that keeps sending requests and never reads the answers would fill the memory. */
  function giveUp(): void {
    if (stop.signal.aborted) return;
    givenUp = new Error(`it asks without reading the answers: more than ${maxUnreadBytes} bytes of them wait for it`);
    stop.abort(new Aborted('shutdown'));
  }

  /** Many servers log to stdout by mistake; this is logged once, and they still work. */
  function noteGarbage(text: string): void {
    const level = garbage++ === 0 ? 'warn' : 'debug';
    const shown = printable(text.slice(0, SHOWN_GARBAGE));
    log(level, `The MCP server ${serverName} writes something else than messages to its stdout; skipped: ${shown}`);
  }

  async function send(line: string, onRead?: () => void): Promise<void> {
    if (!input) await Promise.race([started, gone]);
    if (lost || !input?.writable) throw lost ?? new Error('it has closed its input');
    input.write(line, onRead);
  }

  return {
    request(message, signal) {
      const response = pending.wait(message.id, signal);
      send(encodeLine(message)).catch((error) => pending.fail(message.id, error));
      return response;
    },
    notify: (message) => send(encodeLine(message)),
    async close() {
      isClosing = true;
      input?.end();
      await within(EOF_MS, gone);
      stop.abort(new Aborted('shutdown'));
      await gone;
    },
  };
}

interface RunDependencies {
  onInput(stdin: Writable): void;
  onOutput(stream: 'stdout' | 'stderr', data: Buffer): void;
  signal: AbortSignal;
}

/** Resolves with the reason of the end, whatever it was. */
async function run(options: StdioLinkOptions, { signal, ...dependencies }: RunDependencies): Promise<Error> {
  const { command, args, cwd, env, processes } = options;
  try {
    return new Error(endOf(await processes.run({ command, args, cwd, env, ...dependencies, endsTree: true }, signal)));
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

function endOf({ exitCode, signal }: ProcessOutcome): string {
  return signal === null ? `it ended with the exit code ${exitCode}` : `it was ended by ${signal}`;
}

function withLastWords(reason: Error, words: string): Error {
  const said = words.trim();
  if (said === '') return reason;
  const lines = printable(said.slice(-SHOWN_WORDS).replaceAll(/\s*\n\s*/g, ' | '));
  return new Error(`${reason.message}. Its last words: ${lines}`, { cause: reason });
}
