import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Change } from '../view/changes.ts';
import { createViewTracker } from '../view/tracker.ts';
import { CallUpdates } from './call-updates.ts';
import type { ClientFeatures } from './client-features.ts';
import type { Send } from './rpc-link.ts';

/** Deltas that come within this time are sent together. */
const JOIN_MS = 30;

interface Waiting {
  kind: 'agent_message_chunk' | 'agent_thought_chunk';
  messageId: string;
  text: string;
}

/**
 * From the lines of a session to updates of the protocol. Texts that were streamed are not sent again when the message
 * that holds them is complete.
 */
export class TurnUpdates {
  readonly #send: Send;
  readonly #features: ClientFeatures;
  readonly #tracker = createViewTracker();
  readonly #calls: CallUpdates;
  readonly #now: () => number;
  #waiting: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Deltas that the editor has not read yet. */
  #unread: Promise<void> | null = null;
  #messageId = '';
  /** The blocks of the message that is streamed: their texts, by their place. */
  #blocks = new Map<unknown, string>();
  /** Texts that the editor has, and the session has not told as complete. */
  #streamed: string[] = [];
  #compaction: string | null = null;
  #compactions = 0;
  /** The next line has the summary of the compaction that has just ended. */
  #isSummaryNext = false;
  #plan = '';
  #told = '';

  constructor({ send, features, cwd, now }: { send: Send; features: ClientFeatures; cwd: string; now: () => number }) {
    this.#send = send;
    this.#features = features;
    this.#now = now;
    this.#calls = new CallUpdates({ send, features, cwd });
  }

  get calls(): CallUpdates {
    return this.#calls;
  }

  /** A line of the session. */
  note(line: JsonObject): Promise<void> | undefined {
    const changes = this.#tracker.note(line, this.#now());
    let written: Promise<void> | undefined;
    const isMain = typeof line.parent_tool_use_id !== 'string';
    if (line.type === 'stream_event') return isMain && isObject(line.event) ? this.#event(line.event) : undefined;
    this.flush();
    if (this.#isSummaryNext) this.#summarised(line);
    if (line.type === 'assistant') written = this.#answer(line);
    else if (line.type === 'user') written = this.#user(line);
    else if (line.type === 'tool_progress') written = this.#calls.progress(line);
    else if (line.type === 'system') this.#system(line);
    this.#changed(changes);
    return written;
  }

  /** A line of an earlier process: prompts are shown, too, and nothing is streamed. */
  replay(line: JsonObject): Promise<void> | undefined {
    const prompt = line.type === 'user' ? this.#prompt(line) : undefined;
    return prompt ?? this.note(line);
  }

  /** The turn is over: no call stays open, and nothing waits. */
  async endTurn(): Promise<void> {
    this.flush();
    this.#streamed = [];
    // Nobody tells that a compaction was interrupted.
    if (this.#compaction !== null) this.#endCompaction(this.#isSummaryNext ? 'completed' : 'cancelled');
    this.#isSummaryNext = false;
    await this.#calls.endAll();
    await this.#usage();
  }

  /** Something that a person should know. */
  notice(severity: 'info' | 'warning' | 'error', title: string): void {
    this.flush();
    if (this.#features.notices) void this.#send({ sessionUpdate: 'notice', severity, title });
    else if (severity !== 'info') this.#text('agent_message_chunk', `\n*${title}*\n\n`, '');
  }

  /** The prompt is answered with an error: where editors have notices, one tells why. */
  failed(reason: string): void {
    if (this.#features.notices) this.notice('error', reason);
  }

  flush(): Promise<void> | undefined {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const waiting = this.#waiting;
    this.#waiting = null;
    return waiting ? this.#text(waiting.kind, waiting.text, waiting.messageId) : undefined;
  }

  #event(event: JsonObject): Promise<void> | undefined {
    if (event.type === 'message_start') {
      this.flush();
      this.#messageId = (isObject(event.message) && stringField(event.message, 'id')) || '';
      this.#blocks = new Map();
    } else if (event.type === 'content_block_start') {
      this.#blocks.set(event.index, '');
      const block = isObject(event.content_block) ? event.content_block : {};
      if (block.type !== 'tool_use') return undefined;
      this.flush();
      return this.#calls.begin(block, null);
    } else if (event.type === 'content_block_delta' && isObject(event.delta)) {
      return this.#delta(event.index, event.delta);
    } else if (event.type === 'content_block_stop') {
      const text = this.#blocks.get(event.index) ?? '';
      if (text !== '') this.#streamed.push(text);
      return this.flush();
    }
    return undefined;
  }

  #delta(index: unknown, delta: JsonObject): Promise<void> | undefined {
    const isText = delta.type === 'text_delta';
    const text = stringField(delta, isText ? 'text' : 'thinking') ?? '';
    if (text === '') return undefined;
    const kind = isText ? 'agent_message_chunk' : 'agent_thought_chunk';
    this.#blocks.set(index, (this.#blocks.get(index) ?? '') + text);
    const written = this.#waiting && this.#waiting.kind !== kind ? this.flush() : undefined;
    if (this.#waiting) this.#waiting.text += text;
    else this.#waiting = { kind, messageId: this.#messageId, text };
    this.#timer ??= setTimeout(() => this.#later(), JOIN_MS);
    // Where the editor does not read, the session waits, too.
    return written ?? this.#unread ?? undefined;
  }

  #later(): void {
    const written = this.flush();
    if (!written) return;
    this.#unread = written.finally(() => {
      this.#unread = null;
    });
  }

