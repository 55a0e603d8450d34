import { Ledger } from '../../src/agent/ledger.ts';
import type { Limits } from '../../src/agent/limits.ts';
import { runTurn, type TurnEnd } from '../../src/agent/loop.ts';
import { addUserContent } from '../../src/agent/messages/api-messages.ts';
import { createRecorder, type Recorder } from '../../src/agent/messages/recorder.ts';
import { emptyTally, type Turn } from '../../src/agent/turn.ts';
import type { Gate, Verdict } from '../../src/agent/turn-tools.ts';
import type { ApiMessage, Failure, Model, ModelEvent, ModelRequest, ModelYield } from '../../src/model/model.ts';
import { type ReplayMessage, toApiMessages } from '../../src/sessions/replay/replay.ts';
import type { SessionKey, SessionStore } from '../../src/sessions/store.ts';
import { createMemoryStore } from '../../src/sessions/stores/memory-store.ts';
import { activeLeaf, pathTo, readTree } from '../../src/sessions/tree/build-tree.ts';
import { type Chain, createChain } from '../../src/sessions/tree/chain.ts';
import type { AnswerLike, Script } from '../../src/testing/script.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { objectInput, optional, string } from '../../src/tools/input-schema.ts';
import { createRegistry } from '../../src/tools/registry.ts';
import type { Access, Tool, ToolContext, ToolOutput } from '../../src/tools/tool.ts';
import type { Workspace } from '../../src/tools/workspace.ts';
import type { Runtime } from '../../src/util/runtime.ts';
import type { ContentBlock, ToolResultBlock } from '../../src/wire/api/content.ts';
import type { Entry } from '../../src/wire/entries.ts';
import { HeddleError } from '../../src/wire/errors.ts';
import type { Message } from '../../src/wire/messages/index.ts';
import { apiFaults } from '../sessions/support.ts';
import { toolServices } from '../support/tool-services.ts';

export const SESSION = '5e551000-0000-4000-8000-000000000000';
export const MODEL = 'claude-sonnet-4-5-20250929';
const KEY: SessionKey = { project: '/project', sessionId: SESSION };

export interface RigOptions {
  tools?: Tool[];
  gate?: Gate;
  hooks?: Turn['hooks'];
  store?: SessionStore;
  limits?: Limits;
  /** Takes partial lines; without it none are made. */
  partial?: Turn['partial'];
  fallbacks?: Model[];
  /** Compaction begins at this many tokens; by default it never does. */
  compactAt?: number;
  takeQueued?: Turn['takeQueued'];
  beforeStop?: Turn['beforeStop'];
  ordered?: boolean;
  facts?: string;
}

/** A turn with everything around it in memory, and what happened in it. */
export interface Rig {
  turn: Turn;
  requests: ModelRequest[];
  /** Everything that the turns yielded, in order. */
  lines: Message[];
  logs: string[];
  chain: Chain;
  recorder: Recorder;
  messages: ApiMessage[];
  /** Records a prompt and runs the turn that answers it. */
  ask(text: string, signal?: AbortSignal, more?: readonly ContentBlock[]): Promise<TurnEnd>;
  entries(): Promise<Entry[]>;
  /** The conversation as it stands, and as a resume would read it from the store; the two must be the same. */
  conversation(): ApiMessage[];
  replayed(): Promise<ApiMessage[]>;
}

