import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Broken, CommandOutputBlock, CompactionBlock } from './blocks.ts';
import { blocksOf, blockText, numberField, parentOf, textField, uuidsOf } from './line-fields.ts';
import { dataOf, type EndedCall, OpenCalls } from './open-calls.ts';
import type { Order } from './order.ts';
import type { Prompts } from './prompts.ts';
import { noteCallOfAgent } from './task-list.ts';
import { textKind, WrittenTexts, writtenText } from './written-texts.ts';

/** What is said: prompts, answers, thoughts, calls and their results, compactions, outputs of commands. */
export class Conversation {
  readonly texts: WrittenTexts;
  readonly calls: OpenCalls;
  /** The last text that was shown: a result repeats it. */
  lastText = '';
  readonly #order: Order;
  readonly #prompts: Prompts;
  /** The answer of the main thread that is being written. */
  #answer = '';
  /** A compaction whose summary may follow. */
  #compaction: CompactionBlock | null = null;
  #shell: string | null = null;

  constructor(order: Order, prompts: Prompts) {
    this.#order = order;
    this.#prompts = prompts;
    this.texts = new WrittenTexts(order);
    this.calls = new OpenCalls(order);
  }

  /** Takes an event of the model's stream, of the main thread. Returns whether anything has changed. */
  noteEvent(event: JsonObject, now: number): boolean {
    const index = numberField(event, 'index') ?? 0;
    switch (event.type) {
      case 'message_start':
        this.#beginAnswer(textField(event.message, 'id'));
        return true;
      case 'content_block_start':
        return this.#beginBlock(event.content_block, index, now);
      case 'content_block_delta':
        return this.texts.add(index, event.delta);
      default:
        return false;
    }
  }

