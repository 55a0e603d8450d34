import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attachment } from '../../agent/attachment.ts';
import type { LedgerState } from '../../agent/ledger.ts';
import type { Transcript } from '../../agent/messages/recorder.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { Lease, SessionKey, SessionStore } from '../../sessions/store.ts';
import { createUnsavedStore } from '../../sessions/stores/unsaved-store.ts';
import { createChain } from '../../sessions/tree/chain.ts';
import type { StoredCheckpoints } from '../../sessions/tree/checkpoint-entries.ts';
import type { DeferredCall } from '../../sessions/tree/deferred-calls.ts';
import { repairEntries } from '../../sessions/tree/repair-calls.ts';
import type { UnfinishedTurn } from '../../sessions/tree/unfinished-turn.ts';
import type { Entry } from '../../wire/entries.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { Launch, RunConfig } from '../../wire/run-config.ts';
import { WIRE_VERSION } from '../../wire/version.ts';
import type { Engine } from '../engine/engine.ts';
import { gitBranch } from '../engine/git-branch.ts';
import type { Emit } from '../link/outbox.ts';
import { chooseSession, isResuming, type SessionChoice } from './choose-session.ts';
import { mirroring } from './mirror-store.ts';
import { missingReport, type ResumeReport, withUnfinished } from './resume-report.ts';
import type { SessionSource } from './resume-source.ts';
import type { SettledCalls } from './settle-calls.ts';
import type { HistoryOptions, StoredHistory } from './stored-history.ts';
import { takeLease } from './take-lease.ts';

/** What a stored session brings to the process that resumes it. Empty for a new session. */
export interface RestoredState {
  messages: ApiMessage[];
  /** The permission mode in which the session was left; null: the user never changed it. */
  lastMode: string | null;
  /** The messages that compactions have replaced; empty unless one of them contains this word. */
  earlier(word: string): Promise<ApiMessage[]>;
  /** Whether the conversation continues from an earlier message than the last one of the file. */
  leafIsChosen: boolean;
  /** The reminders that the model has. */
  reminders: readonly Attachment[];
  /** The file checkpoints of the stored session. */
  checkpoints(): Promise<StoredCheckpoints | null>;
  /** The uuids that the conversation has used so far. */
  uuids: string[];
  /** What the session had cost when it was left. */
  costState: LedgerState | null;
  /** The last title of the session; null: none. A fork has none. */
  title: string | null;
  /** How much of the window the conversation took when it was left; 0 when unknown. */
  lastTokens: number;
}

/** A session's transcript, open for appending. */
export interface OpenTranscript extends Transcript {
  store: SessionStore;
  /** Whether the session existed before this process. */
  isResumed: boolean;
  /** Whether the session outlives this process. */
  isSaved: boolean;
  state: RestoredState;
  /** The stored entries of the conversation; empty unless the host wants them replayed. */
  path: readonly Entry[];
  gitBranch: string | null;
  /** Reads the session again, up to one of its messages. Rejects with `session_not_found` for an unknown message. */
  historyAt(uuid: string): Promise<StoredHistory>;
  /** Problems that the resume found; null: none. */
  report: ResumeReport | null;
  /** The session that this one was forked from, or null. */
  forkedFrom: string | null;
  /** The time of the last answer; null: unknown, or there is none. */
  answeredAt: number | null;
  /** Calls that a hook had deferred when the session was left. The next turn decides about them again. */
  deferred: DeferredCall[];
  /** The turn that was left without its end; null: the last one is complete, or the session is new. */
  unfinished: UnfinishedTurn | null;
  /** The folder of files that belong to the session: the config home, or a temporary folder. */
  filesRoot: string;
  /** The folder of large tool outputs. */
  spillDir: string;
  /** Aborts when another process has taken the session over; null: that cannot happen. */
  lost: AbortSignal | null;
  /** Releases the lease, so that another process can write to the session. Never rejects. */
  release(): Promise<void>;
}

export interface Opening {
  /** The store of this session; absent: the store of the engine. */
  store?: SessionStore;
  /** Receives a copy of every stored entry, if the launch asks for it. */
  mirror?: Emit;
  /** Ends an opening that waits for another process to release the session. */
  signal?: AbortSignal;
}