export function createRig(script: Script<ModelRequest> | Model, options: RigOptions = {}): Rig {
  const store = options.store ?? createMemoryStore();
  const logs: string[] = [];
  const runtime = testRuntime((_level, message) => logs.push(message));
  const chain = createChain({
    cwd: KEY.project,
    sessionId: SESSION,
    version: '2.1.44',
    gitBranch: 'HEAD',
    userType: 'external',
    isSidechain: false,
    parentUuid: null,
    clock: runtime.clock,
  });
  const recorder = createRecorder({ key: KEY, store, chain });
  const requests: ModelRequest[] = [];
  const messages: ApiMessage[] = [];
  const lines: Message[] = [];
  const tools = createRegistry(options.tools ?? []);
  const request = { model: MODEL, system: ['be brief'], tools: tools.apiTools(), maxOutputTokens: 1000 };
  const turn: Turn = {
    runtime,
    sessionId: SESSION,
    parentToolUseId: null,
    model: watched('stream' in script ? script : scriptedModel(script), requests),
    request,
    fallbacks: (options.fallbacks ?? []).map((model, i) => ({
      model: watched(model, requests),
      request: { ...request, model: `fallback-${i + 1}` },
    })),
    conversation: {
      messages,
      window: { tokens: 0, window: 200_000, compactAt: options.compactAt ?? null, failedInARow: 0 },
      record: (message, details) => recorder.record(message, details),
      retain: (retained) => recorder.retain(retained),
      pendingAttachments: async () =>
        options.facts === undefined ? [] : [{ type: 'environment', content: options.facts }],
      attach: (attachments) =>
        recorder.attach(attachments.map((attachment) => ({ attachment, uuid: runtime.ids.uuid() }))),
      rewind: (uuids) => recorder.rewind(uuids),
    },
    asked: [],
    partial: options.partial ?? null,
    tools: {
      registry: tools,
      ordered: options.ordered ?? false,
      gate: options.gate ?? allowAll,
      context: (toolUseId, signal) => ({ ...contextFor(runtime), toolUseId, signal }),
      hideCredentials: (found) => found,
    },
    hooks: options.hooks ?? null,
    limits: options.limits ?? {},
    ledger: new Ledger({ onUnknownModel: (model) => logs.push(`unknown model ${model}`) }),
    tally: emptyTally(),
    structured: null,
    summaries: false,
    takeQueued: options.takeQueued ?? (async () => []),
    beforeStop: options.beforeStop ?? (async () => ({ kind: 'stop' })),
  };
  const entries = async () => {
    const found: Entry[] = [];
    for await (const item of store.load(KEY)) if ('entry' in item) found.push(item.entry);
    return found;
  };
  return {
    turn,
    requests,
    lines,
    logs,
    chain,
    recorder,
    messages,
    entries,
    async ask(text, signal = new AbortController().signal, more = []) {
      const content: ContentBlock[] = [{ type: 'text', text }, ...more];
      await recorder.prompt(
        { type: 'user', message: { role: 'user', content: more.length > 0 ? content : text } },
        { uuid: runtime.ids.uuid(), permissionMode: 'default', attachments: [] },
      );
      addUserContent(messages, content);
      turn.asked.splice(0, turn.asked.length, ...content);
      Object.assign(turn.tally, emptyTally());
      return drive(turn, lines, signal);
    },
    conversation: () => messages.map(spoken),
    async replayed() {
      const tree = await readTree(store.load(KEY));
      const { leaf } = activeLeaf(tree);
      return leaf ? toApiMessages(pathTo(tree, leaf.id)).map(spoken) : [];
    },
  };
}

/** What goes to the API; which model said it is our own note. */
function spoken({ role, content }: ApiMessage): ApiMessage {
  return { role, content };
}

async function drive(turn: Turn, lines: Message[], signal: AbortSignal): Promise<TurnEnd> {
  const generator = runTurn(turn, signal);
  for (;;) {
    const step = await generator.next();
    if (step.done) return step.value;
    lines.push(step.value);
  }
}

/** Remembers each request as it was when it came, whatever kind of model answers it. */
function watched(model: Model, requests: ModelRequest[]): Model {
  return {
    provider: model.provider,
    stream(request, signal) {
      requests.push({ ...request, messages: request.messages.map(spoken) });
      return model.stream(request, signal);
    },
  };
}

/** A model that streams the given items, one list per request. */
export function eventModel(...answers: (readonly (ModelYield | Promise<never>)[])[]): Model {
  let at = 0;
  return {
    provider: 'events',
    async *stream() {
      for (const item of answers[at++] ?? []) yield await item;
    },
  };
}

/** The events of a whole answer, for models that play several attempts. */
export function attempt(id: string, blocks: readonly ContentBlock[], end: 'whole' | 'open' = 'whole'): ModelEvent[] {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const head = { id, type: 'message', role: 'assistant', model: MODEL, content: [], usage };
  const events: ModelEvent[] = [
    { type: 'response', requestId: `req_${id}` },
    streamed({ type: 'message_start', message: head }),
  ];
  for (const [index, block] of blocks.entries()) {
    events.push(streamed({ type: 'content_block_start', index, content_block: block }));
    events.push(streamed({ type: 'content_block_stop', index }));
  }
  if (end === 'open') return events;
  const stop = blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  events.push(streamed({ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 7 } }));
  return [...events, streamed({ type: 'message_stop' })];
}

export function retryAfter(failure: Failure, attemptNumber = 1): ModelEvent {
  return { type: 'retry', attempt: attemptNumber, maxRetries: 10, delayMs: 500, failure };
}

function streamed(event: Extract<ModelEvent, { type: 'event' }>['event']): ModelEvent {
  return { type: 'event', event, raw: JSON.stringify(event) };
}

export const CUT: Failure = { class: 'connection', message: 'the connection was cut' };

export const allowAll: Gate = { check: async ({ input }) => ({ allowed: true, input }) };

/** Answers by tool name; what is not named is allowed. */
export function gateBy(verdicts: Record<string, Partial<Extract<Verdict, { allowed: false }>>>): Gate {
  return {
    async check({ tool, input }) {
      const denial = verdicts[tool.name];
      if (!denial) return { allowed: true, input };
      return { allowed: false, message: `no ${tool.name}`, interrupt: false, ...denial };
    },
  };
}

