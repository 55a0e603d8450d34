import { type Attachment, attachedContent, type PlacedAttachment } from '../agent/attachment.ts';
import { addUserContent, userContent } from '../agent/conversation.ts';
import type { Tally } from '../agent/turn.ts';
import type { ContentBlock } from '../wire/content.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { ExpandedPrompt } from './expand-prompt.ts';
import { lifecycleLines, replayLine } from './lifecycle.ts';
import { mentioned } from './mentions.ts';
import type { Parts } from './parts.ts';
import type { News } from './session-tasks.ts';

/**
 * Records what the user said: on disk before anything is said of it; then part of the conversation. `expanded` is what a
 * command stands for that the user has called.
 */
export async function recordPrompt(
  parts: Parts,
  input: UserInput,
  { expanded, news: told, signal }: { expanded: ExpandedPrompt | null; news: News | null; signal: AbortSignal },
): Promise<RecordedPrompt> {
  const said = expanded ? { ...input, message: { role: 'user' as const, content: commandBlocks(expanded) } } : input;
  const files = await mentioned(parts, said, signal);
  const news = await parts.reminders.news(); // after what was mentioned: its directories may have a say
  const left = (await parts.leftTasks?.untold()) ?? null;
  const attachments = [...files, ...news, ...(left ? [left.attachment] : []), ...(parts.hooks?.takeContexts() ?? [])];
  const uuid = input.uuid ?? parts.runtime.ids.uuid();
  const places = placed(parts, attachments);
  await told?.telling?.(uuid);
  await left?.telling(places);
  await parts.recorder.prompt(input, {
    uuid,
    permissionMode: parts.permissions.policy.mode,
    attachments: places,
    ...(expanded && { expanded: { ...expanded, uuid: parts.runtime.ids.uuid() } }),
  });
  await told?.delivered?.();
  await left?.told();
  parts.reminders.told(news);
  await giveTitle(parts);
  const asked = [...userContent(said.message)];
  addUserContent(parts.messages, [...asked, ...attachedContent(attachments)]);
  return { uuid, asked, lines: left?.lines ?? [] };
}

/** One that has waited for the first message. */
async function giveTitle(parts: Parts): Promise<void> {
  if (parts.title === null) return;
  await parts.recorder.title(parts.title);
  parts.titleInForce = parts.title;
  parts.title = null;
}

interface RecordedPrompt {
  uuid: string;
  asked: ContentBlock[];
  /** What hosts are to be told with it. */
  lines: Message[];
}

function commandBlocks({ said, blocks }: ExpandedPrompt): ContentBlock[] {
  return [{ type: 'text', text: said }, ...blocks];
}

/** Lets what was said during a turn join it (ruling K26). Returns the lines that tell of it. */
export async function foldInputs(
  parts: Parts,
  inputs: Iterable<UserInput>,
  { tally, asked, signal }: { tally: Tally; asked: ContentBlock[]; signal: AbortSignal },
): Promise<Message[]> {
  const newId = () => parts.runtime.ids.uuid();
  const lines: Message[] = [];
  for (const input of inputs) {
    const uuid = input.uuid ?? newId();
    const blocked = await parts.hooks?.submit(input, signal);
    if (blocked) {
      lines.push(...lifecycleLines(input, ['started', 'completed'], newId, parts.sessionId), blocked.line);
      continue;
    }
    lines.push(...(await addInput(parts, input, { uuid, signal })));
    asked.push(...userContent(input.message));
    tally.userMessageUuids.push(uuid);
  }
  return lines;
}

/** Adds a message to the conversation, without a turn of its own. Returns the lines that tell of it. */
export async function addInput(
  parts: Parts,
  input: UserInput,
  { uuid, signal }: { uuid: string; signal: AbortSignal },
): Promise<Message[]> {
  const files = [...(await mentioned(parts, input, signal)), ...(parts.hooks?.takeContexts() ?? [])];
  const { mode: permissionMode } = parts.permissions.policy;
  await parts.recorder.fold(input, { uuid, permissionMode, attachments: placed(parts, files) });
  addUserContent(parts.messages, [...userContent(input.message), ...attachedContent(files)]);
  const lines = lifecycleLines(input, ['started', 'completed'], () => parts.runtime.ids.uuid(), parts.sessionId);
  if (parts.replayUserMessages) lines.push(replayLine(input, uuid, parts));
  return lines;
}

/** Lets the memory of directories that were worked in join the turn, and what hooks have said meanwhile. */
export async function attachNested(parts: Parts): Promise<void> {
  const news = await parts.memory.nestedNews();
  const attachments = [...(news ? [news] : []), ...(parts.hooks?.takeContexts() ?? [])];
  if (attachments.length === 0) return;
  await parts.recorder.attach(placed(parts, attachments));
  if (news) parts.memory.told(news);
  addUserContent(parts.messages, attachedContent(attachments));
}

/** Attachments, each with a place in the transcript. */
export function placed({ runtime }: Parts, attachments: readonly Attachment[]): PlacedAttachment[] {
  return attachments.map((attachment) => ({ attachment, uuid: runtime.ids.uuid() }));
}

/** One entry per turn, so that a resume goes on counting (ruling K35); and where it goes on, if that was a choice. */
export async function recordEnd({ ledger, recorder, isBranching }: Parts, input: UserInput): Promise<void> {
  const { costUsd: totalCostUSD, apiMs: totalAPIDuration, modelUsage } = ledger;
  if (Object.keys(modelUsage).length > 0) await recorder.cost({ totalCostUSD, totalAPIDuration, modelUsage });
  if (isBranching) await recorder.markLeaf(textOfInput(input));
}

/** The message that an input goes on from; undefined for the active leaf, null for a new root (ruling K41). */
export function parentOf({ parentUuid, parent_uuid }: UserInput): string | null | undefined {
  return parentUuid === undefined ? parent_uuid : parentUuid;
}

/** Whether an input goes on from another message than the last. */
export function goesElsewhere(input: UserInput): boolean {
  return input.edits !== undefined || parentOf(input) !== undefined;
}

/** Whether a message lets the running turn end before it is looked at. */
export function isPatient({ priority, shouldQuery }: UserInput): boolean {
  return priority === 'later' || shouldQuery === false;
}

/** The words of an input, as far as a list of sessions would show them. */
export function textOfInput({ message }: UserInput): string {
  const texts = userContent(message).flatMap((block) => (block.type === 'text' ? block.text : []));
  return texts.join('\n').slice(0, MAX_SHOWN);
}

const MAX_SHOWN = 200;

/** Remembers where the conversation was when a line was said that is no entry of it, so that it can be named, too. */
export function noteSpoken({ spoken, recorder }: Parts, message: Message): void {
  const { type, uuid } = message as { type: string; uuid?: unknown };
  if ((type !== 'result' && type !== 'system') || typeof uuid !== 'string' || recorder.leaf === null) return;
  spoken.set(uuid, recorder.leaf);
  const [oldest] = spoken.keys();
  if (spoken.size > MAX_SPOKEN && oldest !== undefined) spoken.delete(oldest);
}

/** About a megabyte. */
const MAX_SPOKEN = 10_000;