/**
 * Opens a new, resumed, continued or forked session. Rejects with a HeddleError that names the missing session, or the
 * process that writes to it.
 */
export async function openTranscript(
  engine: Engine,
  launch: Launch,
  cwd: string,
  { store, mirror, signal = new AbortController().signal }: Opening,
): Promise<OpenTranscript> {
  const { config } = launch;
  const { runtime } = engine;
  const mirrored = config.sessionMirror ? mirroring(engine, launch, mirror) : null;
  const located = mirrored?.launch ?? launch;
  const plain = config.noSessionPersistence && !isResuming(config) ? null : (store ?? (await engine.storeOf(located)));
  const stored = mirrored?.wrap(plain) ?? plain;
  const choice = await chooseSession(config, {
    store: stored,
    home: stored && !store && engine.hasOwnStore ? engine.homeOf(located) : null,
    cwd,
    newId: () => runtime.ids.uuid(),
  });
  const { key, lease } = await leaseSelected(engine, config, stored, { choice, cwd, signal });
  try {
    return await openLeased(engine, launch, { choice, key, lease, stored, cwd });
  } catch (error) {
    await lease?.release();
    throw error;
  }
}

/** Only a process that appends to a file needs its lease; a fork has its own file. */
async function leaseSelected(
  engine: Engine,
  config: RunConfig,
  store: SessionStore | null,
  { choice, cwd, signal }: { choice: SessionChoice; cwd: string; signal: AbortSignal },
): Promise<{ key: SessionKey; lease: Lease | null }> {
  const { runtime } = engine;
  const { source, sessionId } = choice;
  // A session that continues in its own file stays in its project.
  const isSame = source?.store === store && source?.key.sessionId === sessionId;
  const key: SessionKey = isSame && source ? source.key : { project: cwd, sessionId };
  if (!store || config.noSessionPersistence) return { key, lease: null };
  const lease = await takeLease(store, key, { onBusy: config.onBusy, runtime, signal });
  if (lease !== 'taken') return { key, lease };
  const forkKey = { project: cwd, sessionId: runtime.ids.uuid() };
  const forkLease = await takeLease(store, forkKey, { onBusy: undefined, runtime, signal });
  return { key: forkKey, lease: forkLease === 'taken' ? null : forkLease };
}

interface LeasedSession {
  choice: SessionChoice;
  key: SessionKey;
  lease: Lease | null;
  stored: SessionStore | null;
  cwd: string;
}

async function openLeased(engine: Engine, launch: Launch, leased: LeasedSession): Promise<OpenTranscript> {
  const { config } = launch;
  const { choice, key, lease, stored, cwd } = leased;
  const { source } = choice;
  const { sessionId } = key;
  const isSaved = stored !== null && !config.noSessionPersistence;
  const store = isSaved ? stored : createUnsavedStore(source);
  const isFork = source !== null && (source.store !== stored || source.key.sessionId !== sessionId);
  const { resumeSessionAt: at, resumeDropsTurn: drops } = config;
  const reading = { at, drops, lean: !isFork && config.replayHistory !== true };
  const history = source ? await loadHistory(engine, source.store, source.key, reading) : null;
  const emptied = source && history && history.leaf === null && history.report === null ? sessionEmpty(source) : null;
  if (emptied && config.onMissing !== 'fresh') throw emptied;
  if (config.continueTurn && !history?.unfinished) throw nothingToContinue();
  if (isSaved && history && isFork) await copyTo(store, key, history);
  const branch = gitBranch(cwd);
  const chain = createChain({
    cwd,
    sessionId,
    version: WIRE_VERSION,
    gitBranch: branch ?? 'HEAD',
    userType: 'external',
    isSidechain: false,
    parentUuid: history?.leaf ?? null,
    clock: engine.runtime.clock,
  });
  if (history?.planName) chain.assignPlanName(history.planName);
  const newId = () => engine.runtime.ids.uuid();
  const open = history ? await settleOpenCalls(history, { store: isFork ? null : store, key, config }) : null;
  const repairs = open && open.unpaired.length > 0 ? repairEntries(open.unpaired, chain, newId) : [];
  if (repairs.length > 0) await store.append(key, repairs);
  const filesRoot = spillRoot(engine, launch);
  return {
    key,
    store,
    isResumed: history !== null,
    isSaved,
    chain,
    state: {
      messages: history?.messages(repairs) ?? [],
      lastMode: history?.lastMode ?? null,
      earlier: async (word) => history?.earlier(word) ?? [],
      leafIsChosen: at !== undefined && !isFork,
      reminders: history?.reminders ?? [],
      checkpoints: async () => history?.checkpoints() ?? null,
      uuids: history?.uuids ?? [],
      costState: isFork ? null : (history?.costState ?? null),
      title: isFork ? null : (history?.title ?? null),
      lastTokens: history?.lastTokens ?? 0,
    },
    path: (config.replayHistory && history?.path) || [],
    gitBranch: branch,
    historyAt: (uuid) => loadHistory(engine, store, key, { at: uuid, lean: true }),
    report: reportOf(choice.missing ?? emptied?.message ?? null, history, config),
    forkedFrom: isFork ? source.key.sessionId : null,
    answeredAt: history?.answeredAt ?? null,
    deferred: open?.toRun ?? [],
    unfinished: history?.unfinished ?? null,
    filesRoot,
    spillDir: join(filesRoot, 'tool-results', sessionId),
    lost: lease?.lost ?? null,
    release: async () => lease?.release(),
  };
}

