import type { Writable } from 'node:stream';
import { Aborted } from '../util/abort.ts';
import type { JsonObject } from '../util/json.ts';
import { messageOf } from '../util/message-of.ts';
import { printable } from '../util/printable.ts';
import type { Processes, ProcessOutcome } from '../util/process.ts';
import type { Logger } from '../util/runtime.ts';
import { within } from '../util/timer.ts';
import { HeddleError } from '../wire/errors.ts';
import { encodeLine, LineDecoder, parseLine } from '../wire/jsonl.ts';
import type { McpLink } from './client.ts';
import { MAX_MESSAGE_BYTES, MAX_UNREAD_BYTES } from './limits.ts';
import { PendingRequests } from './pending-requests.ts';

export interface StdioLinkOptions {
  serverName: string;
  command: string;
  args: readonly string[];
  cwd: string;
  /** All that the server finds in its environment. */
  env: Readonly<Record<string, string | undefined>>;
  processes: Pick<Processes, 'run'>;
  log: Logger;
  /** Takes what the server says by itself; resolves with the response, if there is one. */
  receive(message: JsonObject): Promise<JsonObject | null>;
  /** The server has ended, or could not be started. Not told once `close` was called. */
  onLost(reason: Error): void;
  /** Of one message. */
  maxBytes?: number;
  /** Of answers that the server has not read. */
  maxUnreadBytes?: number;
}

/** How long a server has to end by itself once its input is over. */
const EOF_MS = 500;
/** What is kept of what a server says on stderr, and shown when it fails. */
const KEPT_WORDS = 4000;
const SHOWN_WORDS = 600;
const SHOWN_GARBAGE = 120;

/**
 * Runs a server as a process of its own and speaks with it over its standard streams, a message a line. It starts at
 * once. Nothing of it outlives `close`: its input is ended, and what does not go by itself is ended with all its children.
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
  /** Bytes of answers that wait until the server reads them. */
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
      // Whose answer it was cannot be known: whoever waits would wait in vain.
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

  /** A server that asks on and on and never reads what it is answered would fill our memory. */
  function giveUp(): void {
    if (stop.signal.aborted) return;
    givenUp = new Error(`it asks without reading the answers: more than ${maxUnreadBytes} bytes of them wait for it`);
    stop.abort(new Aborted('shutdown'));
  }

  /** Many servers log to the wrong stream; that is said once, and they work all the same. */
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

interface RunSeams {
  onInput(stdin: Writable): void;
  onOutput(stream: 'stdout' | 'stderr', data: Buffer): void;
  signal: AbortSignal;
}

/** Resolves with why it is over, however that came. */
async function run(options: StdioLinkOptions, { signal, ...seams }: RunSeams): Promise<Error> {
  const { command, args, cwd, env, processes } = options;
  try {
    return new Error(endOf(await processes.run({ command, args, cwd, env, ...seams, endsTree: true }, signal)));
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