  #beginBlock(block: unknown, index: number, now: number): boolean {
    const kind = textKind(block);
    if (kind !== null) {
      this.texts.begin(kind, index, now);
      this.texts.add(index, block);
      return true;
    }
    if (!isObject(block) || block.type !== 'tool_use') return false;
    this.calls.begin(block, now);
    return true;
  }

  /** What an earlier answer left open gets no result any more: models are asked only once all calls have one. */
  #beginAnswer(id: string): void {
    if (id === this.#answer || id === '') return;
    this.#endCompaction('');
    this.texts.breakOff('replaced');
    this.calls.giveUp();
    this.#answer = id;
  }

  noteAnswer(line: JsonObject, now: number): void {
    const parent = parentOf(line);
    const source = stringField(line, 'local_command_source');
    if (source !== undefined) {
      this.noteCommand(source, uuidsOf(line));
      return;
    }
    if (parent === null && stringField(line.message, 'model') !== '<synthetic>') {
      this.#beginAnswer(textField(line.message, 'id'));
    }
    this.#endCompaction('');
    const error = line.error === undefined ? null : (stringField(line, 'error') ?? 'unknown');
    for (const block of blocksOf(line)) {
      if (block.type === 'tool_use') this.#noteCall(block, { parent, uuids: uuidsOf(line), now });
      else if (parent === null) this.#noteText(block, { uuids: uuidsOf(line), error, now });
    }
  }

  #noteText(block: JsonObject, said: { uuids: string[]; error: string | null; now: number }): void {
    const kind = textKind(block);
    if (kind === null) return;
    const text = writtenText(block);
    this.texts.record(kind, text, said);
    if (kind === 'answer') this.lastText = text;
  }

  #noteCall(block: JsonObject, made: { parent: string | null; uuids: string[]; now: number }): void {
    const call = this.calls.record(block, made);
    if (made.parent !== null) noteCallOfAgent(this.calls.all.get(made.parent), call);
  }

  /** Takes a user line. Returns the calls of the main thread that have ended. */
  noteUser(line: JsonObject, now: number): EndedCall[] {
    const blocks = blocksOf(line);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const data = dataOf(line, results);
    const ended = results.flatMap((result) => this.calls.end(result, { data, uuids: uuidsOf(line), now }) ?? []);
    if (results.length === 0 && parentOf(line) === null && blocks.length > 0) this.#noteUserText(line, blocks);
    return ended;
  }

  #noteUserText(line: JsonObject, blocks: readonly JsonObject[]): void {
    const text = blocks.map(blockText).join('\n').trim();
    const uuids = uuidsOf(line);
    if (line.isCompactSummary === true && !this.#compaction) this.beginCompaction({ uuid: line.uuid });
    if (COMMAND_OUTPUT.test(text)) this.noteCommand(text, uuids);
    else if (this.#noteShell(text, uuids)) return;
    else if (this.#compaction) this.#endCompaction(text);
    else if (text.startsWith(INTERRUPTED)) this.#noteInterrupt(text, uuids);
    else if (!isOfRuntime(line, text)) this.#prompts.repeat(line);
  }

  #noteInterrupt(text: string, uuids: string[]): void {
    this.breakOff('interrupted');
    const notice = { level: 'warning' as const, from: 'interrupt', text };
    this.#order.add({ kind: 'notice', id: this.#order.newId(), uuids, notice });
  }

  /** A slash command has printed something. */
  noteCommand(source: string, uuids: string[]): void {
    const [, stream, said] = COMMAND_OUTPUT.exec(source.trim()) ?? [null, 'stdout', source];
    const text = said ?? '';
    this.lastText = text;
    if (text.trim() === '') return;
    const [stdout, stderr] = stream === 'stderr' ? ['', text] : [text, ''];
    this.#order.add(this.#output({ command: null, stdout, stderr, uuids }));
  }

  /** A shell command of the person comes in two messages: the command, then its output. */
  #noteShell(text: string, uuids: string[]): boolean {
    const [, command] = /^<bash-input>([\s\S]*)<\/bash-input>$/.exec(text) ?? [];
    if (command !== undefined) {
      this.#shell = command;
      return true;
    }
    const [all, stdout = '', stderr = ''] = SHELL_OUTPUT.exec(text) ?? [];
    if (all === undefined) return false;
    this.#order.add(this.#output({ command: this.#shell ?? '', stdout, stderr, uuids }));
    this.#shell = null;
    return true;
  }

  #output(said: Omit<CommandOutputBlock, 'kind' | 'id'>): CommandOutputBlock {
    return { kind: 'command-output', id: this.#order.newId(), ...said };
  }

  /** A compaction has ended; its summary may follow. */
  beginCompaction(line: JsonObject): void {
    this.#endCompaction('');
    const details = line.compact_metadata;
    const trigger = stringField(details, 'trigger');
    this.#compaction = {
      kind: 'compaction',
      id: this.#order.newId(),
      uuids: uuidsOf(line),
      trigger: trigger === 'manual' || trigger === 'auto' ? trigger : null,
      tokensBefore: numberField(details, 'pre_tokens'),
      tokensAfter: numberField(details, 'post_tokens'),
      summary: '',
    };
  }

  #endCompaction(summary: string): void {
    if (this.#compaction) this.#order.add({ ...this.#compaction, summary });
    this.#compaction = null;
  }

  /** What was being said is not said to its end. */
  breakOff(broken: Broken): void {
    this.texts.breakOff(broken);
    this.calls.dropUnwritten();
  }

  /** Nothing more follows in this turn. */
  end(broken: Broken): void {
    this.#endCompaction('');
    this.breakOff(broken);
    this.calls.clear();
    this.#answer = '';
  }
}

const COMMAND_OUTPUT = /^<local-command-(stdout|stderr)>([\s\S]*)<\/local-command-\1>$/;
const SHELL_OUTPUT = /^<bash-stdout>([\s\S]*)<\/bash-stdout>(?:<bash-stderr>([\s\S]*)<\/bash-stderr>)?$/;
const INTERRUPTED = '[Request interrupted by user';
/** Texts in the role of the user that the runtime writes to the model. */
const RUNTIME_TEXT = /^<(local-command-caveat|task-notification|system-reminder|teammate-message)\b/;

function isOfRuntime(line: JsonObject, text: string): boolean {
  return line.isSynthetic === true || line.isMeta === true || text === '' || RUNTIME_TEXT.test(text);
}
