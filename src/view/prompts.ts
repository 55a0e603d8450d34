import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { PromptBlock } from './blocks.ts';
import { blocksOf, blockText, textField, uuidsOf } from './line-fields.ts';
import type { Order } from './order.ts';
import type { Queued } from './view.ts';

/** Prompts that were shown and may be repeated by the agent; older ones have been repeated long ago. */
const MOST_SHOWN = 200;

/** The prompts: those that wait, and those that the agent has begun with. */
export class Prompts {
  readonly queue: Queued[] = [];
  readonly #order: Order;
  /** Shown, by uuid; a line that repeats one of them is not shown again. */
  readonly #shown = new Set<string>();
  /** Shown, without a uuid: their texts. */
  readonly #anonymous: string[] = [];

  constructor(order: Order) {
    this.#order = order;
  }

  /** Shows a prompt at once, because no other is being worked on. */
  show(message: UserInput): void {
    this.#add(promptOf(message as JsonObject, this.#order.newId()), message.uuid);
  }

  wait(message: UserInput): void {
    const { text, attachments } = promptOf(message as JsonObject, '');
    this.queue.push({ uuid: message.uuid ?? '', text, attachments });
  }

  /** The agent begins with a prompt that waits; where it does not tell which, with the oldest that has no uuid. */
  begin(uuid: string): boolean {
    const at = this.queue.findIndex((each) => each.uuid === uuid);
    const [next] = at < 0 ? [] : this.queue.splice(at, 1);
    if (!next) return false;
    const { text, attachments } = next;
    const uuids = uuid === '' ? [] : [uuid];
    this.#add({ kind: 'prompt', id: this.#order.newId(), uuids, text, attachments, origin: null }, uuid);
    return true;
  }

  /** Takes a prompt out of the queue without showing it. */
  forget(uuid: string): boolean {
    const at = this.queue.findIndex((each) => each.uuid === uuid);
    if (at < 0 || uuid === '') return false;
    this.queue.splice(at, 1);
    return true;
  }

  /** A line of the agent repeats a prompt, or tells of one that came another way. */
  repeat(line: JsonObject): void {
    const uuid = stringField(line, 'uuid') ?? '';
    if (uuid !== '' && (this.#shown.has(uuid) || this.begin(uuid))) return;
    const prompt = promptOf(line, this.#order.newId());
    const at = this.#anonymous.indexOf(prompt.text);
    if (at >= 0) this.#anonymous.splice(at, 1);
    else if (this.queue.some((each) => each.uuid === '' && each.text === prompt.text)) this.#beginText(prompt);
    else this.#add(prompt, uuid === '' ? null : uuid);
  }

  #beginText(prompt: PromptBlock): void {
    const at = this.queue.findIndex((each) => each.uuid === '' && each.text === prompt.text);
    this.queue.splice(at, 1);
    this.#order.add(prompt);
  }

  /** Null: the agent told of it, and will not repeat it. */
  #add(prompt: PromptBlock, uuid: string | null = ''): void {
    this.#order.add(prompt);
    if (uuid === '') this.#anonymous.push(prompt.text);
    else if (uuid !== null) this.#shown.add(uuid);
    if (this.#anonymous.length > MOST_SHOWN) this.#anonymous.shift();
    if (this.#shown.size <= MOST_SHOWN) return;
    for (const oldest of this.#shown) {
      this.#shown.delete(oldest);
      break;
    }
  }
}

function promptOf(line: JsonObject, id: string): PromptBlock {
  const blocks = blocksOf(line);
  const texts = blocks.filter(({ type }) => type === 'text').map(blockText);
  const text = texts.join('\n').trim();
  return {
    kind: 'prompt',
    id,
    uuids: uuidsOf(line),
    text: commandLine(text) ?? text,
    attachments: blocks.filter(({ type }) => type === 'image' || type === 'document').length,
    origin: isObject(line.origin) && line.origin.kind !== 'human' ? textField(line.origin, 'kind') || null : null,
  };
}

/** A command as the person typed it. */
function commandLine(text: string): string | null {
  if (!text.startsWith('<command-')) return null;
  const name = /^<command-message>[\s\S]*?<command-name>([^<]*)<|^<command-name>([^<]*)</.exec(text);
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? '';
  const typed = name?.[1] ?? name?.[2];
  return typed === undefined ? null : `${typed} ${args}`.trim();
}
