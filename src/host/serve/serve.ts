import { userContent } from '../../agent/messages/api-messages.ts';
import { Aborted } from '../../util/abort.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';
import { within } from '../../util/timer.ts';
import { AbortError, type HeddleError, toHeddleError } from '../../wire/errors.ts';
import { Peer } from '../../wire/link/peer.ts';
import type { Transport } from '../../wire/link/transport.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { Launch } from '../../wire/run-config.ts';
import { controlHandler } from '../control/control.ts';
import { awaitsInitialize, withInitialize } from '../control/initialize-first.ts';
import type { Engine } from '../engine/engine.ts';
import { openSession } from '../session/open-session.ts';
import type { Session } from '../session/session.ts';
import { EarlyLines } from './early-lines.ts';
import { hostStore } from './host-store.ts';
import { reportFailedStart } from './startup-failure.ts';

export interface ServeEnd {
  /** 0, or 1 when the last result was an error or the run could not start. */
  exitCode: 0 | 1;
  /** Why the run could not start. */
  error?: HeddleError;
}

/**
 * Serves one session over a transport: user lines become turns, control lines are answered, every message of the session
 * is written as it appears. `opened` gets the id of the session once it is open. Resolves when the input has ended and all work is done, or when the signal stopped it: then
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
  opened: (sessionId: string) => void = () => {},
): Promise<ServeEnd> {
  await transport.connect();
  const emit = (message: Message) => transport.write(message as unknown as JsonObject);
  const earlyLines = new EarlyLines();
  const connect = () =>
    new Peer(transport, { newId: () => engine.runtime.ids.uuid(), answersAfterEnd: true, ...earlyLines.handlers });
  // Where the host has the store or brings plugins, opening the session needs the connection. Otherwise it opens first.
  const isAwaiting = awaitsInitialize(launch.config);
  const isHostStored = launch.config.sessionStore === 'host';
  const early = isHostStored || isAwaiting ? connect() : null;
  let session: Session;
  try {
    const store = early && isHostStored ? hostStore(early) : null;
    const whole = early && isAwaiting ? await withInitialize(launch, earlyLines.first, early) : launch;
    session = await openSession(engine, whole, emit, { signal, ...(store && { store }) });
  } catch (thrown) {
    const error = thrown instanceof Aborted ? new AbortError() : toHeddleError(thrown);
    await reportFailedStart(engine, launch, error, emit);
    return { exitCode: 1, error };
  }
  opened(session.main.services.id);
  const passedOn = earlyLines.open({
    onRequest: controlHandler(session),
    // Called at once, so that user lines and control lines take effect in their order.
    onMessage: (line) => acceptLine(line, session),
    onBadLine: (error) => session.reportBadInput(error.message),
  });
  const peer = early ?? connect();
  session.main.services.link.attach(peer);
  const onStop = () => session.stop(signal.reason instanceof Aborted ? signal.reason : new Aborted('shutdown'));
  if (signal.aborted) onStop();
  else signal.addEventListener('abort', onStop, { once: true });
  let isInputBroken = false;
  passedOn
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

/** How long answers to the host's requests may still take when everything else is over. */
const ANSWER_GRACE_MS = 2000;

/** Resolves when the input has ended, rejects when it broke off. The lines themselves go to `onMessage`. */
async function inputEnd(peer: Peer): Promise<void> {
  await peer.messages[Symbol.asyncIterator]().next();
}

/** Any other line than a user message gets an error line on the wire. It never ends the process. */
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

/** The most common line needs no schema, so that most runs do not load the schemas. */
function isPlainText({ message, ...rest }: JsonObject): boolean {
  const isBare = Object.keys(rest).every((key) => key === 'type');
  return isBare && isObject(message) && message.role === 'user' && typeof message.content === 'string';
}

async function acceptChecked(line: JsonObject, session: Session): Promise<void> {
  const { checkedInput } = await import('./parse-user-line.ts');
  const input = await checkedInput(line, session);
  if (input) submitIfSaying(input, session);
}

function submitIfSaying(input: UserInput, session: Session): void {
  if (userContent(input.message).length === 0) session.reportBadInput('A user message says nothing');
  else session.submit(input);
}
