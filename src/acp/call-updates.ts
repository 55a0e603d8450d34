import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { ClientFeatures } from './client-features.ts';
import { commandDiffs } from './file-diffs.ts';
import type { Send } from './rpc-link.ts';
import { SubagentUpdates } from './subagent-updates.ts';
import { fenced, kindOf, locationsOf, resultContent, textContent, titleOf } from './tool-calls.ts';

interface OpenCall {
  name: string;
  /** The call whose agent makes this one; null: the session itself does. */
  parent: string | null;
  /** What an agent has said so far. */
  said: string[];
  /** The session works on it: nobody is asked about it. */
  isRunning: boolean;
  hasTerminal: boolean;
  /** How much of its output the editor's terminal has. */
  shown: string;
  lastProgressAt: number;
  /** Nobody tells that a call has begun: it has, if it is not asked about soon and has no result. */
  begins: NodeJS.Timeout | null;
}

const BEGIN_MS = 100;

/** More of a running command's output than this is not shown before it ends. */
const MAX_TAIL = 32 * 1024;
/** Output of a running call is shown at most this often. */
const PROGRESS_MS = 100;

/** The tool calls of a session as updates: every call begins once and ends once. */
export class CallUpdates {
  readonly #send: Send;
  readonly #features: ClientFeatures;
  readonly #cwd: string;
  readonly #open = new Map<string, OpenCall>();
  /** Agents that the editor shows as sessions. */
  readonly #agents: SubagentUpdates | null;

  constructor({ send, features, cwd }: { send: Send; features: ClientFeatures; cwd: string }) {
    this.#send = send;
    this.#features = features;
    this.#cwd = cwd;
    this.#agents = features.subagents ? new SubagentUpdates(send) : null;
  }

  /** The call whose agent makes this one. */
  parentOf(id: string): string | null {
    return this.#open.get(id)?.parent ?? null;
  }

