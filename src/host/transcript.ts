import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerState } from '../agent/ledger.ts';
import type { Transcript } from '../agent/recorder.ts';
import type { ApiMessage } from '../model/model.ts';
import { type Chain, createChain } from '../sessions/chain.ts';
import { interruptedResult } from '../sessions/repair.ts';
import type { SessionKey, SessionStore } from '../sessions/store.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import { WIRE_VERSION } from '../wire/version.ts';
import type { PastCheckpoints } from './checkpoints.ts';
import type { Engine } from './engine.ts';
import { gitBranch } from './git.ts';
import type { Past } from './past.ts';

/** A session's transcript, open for appending, and the conversation it holds so far. */
export interface OpenTranscript extends Transcript {
  messages: ApiMessage[];
  gitBranch: string | null;
  /** The permission mode that the session was left in, as far as it was changed. */
  lastMode: string | null;
  /** The whole past, also what compactions have replaced. */
  history(): ApiMessage[];
  /** The session that this one was forked from, or null. */
  forkedFrom: string | null;
  /** The environment reminder that the model has already seen, or null. */
  lastReminder: string | null;
  /** Where files beside the transcript go: the config home, or a temporary folder. */
  filesRoot: string;
  /** Where large tool outputs of this session go. */
  spillDir: string;
  /** The file checkpoints of the past. */
  checkpoints: PastCheckpoints | null;
  /** The uuids that the conversation has used so far. */
  uuids: string[];
  /** What the session had cost when it was left. */
  costState: LedgerState | null;
  /** How much of the window the conversation took when it was left; 0 when unknown. */
  lastTokens: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Opens a new, resumed, continued or forked session. Rejects with a HeddleError that says which session is missing. */
export async function openTranscript(engine: Engine, launch: Launch, cwd: string): Promise<OpenTranscript> {
  const { config } = launch;
  const store = config.noSessionPersistence && !isResuming(config) ? null : engine.storeOf(launch);
  const { sessionId, source } = await chooseSession(engine, config, store, cwd);
  const key: SessionKey = { project: cwd, sessionId };
  const past = source && store ? await loadPast(engine, store, { project: cwd, sessionId: source }, config) : null;
  const keep = config.noSessionPersistence ? null : store;
  if (keep && past && source !== sessionId) {
    const copies = past.path.map((entry) => rename(entry, sessionId));
    const mode = past.lastMode === null ? [] : [{ type: 'mode', mode: past.lastMode, sessionId }];
    await keep.append(key, [...copies, ...mode]);
  }
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
  const repairs = past ? repairEntries(past, chain, () => engine.runtime.ids.uuid()) : [];
  if (repairs.length > 0) await keep?.append(key, repairs);
  const filesRoot = spillRoot(engine, launch);
  return {
    key,
    store: keep,
    chain,
    messages: past?.messages(repairs) ?? [],
    gitBranch: branch,
    lastMode: past?.lastMode ?? null,
    history: () => past?.history() ?? [],
    forkedFrom: source === sessionId ? null : source,
    lastReminder: past?.lastReminder ?? null,
    uuids: past?.uuids ?? [],
    costState: source === sessionId ? (past?.costState ?? null) : null,
    lastTokens: past?.lastTokens ?? 0,
    filesRoot,
    spillDir: join(filesRoot, 'tool-results', sessionId),
    checkpoints: past?.checkpoints ?? null,
  };
}

/** Most sessions are new; what reads a past is loaded only when there is one. */
async function loadPast(engine: Engine, store: SessionStore, key: SessionKey, config: RunConfig): Promise<Past> {
  const { readPast } = await import('./past.ts');
  return readPast(store, key, { at: config.resumeSessionAt, log: engine.runtime.log });
}

/** Results for the calls that the last process did not live to answer; appended once, a second resume finds none. */
function repairEntries(past: Past, chain: Chain, newId: () => string): Entry[] {
  return past.unpaired.flatMap(({ toolUseId, assistantUuid }) => {
    if (assistantUuid === null) return [];
    const fields = { uuid: newId(), sourceToolAssistantUUID: assistantUuid };
    return [chain.toolResultEntry(interruptedResult(toolUseId), fields)];
  });
}

function isResuming(config: RunConfig): boolean {
  return config.resume !== undefined || config.continue === true;
}

/** The id to write to and, when there is a past, the id to read it from. */
async function chooseSession(
  engine: Engine,
  config: RunConfig,
  store: SessionStore | null,
  cwd: string,
): Promise<{ sessionId: string; source: string | null }> {
  const { sessionId } = config;
  if (sessionId !== undefined && !UUID.test(sessionId)) throw usage(`--session-id must be a UUID, not '${sessionId}'`);
  const source = await sourceSession(config, store, cwd);
  if (!isResuming(config) && (config.forkSession || config.resumeSessionAt !== undefined)) {
    throw usage('--fork-session and --resume-session-at need --resume or --continue');
  }
  if (source !== null && !config.forkSession) {
    if (sessionId === undefined) return { sessionId: source, source };
    throw usage('--session-id can be used with --resume or --continue only together with --fork-session');
  }
  const fresh = sessionId ?? engine.runtime.ids.uuid();
  if (sessionId !== undefined && (await store?.exists({ project: cwd, sessionId }))) {
    throw new HeddleError(
      'session_exists',
      `Error: Session ID ${sessionId} is already in use: resume it, or choose another one`,
    );
  }
  return { sessionId: fresh, source };
}

async function sourceSession(config: RunConfig, store: SessionStore | null, cwd: string): Promise<string | null> {
  const { resume } = config;
  if (resume === true) throw usage('--resume needs a session ID here: heddle -p --resume <session-id> "prompt"');
  if (resume !== undefined) {
    if (!UUID.test(resume)) throw usage(`--resume needs a session ID (a UUID), not '${resume}'`);
    if (await store?.exists({ project: cwd, sessionId: resume })) return resume;
    throw new HeddleError('session_not_found', `No conversation found with session ID: ${resume}`, { facts: { cwd } });
  }
  if (!config.continue || !store) return null;
  const [newest] = await store.list(cwd);
  return newest?.sessionId ?? null;
}

/** A fork owns its copies: they carry its session id and keep their uuids (ruling K30). */
function rename(entry: Entry, sessionId: string): Entry {
  return 'sessionId' in entry ? { ...entry, sessionId } : entry;
}

/** Under the config home; a session that lives in another store has only the temporary folder. */
function spillRoot(engine: Engine, launch: Launch): string {
  try {
    return engine.homeOf(launch);
  } catch {
    return join(tmpdir(), `heddle-${engine.runtime.ids.uuid()}`);
  }
}

function usage(message: string): HeddleError {
  return new HeddleError('invalid_option', `Error: ${message}`);
}
