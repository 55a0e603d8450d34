import { userContent } from '../agent/conversation.ts';
import { Aborted } from '../util/abort.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';
import { within } from '../util/timer.ts';
import { AbortError, type HeddleError, toHeddleError } from '../wire/errors.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import { Peer, type RequestHandler } from '../wire/peer.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import type { Transport } from '../wire/transport.ts';
import type { Engine } from './engine.ts';
import { Reception } from './reception.ts';
import { openSession, type Session } from './session.ts';

export interface ServeEnd {
  /** 0, or 1 when the last result was an error or the run could not start (ruling K6). */
  exitCode: 0 | 1;
  /** Why the run could not start. */
  error?: HeddleError;
}

/**
 * Serves one session over a transport: user lines become turns, control lines are answered, every message of the session
 * is written as it appears. Resolves when the input has ended and all work is done, or when the signal stopped it: then
 * a running turn is interrupted and still ends with its result.
 *
 * @example
 * ```ts
 * import type { Transport } from 'heddle';
 *
 * // An agent behind any connection: a socket, a pipe, a queue.
 * async function serveOne(transport: Transport): Promise<number> {
 *   const engine = createEngine({ cwd: process.cwd(), env: process.env });
 *   const { exitCode } = await serve(engine, transport, { config: { model: 'offline' } }, new AbortController().signal);
 *   return exitCode;
 * }
 * ```
 */
export async function serve(
  engine: Engine,
  transport: Transport,
  launch: Launch,
  signal: AbortSignal,
): Promise<ServeEnd> {
  await transport.connect();
  const emit = (message: Message) => transport.write(message as unknown as JsonObject);
  const reception = new Reception();
  const connect = () =>
    new Peer(transport, { newId: () => engine.runtime.ids.uuid(), answersAfterEnd: true, ...reception.handlers });
  // A session whose store or plugins lie behind the connection cannot be opened without it; any other one comes first.
  const isAwaiting = launch.config.awaitInitialize || launch.config.managedSettingsInInitialize;
  const isHostStored = launch.config.sessionStore === 'host';
  const early = isHostStored || isAwaiting ? connect() : null;
  let session: Session;
  try {
    const store = early && isHostStored ? (await import('./host-store.ts')).hostStore(early) : null;
    const whole =
      early && isAwaiting
        ? await (await import('./initialize-first.ts')).withInitialize(launch, reception, early)
        : launch;
    session = await openSession(engine, whole, emit, { signal, ...(store && { store }) });
  } catch (thrown) {
    const error = thrown instanceof Aborted ? new AbortError() : toHeddleError(thrown);
    await (await import('./startup-failure.ts')).tellFailedStart(engine, launch, error, emit);
    return { exitCode: 1, error };
  }
  const onRequest = await requestHandler(session, launch.config);
  const opened = reception.open({
    onRequest,
    // At once, so that user lines and control lines take effect in the order in which they came.
    onMessage: (line) => acceptLine(line, session),
    onBadLine: (error) => session.reportBadInput(error.message),
  });
  const peer = early ?? connect();
  session.attach(peer);
  const onStop = () => session.stop(signal.reason instanceof Aborted ? signal.reason : new Aborted('shutdown'));
  if (signal.aborted) onStop();
  else signal.addEventListener('abort', onStop, { once: true });
  let isInputBroken = false;
  opened
    .then(() => inputEnd(peer))
    .catch((error) => {
      isInputBroken = true;
      engine.runtime.log('error', `Reading the input failed: ${toHeddleError(error).message}`);
    })
    .finally(() => session.endInput());
  const end = await session.finished;
  signal.removeEventListener('abort', onStop);
  await within(ANSWER_GRACE_MS, peer.answered());
  return { exitCode: end.lastResultIsError || isInputBroken ? 1 : 0 };
}

/** A run whose input is a text is asked nothing, and loads nothing that would answer. */
async function requestHandler(session: Session, { inputFormat }: RunConfig): Promise<RequestHandler> {
  const load = async () => (await import('./control.ts')).controlHandler(session);
  if (inputFormat !== 'text') return load();
  return async (request, context) => (await load())(request, context);
}

/** How long what the host has asked may still take when everything else is over. */
const ANSWER_GRACE_MS = 2000;

/** Resolves when the input has ended, rejects when it broke off. The lines themselves go to `onMessage`. */
async function inputEnd(peer: Peer): Promise<void> {
  await peer.messages[Symbol.asyncIterator]().next();
}

/** A line that is no user message is an error line on the wire, never the end of the process (ruling K23). */
function acceptLine(line: JsonObject, session: Session): Promise<void> | undefined {
  if (line.type !== 'user') {
    const type = stringField(line, 'type') ?? 'unknown';
    session.reportBadInput(`Lines of type '${type}' are not understood here; expected 'user' or control lines`);
    return undefined;
  }
  if (!isPlainText(line)) return acceptChecked(line, session);
  submitIfSaying(line as unknown as UserInput, session);
  return undefined;
}

/** The commonest line needs no schema, and a run with nothing else does not load them. */
function isPlainText({ message, ...rest }: JsonObject): boolean {
  const isBare = Object.keys(rest).every((key) => key === 'type');
  return isBare && isObject(message) && message.role === 'user' && typeof message.content === 'string';
}

async function acceptChecked(line: JsonObject, session: Session): Promise<void> {
  const { checkedInput } = await import('./checked-input.ts');
  const input = await checkedInput(line, session);
  if (input) submitIfSaying(input, session);
}

function submitIfSaying(input: UserInput, session: Session): void {
  if (userContent(input.message).length === 0) session.reportBadInput('A user message says nothing');
  else session.submit(input);
}
