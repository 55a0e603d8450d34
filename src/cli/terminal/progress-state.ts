import { isObject, type JsonObject, stringField } from '../../util/json.ts';

/** What a run is doing, derived from its lines. */
export interface ProgressState {
  /** The activity of the conversation itself, when no tool runs. */
  doing: string;
  /** The time of the next attempt to call the model. */
  retry: { at: number; attempt: number; of: number } | null;
  /** Calls without a result, also of agents, in the order in which they came. */
  calls: Map<string, Call>;
  /** The ids of their runs. */
  agents: Set<string>;
  /** The number of running background tasks. */
  background: number;
  tokens: Tokens;
}

export interface Call {
  name: string;
  /** The main argument of the call, as the model wrote it: not yet safe for a terminal. */
  subject: string;
  /** The progress of the call, where the tool reports it. */
  share: string;
}

interface Tokens {
  in: number;
  out: number;
}

export interface ProgressTracker {
  readonly state: ProgressState;
  /** Takes a line of the run. */
  note(line: JsonObject, now: number): void;
}

const WAITING = 'waiting for the model';

/** Follows a run by its lines; it has no side effects, so that it can be tested without a terminal. */
export function trackProgress(): ProgressTracker {
  const counted = new Map<string, Tokens>();
  let answer = '';
  const state: ProgressState = {
    doing: 'starting',
    retry: null,
    calls: new Map(),
    agents: new Set(),
    background: 0,
    tokens: { in: 0, out: 0 },
  };

  /** An answer reports its tokens several times, each time the total. */
  function count(id: string, usage: unknown): void {
    if (!isObject(usage)) return;
    const before = counted.get(id) ?? { in: 0, out: 0 };
    const read = sum(usage, 'input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens');
    const after = { in: Math.max(before.in, read), out: Math.max(before.out, sum(usage, 'output_tokens')) };
    counted.set(id, after);
    state.tokens = { in: state.tokens.in + after.in - before.in, out: state.tokens.out + after.out - before.out };
  }

  function noteEvent(event: JsonObject): void {
    switch (event.type) {
      case 'message_start':
        answer = stringField(event.message, 'id') ?? '';
        state.doing = WAITING;
        if (isObject(event.message)) count(answer, event.message.usage);
        break;
      case 'content_block_start':
        state.doing = doingOf(event.content_block);
        break;
      case 'message_delta':
        count(answer, event.usage);
        break;
      case 'message_stop':
        state.doing = WAITING;
        break;
    }
  }

  function noteSystem(line: JsonObject, now: number): void {
    const run = stringField(line, 'run_id') ?? '';
    switch (line.subtype) {
      case 'init':
        state.doing = WAITING;
        break;
      case 'status':
        state.doing = line.status === 'compacting' ? 'compacting' : WAITING;
        break;
      case 'api_retry':
        state.retry = {
          at: now + sum(line, 'retry_delay_ms'),
          attempt: sum(line, 'attempt'),
          of: sum(line, 'max_retries'),
        };
        break;
      case 'task_started':
        if (typeof line.subagent_type === 'string') state.agents.add(run);
        break;
      case 'task_updated':
        if (stringField(line.patch, 'status') !== undefined) state.agents.delete(run);
        break;
      case 'background_tasks_changed':
        state.background = Array.isArray(line.tasks) ? line.tasks.length : 0;
        break;
    }
  }

  return {
    state,
    note(line, now) {
      if (line.type !== 'system') state.retry = null; // any other line ends the wait
      switch (line.type) {
        case 'stream_event':
          if (isObject(line.event)) noteEvent(line.event);
          break;
        case 'assistant':
          if (isObject(line.message)) count(stringField(line.message, 'id') ?? '', line.message.usage);
          for (const block of blocksOf(line)) {
            if (block.type === 'tool_use') state.calls.set(String(block.id), callOf(block));
          }
          break;
        case 'user':
          for (const block of blocksOf(line)) {
            if (block.type === 'tool_result') state.calls.delete(String(block.tool_use_id));
          }
          break;
        case 'tool_progress':
          noteShare(state.calls.get(String(line.tool_use_id)), line);
          break;
        case 'result':
          state.calls.clear();
          state.doing = 'waiting for what runs in the background';
          break;
        case 'system':
          noteSystem(line, now);
          break;
      }
    },
  };
}

function doingOf(block: unknown): string {
  switch (isObject(block) ? block.type : undefined) {
    case 'thinking':
    case 'redacted_thinking':
      return 'thinking';
    case 'tool_use':
      return `writing a call of ${stringField(block, 'name') ?? 'a tool'}`;
    default:
      return 'writing';
  }
}

/** The tool and main argument of a `tool_use` block. */
export function callOf(block: JsonObject): Call {
  return { name: stringField(block, 'name') ?? '', subject: subjectOf(block.input), share: '' };
}

/** The fields that describe a call best; they win over any other text. */
const TELLING = ['command', 'file_path', 'notebook_path', 'description', 'pattern', 'url', 'query', 'skill'];

/** More than any terminal shows on a line; a command can be megabytes long. */
const MAX_SUBJECT = 400;

function subjectOf(input: unknown): string {
  if (!isObject(input)) return '';
  const key = TELLING.find((name) => typeof input[name] === 'string');
  const text = key === undefined ? Object.values(input).find((value) => typeof value === 'string') : input[key];
  return typeof text === 'string' ? text.slice(0, MAX_SUBJECT) : '';
}

function noteShare(call: Call | undefined, { progress, total }: JsonObject): void {
  if (!call || typeof progress !== 'number') return;
  call.share = typeof total === 'number' ? `${progress}/${total}` : `${progress}`;
}

/** The blocks of a message, whatever else it contains. */
export function blocksOf({ message }: JsonObject): JsonObject[] {
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function sum(fields: JsonObject, ...names: string[]): number {
  return names.reduce((total, name) => total + (typeof fields[name] === 'number' ? fields[name] : 0), 0);
}
