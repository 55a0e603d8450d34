import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attachment } from '../agent/attachment.ts';
import type { LedgerState } from '../agent/ledger.ts';
import type { Transcript } from '../agent/recorder.ts';
import type { ApiMessage } from '../model/model.ts';
import { type Chain, createChain } from '../sessions/chain.ts';
import type { DeferredCall } from '../sessions/deferred-calls.ts';
import type { Lease, SessionKey, SessionStore } from '../sessions/store.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import { WIRE_VERSION } from '../wire/version.ts';
import type { PastCheckpoints } from './checkpoints.ts';
import { chooseSession, isResuming, type SessionChoice, type SessionSource } from './choose-session.ts';
import type { Engine } from './engine.ts';
import { gitBranch } from './git.ts';
import { holdSession } from './hold-session.ts';
import type { Past, PastReading } from './past.ts';
import type { ResumeReport } from './resume-report.ts';
import type { Emit } from './voice.ts';

/** A session's transcript, open for appending, and the conversation it holds so far. */
export interface OpenTranscript extends Transcript {
  store: SessionStore;
  /** Whether it was there before this process. */
  hasPast: boolean;
  /** Whether it outlives this process. */
  isKept: boolean;
  messages: ApiMessage[];
  /** The stored entries that those are made of, where they are to be shown. */
  path: readonly Entry[];
  gitBranch: string | null;
  /** The permission mode that the session was left in, as far as it was changed. */
  lastMode: string | null;
  /** What compactions have replaced, if it mentions this word at all. */
  earlier(word: string): Promise<ApiMessage[]>;
  /** Reads the session anew, up to one of its messages. Rejects with `session_not_found` when it has none such. */
  pastAt(uuid: string): Promise<Past>;
  /** What the resume has to say for itself. */
  report: ResumeReport | null;
  /** Whether it goes on from an earlier message, beside what was written since. */
  isBranching: boolean;
  /** The session that this one was forked from, or null. */
  forkedFrom: string | null;
  /** When the last answer in it was given; null when there is none, or it does not tell. */
  answeredAt: number | null;
  /** Calls that a hook had left to someone outside when the session was left; they are asked about again. */
  deferred: DeferredCall[];
  /** What the runtime has told the model of its own accord. */
  reminders: readonly Attachment[];
  /** Where files beside the transcript go: the config home, or a temporary folder. */
  filesRoot: string;
  /** Where large tool outputs of this session go. */
  spillDir: string;
  /** The file checkpoints of the past. */
  checkpoints(): Promise<PastCheckpoints | null>;
  /** The uuids that the conversation has used so far. */
  uuids: string[];
  /** What the session had cost when it was left. */
  costState: LedgerState | null;
  /** The title that the session was last given; null: none. A fork has none. */
  title: string | null;
  /** How much of the window the conversation took when it was left; 0 when unknown. */
  lastTokens: number;
  /** Lets others write to the session. Never rejects. */
  release(): Promise<void>;
}

export interface Opening {
  /** Where this session is kept, if not where the engine keeps them. */
  store?: SessionStore;
  /** What a copy of everything that is stored is told to, where the launch asks for one. */
  mirror?: Emit;
  /** Ends the opening: one that waits for another process to let go of the session. */
  signal?: AbortSignal;
}

/**
 * Opens a new, resumed, continued or forked session. Rejects with a HeddleError that says which session is missing or
 * who else writes to it.
 */
export async function openTranscript(
  engine: Engine,
  launch: Launch,
  cwd: string,
  { store, mirror, signal = new AbortController().signal }: Opening,
): Promise<OpenTranscript> {
  const { config } = launch;
  const { runtime } = engine;
  const mirrored = config.sessionMirror ? (await import('./mirror.ts')).mirroring(engine, launch, mirror) : null;
  const place = mirrored?.place ?? launch;
  const plain = config.noSessionPersistence && !isResuming(config) ? null : (store ?? (await engine.storeOf(place)));
  const stored = mirrored?.wrap(plain) ?? plain;
  const choice = await chooseSession(config, {
    store: stored,
    home: stored && !store && engine.hasOwnStore ? engine.homeOf(place) : null,
    cwd,
    newId: () => runtime.ids.uuid(),
  });
  const { key, lease } = await holdChosen(engine, config, stored, { choice, cwd, signal });
  try {
    return await openHeld(engine, launch, { choice, key, lease, stored, cwd });
  } catch (error) {
    await lease?.release();
    throw error;
  }
}

/** Only who appends to a file needs the right to; a fork has a file of its own. */
async function holdChosen(
  engine: Engine,
  config: RunConfig,
  store: SessionStore | null,
  { choice, cwd, signal }: { choice: SessionChoice; cwd: string; signal: AbortSignal },
): Promise<{ key: SessionKey; lease: Lease | null }> {
  const { runtime } = engine;
  const { source, sessionId } = choice;
  // What goes on in its own file is in whatever project it was begun in.
  const isSame = source?.store === store && source?.key.sessionId === sessionId;
  const key: SessionKey = isSame && source ? source.key : { project: cwd, sessionId };
  if (!store || config.noSessionPersistence) return { key, lease: null };
  const lease = await holdSession(store, key, { onBusy: config.onBusy, runtime, signal });
  if (lease !== 'taken') return { key, lease };
  const forkKey = { project: cwd, sessionId: runtime.ids.uuid() };
  const forkLease = await holdSession(store, forkKey, { onBusy: undefined, runtime, signal });
  return { key: forkKey, lease: forkLease === 'taken' ? null : forkLease };
}

