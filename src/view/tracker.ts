import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { BranchBlock, CallBlock, Notice, TodoView } from './blocks.ts';
import { noteProgress } from './call-view.ts';
import type { AlertReason, Change, EarlierUse, ViewTracker } from './changes.ts';
import { Conversation } from './conversation.ts';
import { doingOf, retryOf } from './doing.ts';
import { numberField, parentOf, textField, textsIn, uuidsOf } from './line-fields.ts';
import { MeterReadings } from './meter-readings.ts';
import { noticeOf, passingNotice } from './notices.ts';
import type { EndedCall } from './open-calls.ts';
import { Order } from './order.ts';
import { Prompts } from './prompts.ts';
import { questionOf } from './questions.ts';
import { resultBlock } from './result-block.ts';
import { infoOfAnswer, infoOfInit, NO_INFO, withCommands } from './session-info.ts';
import { noteAgent, TaskList, teamAfter, withStates } from './task-list.ts';
import { TodoList } from './todo-list.ts';
import type { Doing, Phase, Question, View } from './view.ts';

/**
 * Makes a tracker for one session. Give it every line of the agent, and what the person sends.
 *
 * @example
 * ```ts
 * const tracker = createViewTracker();
 * const line = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] } };
 * for (const change of tracker.note(line, Date.now())) {
 *   if (change.type === 'done') console.log(change.block.kind);
 * }
 * ```
 */
