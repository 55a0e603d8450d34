import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LedgerState } from '../agent/ledger.ts';
import type { Transcript } from '../agent/recorder.ts';
import type { ApiMessage } from '../model/model.ts';
import { createChain } from '../sessions/chain.ts';
import { interruptedResult, unpairedToolCalls } from '../sessions/repair.ts';
import { toApiMessages } from '../sessions/replay.ts';
import type { Loaded, SessionKey, SessionStore } from '../sessions/store.ts';
import { activeLeaf, pathTo, readTree, type Tree } from '../sessions/tree.ts';
import { isObject, stringField } from '../util/json.ts';
import type { Entry } from '../wire/entries.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Launch, RunConfig } from '../wire/run-config.ts';
import { WIRE_VERSION } from '../wire/version.ts';
import type { Engine } from './engine.ts';
import { gitBranch } from './git.ts';

/** A session's transcript, open for appending, and the conversation it holds so far. */
export interface OpenTranscript extends Transcript {
  messages: ApiMessage[];
  gitBranch: string | null;
  /** The environment reminder that the model has already seen, or null. */
  lastReminder: string | null;
  /** Where large tool outputs of this session go. */
  spillDir: string;
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
  const past = source && store ? await loadPast(engine, store, { project: cwd, sessionId: source }, config) : NO_PAST;
  const { path } = past;
  const keep = config.noSessionPersistence ? null : store;
  if (keep && source && source !== sessionId)
    await keep.append(
      key,
      path.map((entry) => rename(entry, sessionId)),
    );
  const branch = gitBranch(cwd);
  const chain = createChain({
    cwd,
    sessionId,
    version: WIRE_VERSION,
    gitBranch: branch ?? 'HEAD',
    userType: 'external',
    isSidechain: false,
    parentUuid: past.leaf,
    clock: engine.runtime.clock,
  });
  const planName = path.findLast((entry) => typeof entry.slug === 'string')?.slug;
  if (typeof planName === 'string') chain.assignPlanName(planName);
  const repairs = unpairedToolCalls(path).flatMap(({ toolUseId, assistantUuid }) => {
    if (assistantUuid === null) return [];
    const fields = { uuid: engine.runtime.ids.uuid(), sourceToolAssistantUUID: assistantUuid };
    return [chain.toolResultEntry(interruptedResult(toolUseId), fields)];
  });
  if (repairs.length > 0) await keep?.append(key, repairs);
  return {
    key,
    store: keep,
    chain,
    messages: toApiMessages([...path, ...repairs]),
    gitBranch: branch,
    lastReminder: lastReminder(path),
    costState: source === sessionId ? past.costState : null,
    lastTokens: lastTokens(path),
    spillDir: join(spillRoot(engine, launch), 'tool-results', sessionId),
  };
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

interface Past {
  path: Entry[];
  /** Where the conversation goes on. */
  leaf: string | null;
  costState: LedgerState | null;
}

const NO_PAST: Past = { path: [], leaf: null, costState: null };

async function loadPast(engine: Engine, store: SessionStore, key: SessionKey, config: RunConfig): Promise<Past> {
  const costs = new LastCost();
  const tree = await readTree(costs.watch(store.load(key)));
  reportFindings(engine, tree, key);
  const at = config.resumeSessionAt;
  if (at !== undefined && !tree.nodes.has(at)) {
    throw new HeddleError('session_not_found', `No message found with message.uuid of: ${at}`, { facts: { uuid: at } });
  }
  const { leaf } = activeLeaf(tree, at);
  return leaf
    ? { path: pathTo(tree, leaf.id), leaf: stringField(leaf.entry, 'uuid') ?? null, costState: costs.state }
    : NO_PAST;
}

/** Looks out for the cost entries of a session while it is read; the last one counts. */
class LastCost {
  state: LedgerState | null = null;

  async *watch(loaded: AsyncIterable<Loaded>): AsyncGenerator<Loaded, void> {
    for await (const item of loaded) {
      if ('entry' in item && item.entry.type === 'cost-state') this.#take(item.entry);
      yield item;
    }
  }

  #take({ modelUsage, totalAPIDuration }: Entry): void {
    if (!isObject(modelUsage)) return;
    const usage = Object.fromEntries(Object.entries(modelUsage).filter(([, value]) => isObject(value)));
    this.state = {
      modelUsage: usage as LedgerState['modelUsage'],
      apiMs: typeof totalAPIDuration === 'number' ? totalAPIDuration : 0,
    };
  }
}

/** Of the last answer on the path, as far as its entry tells. */
function lastTokens(path: readonly Entry[]): number {
  const answer = path.findLast(({ type, isApiErrorMessage }) => type === 'assistant' && isApiErrorMessage !== true);
  const usage = isObject(answer?.message) && isObject(answer.message.usage) ? answer.message.usage : {};
  const counts = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'];
  return counts.reduce((sum, name) => sum + (typeof usage[name] === 'number' ? usage[name] : 0), 0);
}

/** Damage is repaired for this run and said aloud; the file itself stays as it is. */
function reportFindings(engine: Engine, tree: Tree, { sessionId }: SessionKey): void {
  if (tree.findings.length === 0) return;
  const kinds = [...new Set(tree.findings.map((finding) => finding.kind))].join(', ');
  engine.runtime.log(
    'warn',
    `Session ${sessionId} has ${tree.findings.length} damaged places (${kinds}); what could be read was restored`,
    {
      findings: tree.findings.slice(0, 20),
    },
  );
}

/** A fork owns its copies: they carry its session id and keep their uuids (ruling K30). */
function rename(entry: Entry, sessionId: string): Entry {
  return 'sessionId' in entry ? { ...entry, sessionId } : entry;
}

function lastReminder(path: readonly Entry[]): string | null {
  const entry = path.findLast(
    ({ type, attachment }) => type === 'attachment' && isObject(attachment) && attachment.type === 'environment',
  );
  return stringField(entry?.attachment, 'content') ?? null;
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