interface Held {
  choice: SessionChoice;
  key: SessionKey;
  lease: Lease | null;
  stored: SessionStore | null;
  cwd: string;
}

async function openHeld(engine: Engine, launch: Launch, held: Held): Promise<OpenTranscript> {
  const { config } = launch;
  const { choice, key, lease, stored, cwd } = held;
  const { source } = choice;
  const { sessionId } = key;
  const isKept = stored !== null && !config.noSessionPersistence;
  const store = isKept ? stored : await unkeptStore(source);
  const isFork = source !== null && (source.store !== stored || source.key.sessionId !== sessionId);
  const { resumeSessionAt: at, resumeDropsTurn: drops } = config;
  const reading = { at, drops, lean: !isFork && config.replayHistory !== true };
  const past = source ? await loadPast(engine, source.store, source.key, reading) : null;
  const emptied = source && past && past.leaf === null && past.report === null ? sessionEmpty(source) : null;
  if (emptied && config.onMissing !== 'fresh') throw emptied;
  if (isKept && past && isFork) await copyTo(store, key, past);
  const branch = gitBranch(cwd);
  const chain = createChain({
    cwd,
    sessionId,
    version: WIRE_VERSION,
    gitBranch: branch ?? 'HEAD',
    userType: 'external',
    isSidechain: false,
    parentUuid: past?.leaf ?? null,
    clock: engine.runtime.clock,
  });
  if (past?.planName) chain.assignPlanName(past.planName);
  const repairs = past ? await repairsOf(past, chain, () => engine.runtime.ids.uuid()) : [];
  if (repairs.length > 0) await store.append(key, repairs);
  const filesRoot = spillRoot(engine, launch);
  return {
    key,
    store,
    hasPast: past !== null,
    isKept,
    chain,
    messages: past?.messages(repairs) ?? [],
    path: (config.replayHistory && past?.path) || [],
    gitBranch: branch,
    lastMode: past?.lastMode ?? null,
    earlier: async (word) => past?.earlier(word) ?? [],
    pastAt: (uuid) => loadPast(engine, store, key, { at: uuid, lean: true }),
    report: await reportOf(choice.missing ?? emptied?.message ?? null, past),
    isBranching: at !== undefined && !isFork,
    forkedFrom: isFork ? source.key.sessionId : null,
    answeredAt: past?.answeredAt ?? null,
    deferred: past?.deferred ?? [],
    reminders: past?.reminders ?? [],
    uuids: past?.uuids ?? [],
    costState: isFork ? null : (past?.costState ?? null),
    title: isFork ? null : (past?.title ?? null),
    lastTokens: past?.lastTokens ?? 0,
    filesRoot,
    spillDir: join(filesRoot, 'tool-results', sessionId),
    checkpoints: async () => past?.checkpoints() ?? null,
    release: async () => lease?.release(),
  };
}

/** Most sessions are kept, and load nothing for it. */
async function unkeptStore(past: SessionChoice['source']): Promise<SessionStore> {
  const { createUnkeptStore } = await import('../sessions/unkept-store.ts');
  return createUnkeptStore(past);
}

/** Most sessions are new; what reads a past is loaded only when there is one. */
async function loadPast(engine: Engine, store: SessionStore, key: SessionKey, reading: PastReading): Promise<Past> {
  const { readPast } = await import('./past.ts');
  return readPast(store, key, { ...reading, log: engine.runtime.log });
}

/** Answers for the calls that the past has left without one. */
export async function repairsOf({ unpaired }: Past, chain: Chain, newId: () => string): Promise<Entry[]> {
  if (unpaired.length === 0) return [];
  const { repairEntries } = await import('../sessions/repair.ts');
  return repairEntries(unpaired, chain, newId);
}

/** A fork owns its copies: they carry its session id and keep their uuids (ruling K30). */
async function copyTo(store: SessionStore, key: SessionKey, past: Past): Promise<void> {
  const { sessionId } = key;
  const copies = past.path.map((entry) => ('sessionId' in entry ? { ...entry, sessionId } : entry));
  const mode = past.lastMode === null ? [] : [{ type: 'mode', mode: past.lastMode, sessionId }];
  await store.append(key, [...copies, ...mode]);
}

/** Who resumes expects a past: to begin anew without a word would hide that it is gone. */
function sessionEmpty({ key, store }: SessionSource): HeddleError {
  const where = store.locate?.(key) ?? `Session ${key.sessionId}`;
  const advice = 'Start a new session, or allow it with --on-missing fresh';
  return new HeddleError('session_unreadable', `${where} holds no conversation. ${advice}`, { facts: { ...key } });
}

async function reportOf(missing: string | null, past: Past | null): Promise<ResumeReport | null> {
  if (missing === null) return past?.report ?? null;
  const { missingReport } = await import('./resume-report.ts');
  return missingReport(missing);
}

/** Under the config home; a session that lives in another store has only the temporary folder. */
function spillRoot(engine: Engine, launch: Launch): string {
  try {
    return engine.homeOf(launch);
  } catch {
    return join(tmpdir(), `heddle-${engine.runtime.ids.uuid()}`);
  }
}
