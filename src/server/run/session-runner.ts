import type { Engine } from '../../host/engine/engine.ts';
import type { JsonObject } from '../../util/json.ts';
import { toHeddleError } from '../../wire/errors.ts';
import type { Launch, RunConfig } from '../../wire/run-config.ts';
import type { ServerStore } from '../ports/server-store.ts';
import type { SessionRecord } from '../ports/session-records.ts';
import type { Activation, RunActivation } from '../ports/turn-engine.ts';
import type { Drivers } from './drivers.ts';
import { linesOfOpening, settleEarlierTurn } from './earlier-turn.ts';
import { fencedStore } from './fenced-store.ts';
import { LiveSession } from './live-session.ts';
import { failedResult } from './made-results.ts';

export interface RunnerOptions {
  engine: Engine;
  store: ServerStore;
  drivers: Drivers;
  /** The configuration of every session; fields of the session win over it. */
  defaults: RunConfig;
  /** How long a session stays open when nothing of it is at work. */
  warmMs?: number;
}

export interface SessionRunner {
  run: RunActivation;
  /** Closes the session if it is open, so that others can open it. */
  close(sessionId: string): Promise<void>;
  /** Closes the sessions that are open and rest. */
  closeAll(): Promise<void>;
  /** How many sessions are open and rest. */
  readonly resting: number;
}

const WARM_MS = 60_000;
/** So many sessions stay open when nothing of them is at work. */
const MOST_WARM = 50;

interface Warm {
  live: LiveSession;
  /** What it was opened with. */
  made: string;
  timer: ReturnType<typeof setTimeout>;
}

/** Runs the sessions of a server with an engine. A session that rests stays open for a while, for its next message. */
export function sessionRunner(options: RunnerOptions): SessionRunner {
  const { store, warmMs = WARM_MS } = options;
  const warm = new Map<string, Warm>();

  const take = (sessionId: string): Warm | null => {
    const found = warm.get(sessionId) ?? null;
    warm.delete(sessionId);
    clearTimeout(found?.timer);
    return found;
  };
  const close = async (sessionId: string) => take(sessionId)?.live.finish();
  const keep = (sessionId: string, live: LiveSession, made: string) => {
    const timer = setTimeout(() => void close(sessionId), warmMs).unref();
    warm.set(sessionId, { live, made, timer });
    live.ended.then(() => {
      if (warm.get(sessionId)?.live === live) warm.delete(sessionId);
    });
    const [oldest] = warm.keys();
    if (warm.size > MOST_WARM && oldest !== undefined) void close(oldest);
  };

  async function run(activation: Activation): Promise<void> {
    const { sessionId, previous } = activation;
    const record = await store.sessions.find(sessionId);
    const found = take(sessionId);
    if (!record) {
      await found?.live.finish();
      return withdrawAll(activation, store);
    }
    const made = JSON.stringify([record.config, record.initialize, record.workspace]);
    let live: LiveSession | null = null;
    if (found && found.live.epoch === previous && found.made === made && found.live.isReady()) live = found.live;
    else await found?.live.finish();
    live ??= await open(activation, record, options);
    if (!live) return;
    try {
      await live.work(activation);
    } catch (error) {
      live.abandon();
      await live.ended;
      await answerFailure(activation, error, options);
      return;
    }
    if (activation.lost.aborted || activation.drain.aborted) await live.finish();
    else keep(sessionId, live, made);
  }

  return {
    run,
    close: async (sessionId) => void (await close(sessionId)),
    closeAll: async () => void (await Promise.all([...warm.keys()].map(close))),
    get resting() {
      return warm.size;
    },
  };
}

/** Null: nothing is left to do. */
async function open(
  activation: Activation,
  record: SessionRecord,
  { engine, store, drivers, defaults }: RunnerOptions,
): Promise<LiveSession | null> {
  const { sessionId, lost } = activation;
  const base = launchOf(record, engine, defaults);
  const key = { project: record.workspace.path, sessionId };
  const transcripts = fencedStore(await engine.storeOf(base), sessionId, () => lost.aborted);
  const { log, ids } = engine.runtime;
  const newId = () => ids.uuid();
  const past = await settleEarlierTurn(activation, key, { ...store, transcripts, newId, log });
  if (past.continues) await store.turns.begin(activation, past.recorded);
  const fenced: Engine = { ...engine, storeOf: () => transcripts };
  return new LiveSession(activation, {
    ...{ engine: fenced, store, transcripts, drivers, key, initialize: record.initialize },
    launch: { ...base, config: { ...base.config, ...resuming(sessionId, past) } },
    continued: past.continues ? past.recorded : null,
    unsaid: past.isLeft ? () => linesOfOpening(activation, key, { transcripts, events: store.events, log }) : null,
  });
}

function resuming(sessionId: string, { isStored, continues }: { isStored: boolean; continues: boolean }): RunConfig {
  if (!isStored) return { sessionId };
  return { resume: sessionId, onMissing: 'fresh', ...(continues && { continueTurn: true }) };
}

/** The launch of a session: only its clients and its operator decide about it, and questions come to the server. */
function launchOf({ config, workspace }: SessionRecord, engine: Engine, defaults: RunConfig): Launch {
  const cwd = workspace.path;
  const whole: RunConfig = { replayUserMessages: true, includePartialMessages: true, ...defaults, ...config };
  const asked: RunConfig = whole.permissionPrompts === 'none' ? {} : { permissionPromptTool: 'stdio' };
  // The lines about the state of the session are for the server, as they are for the SDK.
  const env = { ...engine.envOf({ config, cwd }), CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' };
  return { config: { ...whole, ...asked }, cwd, env };
}

/** Passing trouble: another run will fare better. */
const PASSING: ReadonlySet<string> = new Set(['session_busy', 'session_taken', 'storage_failed', 'aborted', 'closed']);

/** A session that cannot be opened says so in a result, so that nobody waits for an answer. */
async function answerFailure(
  activation: Activation,
  thrown: unknown,
  { engine, store }: Pick<RunnerOptions, 'engine' | 'store'>,
): Promise<void> {
  const error = toHeddleError(thrown);
  if (PASSING.has(error.code) || activation.lost.aborted) throw thrown;
  const { sessionId } = activation;
  const rows = await store.inbox.open(sessionId);
  const messages = rows.map(({ uuid }) => uuid);
  if (messages.length === 0) return;
  engine.runtime.log('warn', `Session ${sessionId} cannot be opened: ${error.message}`);
  const result: JsonObject = failedResult(error, { sessionId, uuid: engine.runtime.ids.uuid(), messages });
  await store.turns.begin(activation, messages);
  await store.events.append(activation, [result]);
  await store.turns.end(activation, { result, state: 'ended', messages });
}

/** The session is gone, and nobody waits for answers. */
async function withdrawAll(activation: Activation, store: ServerStore): Promise<void> {
  const rows = await store.inbox.open(activation.sessionId);
  await store.inbox.settle(
    activation,
    rows.map(({ uuid }) => uuid),
    'cancelled',
  );
}