/** Loads the code that reads stored sessions: most sessions are new, and do without. */
async function loadHistory(
  engine: Engine,
  store: SessionStore,
  key: SessionKey,
  reading: HistoryOptions,
): Promise<StoredHistory> {
  const { readHistory } = await import('./stored-history.ts');
  return readHistory(store, key, { ...reading, log: engine.runtime.log });
}

/** Decides about the open calls. Nothing is known of those that a fork copies: the other session may run them now. */
async function settleOpenCalls(
  history: StoredHistory,
  { store, key, config }: { store: SessionStore | null; key: SessionKey; config: RunConfig },
): Promise<SettledCalls> {
  const { unpaired, deferred } = history;
  if (unpaired.length === 0 || !store?.neverStarted) return { unpaired, toRun: deferred };
  const { settleCalls } = await import('./stored-history.ts');
  return settleCalls(history, { store, key, continues: config.continueTurn === true });
}

/** The entries that a fork copies get its session id and keep their uuids. */
async function copyTo(store: SessionStore, key: SessionKey, history: StoredHistory): Promise<void> {
  const { sessionId } = key;
  const copies = history.path.map((entry) => ('sessionId' in entry ? { ...entry, sessionId } : entry));
  const mode = history.lastMode === null ? [] : [{ type: 'mode', mode: history.lastMode, sessionId }];
  await store.append(key, [...copies, ...mode]);
}

/** The error for a turn that is to be continued, and is complete. */
export function nothingToContinue(): HeddleError {
  const message = 'There is no turn to continue: the last turn of the session is complete. Send a message instead';
  return new HeddleError('nothing_to_continue', message);
}

/** A resume of an empty session is an error: a silent new start would hide that the conversation is lost. */
function sessionEmpty({ key, store }: SessionSource): HeddleError {
  const where = store.locate?.(key) ?? `Session ${key.sessionId}`;
  const advice = 'Start a new session, or allow it with --on-missing fresh';
  return new HeddleError('session_unreadable', `${where} holds no conversation. ${advice}`, { facts: { ...key } });
}

function reportOf(
  missing: string | null,
  history: StoredHistory | null,
  { continueTurn }: RunConfig,
): ResumeReport | null {
  if (missing !== null) return missingReport(missing);
  return history && withUnfinished(history, { isContinued: continueTurn === true });
}

/** The config home; a session of another store has only a temporary folder. */
function spillRoot(engine: Engine, launch: Launch): string {
  try {
    return engine.homeOf(launch);
  } catch {
    return join(tmpdir(), `heddle-${engine.runtime.ids.uuid()}`);
  }
}