export function createViewTracker(): ViewTracker {
  return new Tracker();
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

class Tracker implements ViewTracker {
  readonly view: Mutable<View>;
  readonly #order = new Order();
  readonly #prompts = new Prompts(this.#order);
  readonly #conversation = new Conversation(this.#order, this.#prompts);
  readonly #tasks = new TaskList();
  readonly #todos = new TodoList();
  readonly #readings = new MeterReadings();
  readonly #questions: Question[] = [];
  /** The phase in which a compaction began. */
  #before: Phase = 'busy';
  /** What a renderer must do about the line at hand. */
  #changes: Change[] = [];
  #isChanged = false;

  constructor() {
    this.view = {
      phase: 'starting',
      doing: null,
      live: this.#order.live,
      calls: this.#conversation.calls.all,
      questions: this.#questions,
      queue: this.#prompts.queue,
      tasks: this.#tasks.tasks,
      todos: [],
      team: null,
      info: NO_INFO,
      meters: this.#readings.meters,
    };
  }

  note(line: JsonObject, now: number): Change[] {
    this.#note(line, now);
    return this.#taken();
  }

  sent(message: UserInput, now: number): Change[] {
    const { edits, parentUuid, parent_uuid, shouldQuery } = message;
    const from = parentUuid !== undefined ? parentUuid : parent_uuid;
    this.#isChanged = true;
    if (!this.#isFree()) this.#prompts.wait(message);
    else {
      if (edits !== undefined) this.#branch('edit', { from: null });
      else if (from !== undefined) this.#branch('switch', { from });
      this.#prompts.show(message);
      if (shouldQuery !== false) this.#beginTurn(now);
    }
    return this.#taken();
  }

  asked(request: JsonObject): Change[] {
    this.#ask(request);
    return this.#taken();
  }

  answered(requestId: string, now?: number): Change[] {
    this.#withdraw(requestId, now);
    return this.#taken();
  }

  earlier(messages: readonly JsonObject[], used: EarlierUse = {}): Change[] {
    const before = new Tracker();
    for (const line of messages) before.note(line, 0);
    this.#todos.items = [...before.view.todos];
    this.view.todos = this.#todos.items;
    const { contextTokens } = before.view.meters;
    Object.assign(this.#readings.meters, { contextTokens }, used);
    this.#isChanged = true;
    return this.#taken();
  }

  opened(answer: JsonObject): Change[] {
    this.view.info = infoOfAnswer(this.view.info, answer);
    if (this.view.phase === 'starting') this.view.phase = answer.session_state === 'running' ? 'busy' : 'idle';
    this.#isChanged = true;
    return this.#taken();
  }

  closed({ code, signal }: { code: number | null; signal: string | null }): Change[] {
    this.#conversation.end('lost');
    this.#questions.length = 0;
    this.#tasks.tasks.length = 0;
    this.#endTurn(code === 0 && signal === null ? 'ended' : 'lost');
    if (this.view.phase === 'lost') this.#alert('lost');
    return this.#taken();
  }

  #taken(): Change[] {
    const done = this.#order.take();
    const others = this.#changes;
    this.#changes = [];
    const isChanged = this.#isChanged || done.length > 0;
    this.#isChanged = false;
    return isChanged ? [...done, { type: 'live' }, ...others] : others;
  }

  #note(line: JsonObject, now: number): void {
    if (line.type !== 'system' && this.view.doing?.what === 'retry') this.#do(null); // any other line ends the wait
    this.#readings.note(line);
    const passing = passingNotice(line);
    if (passing) this.#changes.push({ type: 'notice', notice: passing });
    switch (line.type) {
      case 'stream_event':
        if (isObject(line.event) && parentOf(line) === null) this.#noteEvent(line.event, now);
        break;
      case 'assistant':
        this.#conversation.noteAnswer(line, now);
        this.#isChanged = true;
        break;
      case 'user':
        for (const ended of this.#conversation.noteUser(line, now)) this.#endCall(ended);
        this.#isChanged = true;
        break;
      case 'tool_progress':
        this.#noteProgress(line);
        break;
      case 'result':
        this.#noteResult(line);
        break;
      case 'system':
        this.#noteSystem(line, now);
        break;
      case 'command_lifecycle':
        this.#noteLifecycle(textField(line, 'command_uuid'), line.state);
        break;
      case 'conversation_reset':
        this.#branch('clear', { from: null, uuids: uuidsOf(line) });
        this.view.todos = [];
        this.#todos.items = [];
        break;
      case 'control_request':
        this.#ask(line);
        break;
      case 'control_cancel_request':
        this.#withdraw(textField(line, 'request_id'), now);
        break;
    }
  }

  #noteEvent(event: JsonObject, now: number): void {
    this.#isChanged = this.#conversation.noteEvent(event, now) || this.#isChanged;
    if (event.type === 'message_start' || event.type === 'message_stop') this.#do({ what: 'requesting', since: now });
    if (event.type === 'content_block_start') this.#do(doingOf(event.content_block, now));
  }

  #noteProgress(line: JsonObject): void {
    const call = this.view.calls.get(textField(line, 'tool_use_id'));
    if (call && noteProgress(call, line)) this.#isChanged = true;
  }

  #endCall({ call, outcome, data, block }: EndedCall): void {
    if (outcome === 'done') {
      this.#readings.noteChange(data, block.patch);
      this.view.team = teamAfter(this.view.team, call, data);
    }
    const changed = outcome === 'done' ? this.#todos.note(call, data) : null;
    if (changed === null) this.#order.end(block);
    else this.#endTodos(block, changed);
  }

  #endTodos({ id, uuids }: CallBlock, changed: readonly TodoView[]): void {
    const all = this.#todos.items;
    const isComplete = all.length > 0 && all.every(({ status }) => status === 'completed');
    this.view.todos = all;
    this.#order.end({ kind: 'todos', id, uuids, changed, all, isComplete });
  }

  #noteResult(line: JsonObject): void {
    this.#conversation.end('interrupted');
    const costUsd = this.#readings.noteResult(line);
    const { lastText } = this.#conversation;
    this.#order.add(resultBlock(line, { id: this.#order.newId(), lastText, costUsd }));
    this.#conversation.lastText = '';
    this.#endTurn('idle');
    this.#alert('turn');
  }

  #noteSystem(line: JsonObject, now: number): void {
    const { subtype } = line;
    this.#noteTask(line, now);
    const notice = noticeOf(line);
    if (notice) this.#announce(notice, line);
    switch (subtype) {
      case 'init':
        this.view.info = infoOfInit(this.view.info, line);
        if (this.view.phase === 'idle' || this.view.phase === 'starting') this.#prompts.begin('');
        this.#beginTurn(now);
        break;
      case 'status':
        this.#noteStatus(line, now);
        break;
      case 'api_retry':
        this.#conversation.breakOff('replaced');
        this.#do(retryOf(line, now));
        break;
      case 'superseded':
        this.#conversation.calls.giveUp();
        break;
      case 'compact_boundary':
        this.#conversation.beginCompaction(line);
        break;
      case 'permission_denied':
        this.#noteDenial(line);
        break;
      case 'hook_started':
        this.#do({ what: 'hook', name: textField(line, 'hook_name'), since: now });
        break;
      case 'hook_response':
        if (this.view.doing?.what === 'hook') this.#do({ what: 'requesting', since: now });
        break;
      case 'thinking_tokens':
        this.#conversation.texts.noteTokens(numberField(line, 'estimated_tokens') ?? 0);
        this.#isChanged = true;
        break;
      case 'local_command_output':
        this.#conversation.noteCommand(textField(line, 'content'), uuidsOf(line));
        break;
      case 'files_restored':
        this.#branch('files', { from: null, uuids: uuidsOf(line), line });
        break;
      case 'input_error':
        this.#prompts.forget(textField(line, 'input_uuid'));
        break;
      case 'session_title_changed':
        this.#learn({ title: textField(line, 'title') });
        break;
      case 'commands_changed':
        this.view.info = withCommands(this.view.info, line);
        this.#isChanged = true;
        break;
      case 'session_state_changed':
        this.#noteState(line.state, now);
        break;
    }
  }

  #noteTask(line: JsonObject, now: number): void {
    switch (line.subtype) {
      case 'task_started':
        this.#tasks.started(line, now);
        break;
      case 'task_progress': {
        const task = this.#tasks.progress(line);
        if (task) noteAgent(this.view.calls.get(task.callId ?? ''), task);
        break;
      }
      case 'task_updated':
        this.#tasks.updated(line);
        break;
      case 'background_tasks_changed':
        this.#tasks.changed(line, now);
        break;
      case 'task_notification':
        this.#order.add(this.#tasks.ended(line, this.#order.newId()));
        this.#alert('task');
        break;
      default:
        return;
    }
    this.view.team = withStates(this.view.team, this.#tasks.tasks);
    this.#isChanged = true;
  }

  #noteStatus(line: JsonObject, now: number): void {
    const mode = stringField(line, 'permissionMode');
    if (mode !== undefined) this.#learn({ mode });
    if (line.status === 'compacting') {
      if (this.view.phase !== 'compacting') this.#before = this.view.phase;
      this.#enter('compacting');
      return;
    }
    if (this.view.phase === 'compacting') this.#enter(this.#before);
    if (line.status !== undefined) this.#do(this.view.phase === 'idle' ? null : { what: 'requesting', since: now });
  }

  #noteState(state: unknown, now: number): void {
    if (state === 'running') this.#beginTurn(now);
    if (state === 'idle' && this.view.phase === 'starting') this.#enter('idle');
  }

  /** A denial belongs to its call. Those of agents have no block of their own. */
  #noteDenial(line: JsonObject): void {
    const reason = textField(line, 'decision_reason') || textField(line, 'message');
    if (this.#conversation.calls.deny(textField(line, 'tool_use_id'), reason)) return;
    const agentId = stringField(line, 'agent_id') ?? null;
    const tool = textField(line, 'tool_name');
    this.#order.add({ kind: 'denial', id: this.#order.newId(), uuids: uuidsOf(line), tool, agentId, reason });
  }

  #noteLifecycle(uuid: string, state: unknown): void {
    if (state === 'started' && this.#prompts.begin(uuid)) this.#isChanged = true;
    if ((state === 'cancelled' || state === 'failed') && this.#prompts.forget(uuid)) this.#isChanged = true;
  }

  #ask(frame: JsonObject): void {
    const question = questionOf(frame, this.#tasks.tasks);
    if (!question || this.#questions.some(({ id }) => id === question.id)) return;
    this.#questions.push(question);
    this.#isChanged = true;
    this.#alert('question');
  }

  #withdraw(id: string, now?: number): void {
    const at = this.#questions.findIndex((question) => question.id === id);
    if (at < 0) return;
    const [question] = this.#questions.splice(at, 1);
    const call = this.view.calls.get(question?.call?.id ?? '');
    if (call && now !== undefined) call.startedAt = now;
    this.#isChanged = true;
  }

  #isFree(): boolean {
    const { phase, queue } = this.view;
    return (phase === 'idle' || phase === 'starting') && this.view.meters.turnStartedAt === null && queue.length === 0;
  }

  #beginTurn(now: number): void {
    if (this.view.phase === 'compacting') this.#before = 'busy';
    else this.#enter('busy');
    this.#readings.beginTurn(now);
    if (this.view.doing === null) this.#do({ what: 'requesting', since: now });
  }

  #endTurn(phase: Phase): void {
    this.#enter(phase);
    this.#readings.endTurn();
    this.#do(null);
  }

  #branch(why: BranchBlock['why'], at: { from: string | null; uuids?: string[]; line?: JsonObject }): void {
    const { from, uuids = [], line = {} } = at;
    const files = textsIn(line, 'filesChanged');
    const error = stringField(line, 'error') ?? null;
    this.#order.add({ kind: 'branch', id: this.#order.newId(), uuids, why, from, files, error });
  }

  #announce(notice: Notice, line: JsonObject): void {
    const uuids = line.subtype === 'superseded' ? textsIn(line, 'superseded_uuids') : uuidsOf(line);
    this.#order.add({ kind: 'notice', id: this.#order.newId(), uuids, notice });
  }

  #learn(info: Partial<View['info']>): void {
    this.view.info = { ...this.view.info, ...info };
    this.#isChanged = true;
  }

  #enter(phase: Phase): void {
    this.view.phase = phase;
    this.#isChanged = true;
  }

  #do(doing: Doing | null): void {
    this.view.doing = doing;
    this.#isChanged = true;
  }

  #alert(why: AlertReason): void {
    this.#changes.push({ type: 'alert', why });
  }
}