  /** The model begins to write a call. */
  begin(block: JsonObject, parent: string | null): Promise<void> | undefined {
    const [id, name] = [stringField(block, 'id') ?? '', stringField(block, 'name') ?? ''];
    if (id === '' || this.#open.has(id)) return undefined;
    this.#add(id, name, parent);
    const begun = { toolCallId: id, title: name, name, kind: kindOf(name), status: 'pending' };
    return this.#send({ sessionUpdate: 'tool_call', ...begun, ...this.#meta(parent) }, parent);
  }

  /** A call is complete, and about to run unless the session asks about it first. */
  written(block: JsonObject, parent: string | null): Promise<void> | undefined {
    const id = stringField(block, 'id') ?? '';
    const name = stringField(block, 'name') ?? '';
    if (id === '') return undefined;
    const isNew = !this.#open.has(id);
    const call = this.#open.get(id) ?? this.#add(id, name, parent);
    call.begins = setTimeout(() => this.runs(id), BEGIN_MS);
    call.hasTerminal = name === 'Bash' && this.#features.terminalOutput;
    const terminal = call.hasTerminal ? { content: [{ type: 'terminal', terminalId: id }] } : {};
    const meta = this.#meta(parent, call.hasTerminal ? { terminal_info: { terminal_id: id, cwd: this.#cwd } } : {});
    const update = {
      ...{ sessionUpdate: isNew ? 'tool_call' : 'tool_call_update', toolCallId: id, title: titleOf(name, block.input) },
      ...(isNew && { name, kind: kindOf(name) }),
      ...{ status: 'pending', rawInput: block.input ?? {}, locations: locationsOf(name, block.input, this.#cwd) },
      ...terminal,
      ...meta,
    };
    const written = this.#send(update, parent);
    return kindOf(name) === 'think' ? (this.#agents?.begin(id, block.input, parent) ?? written) : written;
  }

  /** The session asks about the call, which waits for the answer. */
  waits(id: string): void {
    const begins = this.#open.get(id)?.begins;
    if (begins) clearTimeout(begins);
  }

  /** The call may run. */
  runs(id: string): void {
    const call = this.#open.get(id);
    if (!call || call.isRunning) return;
    this.waits(id);
    call.isRunning = true;
    void this.#send({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'in_progress' }, call.parent);
  }

  /** A text of the agent that a call runs. */
  agentSays(id: string, text: string): Promise<void> | undefined {
    if (this.#agents?.has(id)) return this.#agents.says(id, text);
    const call = this.#open.get(id);
    if (!call || text === '') return undefined;
    call.said.push(text);
    const content = call.said.map(textContent);
    call.isRunning = true;
    return this.#send(
      { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'in_progress', content },
      call.parent,
    );
  }

  /** A thought of the agent that a call runs, for editors that show agents as sessions. */
  agentThinks(id: string, text: string): Promise<void> | undefined {
    return this.#agents?.has(id) ? this.#agents.thinks(id, text) : undefined;
  }

  /** What a running call tells about itself. */
  progress(line: JsonObject): Promise<void> | undefined {
    const id = stringField(line, 'tool_use_id') ?? '';
    const call = this.#open.get(id);
    const message = stringField(line, 'message') ?? '';
    if (!call) return undefined;
    this.runs(id);
    const now = performance.now();
    if (message === '' || now - call.lastProgressAt < PROGRESS_MS) return undefined;
    call.lastProgressAt = now;
    if (call.hasTerminal) return this.#terminal(id, call, message);
    const tail = message.slice(-MAX_TAIL);
    const content = [textContent(call.name === 'Bash' ? fenced(tail, 'console') : tail)];
    return this.#send({ sessionUpdate: 'tool_call_update', toolCallId: id, content }, call.parent);
  }

  /** The result of a call. */
  end(result: JsonObject, data: unknown): Promise<void> | undefined {
    const id = stringField(result, 'tool_use_id') ?? '';
    const call = this.#open.get(id);
    if (!call) return undefined;
    this.waits(id);
    this.#open.delete(id);
    this.#agents?.end(id, data);
    const status = result.is_error === true ? 'failed' : 'completed';
    const shown = resultContent(call.name, result, data);
    const content = [...call.said.map(textContent), ...shown];
    if (call.hasTerminal) return this.#endTerminal(id, call, { result, data, status });
    const ended = { sessionUpdate: 'tool_call_update', toolCallId: id, status, content };
    return this.#send({ ...ended, ...(isObject(data) && { rawOutput: data }) }, call.parent);
  }

  /** The background work that a call has begun is over: the call has more to show, also long after its prompt. */
  taskEnded(line: JsonObject): Promise<void> | undefined {
    const id = stringField(line, 'tool_use_id');
    if (id === undefined || this.#open.has(id)) return undefined;
    this.#agents?.end(id, null);
    const content = [textContent(stringField(line, 'summary') ?? '')];
    const status = line.status === 'failed' ? 'failed' : 'completed';
    const _meta = { heddle: { task: { id: line.task_id, status: line.status } } };
    return this.#send({ sessionUpdate: 'tool_call_update', toolCallId: id, status, content, _meta });
  }

  /** Calls without a result when the turn ends have failed. */
  async endAll(): Promise<void> {
    for (const [id, { parent }] of [...this.#open]) {
      this.waits(id);
      this.#open.delete(id);
      this.#agents?.end(id, null);
      await this.#send({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'failed' }, parent);
    }
  }

  /** The session is closed: no timer is left. */
  forget(): void {
    for (const id of this.#open.keys()) this.waits(id);
    this.#open.clear();
  }

  #add(id: string, name: string, parent: string | null): OpenCall {
    const lastProgressAt = Number.NEGATIVE_INFINITY;
    const call: OpenCall = {
      name,
      parent,
      said: [],
      isRunning: false,
      hasTerminal: false,
      shown: '',
      lastProgressAt,
      begins: null,
    };
    this.#open.set(id, call);
    return call;
  }

  /** The text that the terminal does not have yet; all of it, where the output was cut in front. */
  #terminal(id: string, call: OpenCall, text: string): Promise<void> | undefined {
    const isMore = text.startsWith(call.shown);
    const data = isMore ? text.slice(call.shown.length) : text;
    call.shown = text;
    if (data === '') return undefined;
    const _meta = { terminal_output: { terminal_id: id, data } };
    return this.#send({ sessionUpdate: 'tool_call_update', toolCallId: id, _meta }, call.parent);
  }

  #endTerminal(id: string, call: OpenCall, end: { result: JsonObject; data: unknown; status: string }) {
    const { result, data, status } = end;
    const text = typeof result.content === 'string' ? result.content : '';
    this.#terminal(id, call, text);
    const code = isObject(data) && typeof data.exitCode === 'number' ? data.exitCode : Number(status === 'failed');
    const _meta = { terminal_exit: { terminal_id: id, exit_code: code, signal: null } };
    const changed = commandDiffs(data);
    const content = changed.length === 0 ? {} : { content: [{ type: 'terminal', terminalId: id }, ...changed] };
    const ended = { sessionUpdate: 'tool_call_update', toolCallId: id, status, rawOutput: data ?? text };
    return this.#send({ ...ended, ...content, _meta }, call.parent);
  }

  /** Which call an agent works for. Editors that do not know the field show its calls one below the other. */
  #meta(parent: string | null, fields: JsonObject = {}): JsonObject {
    const agent = parent === null ? {} : { heddle: { agent: { parentToolCallId: parent } } };
    const _meta = { ...fields, ...agent };
    return Object.keys(_meta).length === 0 ? {} : { _meta };
  }
}