  #text(kind: Waiting['kind'], text: string, messageId: string): Promise<void> | undefined {
    const content = { type: 'text', text };
    return this.#send({ sessionUpdate: kind, content, ...(messageId !== '' && { messageId }) });
  }

  #answer(line: JsonObject): Promise<void> | undefined {
    const message = isObject(line.message) ? line.message : {};
    const parent = stringField(line, 'parent_tool_use_id') ?? null;
    const blocks = Array.isArray(message.content) ? message.content.filter(isObject) : [];
    const id = stringField(message, 'id') ?? '';
    let written: Promise<void> | undefined;
    for (const block of blocks) {
      if (block.type === 'tool_use') written = this.#calls.written(block, parent);
      else if (parent !== null && block.type === 'thinking') {
        written = this.#calls.agentThinks(parent, stringField(block, 'thinking') ?? '');
      } else if (parent !== null) written = this.#calls.agentSays(parent, stringField(block, 'text') ?? '');
      else if (block.type === 'text')
        written = this.#whole('agent_message_chunk', stringField(block, 'text') ?? '', id);
      else if (block.type === 'thinking') {
        written = this.#whole('agent_thought_chunk', stringField(block, 'thinking') ?? '', id);
      }
    }
    void this.#usage();
    return written;
  }

  /** A text that is complete: what the editor has of it is not sent again. */
  #whole(kind: Waiting['kind'], text: string, messageId: string): Promise<void> | undefined {
    if (text === '' || this.#isStreamed(text)) return undefined;
    return this.#text(kind, text, messageId);
  }

  /** Takes a text out of those that the editor has. The message may be complete before its last block has ended. */
  #isStreamed(text: string): boolean {
    const at = this.#streamed.indexOf(text);
    if (at >= 0) {
      this.#streamed.splice(at, 1);
      return true;
    }
    const open = [...this.#blocks].find(([, streamed]) => streamed === text);
    if (open) this.#blocks.set(open[0], '');
    return open !== undefined;
  }

  #user(line: JsonObject): Promise<void> | undefined {
    const content = isObject(line.message) ? line.message.content : undefined;
    let written: Promise<void> | undefined;
    for (const block of Array.isArray(content) ? content.filter(isObject) : []) {
      if (block.type === 'tool_result') written = this.#calls.end(block, line.tool_use_result);
    }
    return written;
  }

  /** A prompt of a replayed conversation; undefined where the line is something else. */
  #prompt(line: JsonObject): Promise<void> | undefined {
    const content = isObject(line.message) ? line.message.content : undefined;
    const isOwn = line.isSynthetic === true || typeof line.parent_tool_use_id === 'string';
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (isOwn || !Array.isArray(blocks) || blocks.some((block) => isObject(block) && block.type === 'tool_result')) {
      return undefined;
    }
    this.flush();
    const messageId = stringField(line, 'uuid');
    let written: Promise<void> | undefined;
    for (const block of blocks.filter(isObject)) {
      const shown = promptBlock(block);
      if (shown) {
        written = this.#send({ sessionUpdate: 'user_message_chunk', content: shown, ...(messageId && { messageId }) });
      }
    }
    return written ?? Promise.resolve();
  }

  #system(line: JsonObject): void {
    const { subtype } = line;
    if (subtype === 'status') this.#status(line);
    else if (subtype === 'compact_boundary' && this.#compaction !== null) this.#isSummaryNext = true;
    else if (subtype === 'task_notification') this.#taskEnded(line);
    else if (subtype === 'local_command_output') {
      void this.#text('agent_message_chunk', stringField(line, 'content') ?? '', '');
    }
  }

  #status({ status, compact_result, compact_error }: JsonObject): void {
    if (status === 'compacting') {
      this.#compaction = `compaction-${++this.#compactions}`;
      this.#compacting({ status: 'in_progress' });
    } else if (compact_result === 'failed' && this.#compaction !== null) {
      this.#endCompaction('failed', typeof compact_error === 'string' ? compact_error : undefined);
    }
  }

  /** Work in the background has ended, maybe long after the answer to its prompt. */
  #taskEnded(line: JsonObject): void {
    const summary = stringField(line, 'summary') ?? '';
    const isFailed = line.status === 'failed';
    void this.#calls.taskEnded(line);
    if (line.ambient !== true && summary !== '') this.notice(isFailed ? 'warning' : 'info', summary);
  }

  #summarised(line: JsonObject): void {
    this.#isSummaryNext = false;
    const text = line.type === 'user' ? stringField(line.message, 'content') : undefined;
    const compactionId = this.#compaction;
    if (text !== undefined && this.#features.compaction) {
      const content = { type: 'text', text };
      void this.#send({ sessionUpdate: 'compaction_summary_chunk', compactionId, content });
    }
    this.#endCompaction('completed');
  }

  #endCompaction(status: string, error?: string): void {
    this.#compacting({ status, ...(error !== undefined && { error }) });
    this.#compaction = null;
  }

  #compacting(fields: JsonObject): void {
    if (!this.#features.compaction) return;
    void this.#send({ sessionUpdate: 'compaction_update', compactionId: this.#compaction, ...fields });
  }

  #changed(changes: readonly Change[]): void {
    for (const change of changes) {
      const notice = change.type === 'notice' ? change.notice : noticeIn(change);
      if (notice) this.notice(notice.level, notice.text);
    }
    this.#showPlan();
  }

  /** The list of what is to be done, whenever it has changed. */
  #showPlan(): void {
    const { todos } = this.#tracker.view;
    const entries = todos.map(({ text, status }) => ({ content: text, priority: 'medium', status }));
    const plan = JSON.stringify(entries);
    if (plan === this.#plan || (entries.length === 0 && this.#plan === '')) return;
    this.#plan = plan;
    void this.#send({ sessionUpdate: 'plan', entries });
  }

  async #usage(): Promise<void> {
    const { contextTokens, contextWindow, costUsd } = this.#tracker.view.meters;
    if (contextWindow === null || contextTokens === 0) return;
    const cost = costUsd > 0 ? { cost: { amount: costUsd, currency: 'USD' } } : {};
    const update = { sessionUpdate: 'usage_update', used: contextTokens, size: contextWindow, ...cost };
    if (JSON.stringify(update) === this.#told) return;
    this.#told = JSON.stringify(update);
    await this.#send(update);
  }
}

function noticeIn(change: Change) {
  return change.type === 'done' && change.block.kind === 'notice' ? change.block.notice : null;
}

function promptBlock(block: JsonObject): JsonObject | null {
  if (block.type === 'text') return { type: 'text', text: stringField(block, 'text') ?? '' };
  if (block.type !== 'image' || !isObject(block.source) || block.source.type !== 'base64') return null;
  return { type: 'image', data: String(block.source.data), mimeType: String(block.source.media_type) };
}