export interface FakeToolOptions {
  safe?: boolean;
  access?: (input: Record<string, unknown>) => Access;
  isSafe?: () => boolean;
  run?: (input: Record<string, unknown>, context: ToolContext) => Promise<ToolOutput> | ToolOutput;
}

/** A tool that takes an optional `text` and says that it ran. */
export function fakeTool(name: string, options: FakeToolOptions = {}): Tool {
  return {
    name,
    description: `The tool ${name}`,
    input: objectInput({ text: optional(string('any text')) }),
    access: (input) => options.access?.(input) ?? { kind: 'none' },
    isConcurrencySafe: () => options.isSafe?.() ?? options.safe ?? false,
    run: async (input, context) => (await options.run?.(input, context)) ?? said(`${name} ran`),
  };
}

export function said(content: string): ToolOutput {
  return { content, data: { content } };
}

/** A store whose n-th append is rejected, the first being 1. */
export function failingStore(n: number): { store: SessionStore; appends: () => number } {
  const memory = createMemoryStore();
  let count = 0;
  return {
    appends: () => count,
    store: {
      ...memory,
      async append(key, entries) {
        if (++count === n) throw new HeddleError('storage_failed', 'disk full');
        await memory.append(key, entries);
      },
    },
  };
}

/** A store whose appends stay open until they are let through. */
export function gatedStore(): { store: SessionStore; waiting: (() => void)[] } {
  const memory = createMemoryStore();
  const waiting: (() => void)[] = [];
  const store: SessionStore = {
    ...memory,
    async append(key, entries) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      await memory.append(key, entries);
    },
  };
  return { store, waiting };
}

/** Ids that count up, so that the order in which they were taken shows. */
export function testRuntime(log: Runtime['log'] = () => {}): Runtime {
  let count = 0;
  return {
    clock: { now: () => 1_750_000_000_000, sleep: () => Promise.resolve() },
    ids: { uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}` },
    log,
  };
}

export function contextFor(runtime: Runtime): Omit<ToolContext, 'toolUseId' | 'signal'> {
  return { workspace: noWorkspace, files: new Map(), runtime, env: {}, spillDir: '/nowhere', service: toolServices() };
}

const unused = () => Promise.reject(new Error('This test has no files'));

/** Resolves paths below a made-up project; there is nothing in it. */
export const noWorkspace: Workspace = {
  cwd: KEY.project,
  roots: [KEY.project],
  resolve: (path) => (path.startsWith('/') ? path : `${KEY.project}/${path}`),
  stat: async () => null,
  list: async () => [],
  readFile: unused,
  readChunks: () => {
    throw new Error('This test has no files');
  },
  writeFile: unused,
  hold: unused,
  pin: async () => noWorkspace,
  exec: unused,
};

/** `system/init`, `assistant`, … */
export function kindsOf(lines: readonly Message[]): string[] {
  return lines.map((line) => ('subtype' in line ? `${line.type}/${String(line.subtype)}` : line.type));
}

export function blocksIn(lines: readonly Message[], type: 'user' | 'assistant'): ContentBlock[] {
  return lines.flatMap((line) => {
    const { message } = line as { message?: { content: ContentBlock[] | string } };
    return line.type === type && Array.isArray(message?.content) ? message.content : [];
  });
}

export function resultsIn(lines: readonly Message[]): ToolResultBlock[] {
  return blocksIn(lines, 'user').filter((block) => block.type === 'tool_result') as ToolResultBlock[];
}

/** The blocks of a request one after the other, each with its role: what must be a prefix of the next request. */
export function flatten(messages: readonly ApiMessage[]): string[] {
  return messages.flatMap(({ role, content }) => content.map((block) => `${role} ${JSON.stringify(block)}`));
}

/** Why a model API would refuse these messages. */
export function faultsOf(messages: readonly ApiMessage[] | undefined): string[] {
  return messages === undefined ? ['there is no such request'] : apiFaults(messages as ReplayMessage[]);
}

/** A script that says the same so often; it ends, so that a loop that does not stop fails instead of hanging. */
export function times(count: number, answer: AnswerLike): AnswerLike[] {
  return Array.from({ length: count }, () => answer);
}

/** Waits until something is so; the test's own time-out ends it otherwise. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Faults of a history of requests: each must begin with what the one before it sent. */
export function prefixFaults(requests: readonly ModelRequest[]): string[] {
  return requests.flatMap((request, i) => {
    const before = flatten(requests[i - 1]?.messages ?? []);
    const now = flatten(request.messages).slice(0, before.length);
    return JSON.stringify(now) === JSON.stringify(before) ? [] : [`request ${i + 1} changes what was sent before`];
  });
}
