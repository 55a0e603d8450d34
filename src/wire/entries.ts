import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../util/json.ts';
import { MessageParseError } from './errors.ts';
import { ApiAssistantMessage } from './messages/assistant.ts';
import { MessageOrigin } from './messages/common.ts';
import { ApiUserMessage } from './messages/user.ts';
import { firstIssue, open, type Schema, word } from './schema.ts';

/** One line of a session file. Heddle stores unknown kinds verbatim. */
export type Entry = JsonObject & { type: string };
export const Entry = open(() => ({ type: z.string() })) as unknown as Schema<Entry>;

export type ParsedEntry = { ok: true; entry: Entry } | { ok: false; error: MessageParseError };

/**
 * Accepts any object with a string `type` unchanged: files of other versions must stay readable. The readers of the
 * known kinds check their shape with `readEntry`.
 *
 * @example
 * ```ts
 * const parsed = parseEntry({ type: 'custom-title', customTitle: 'Release', sessionId: '…' });
 * if (parsed.ok) console.log(parsed.entry.type);
 * ```
 */
export function parseEntry(value: unknown): ParsedEntry {
  if (!isObject(value)) return refuse('a session entry is a JSON object');
  if (typeof value.type !== 'string') return refuse('type: a session entry has a string here');
  return { ok: true, entry: value as Entry };
}

/**
 * The entry as one of its known kinds, or the reason why it is not one. Returns the entry itself, not a copy.
 *
 * @example
 * ```ts
 * const parsed = parseEntry(JSON.parse('{"type":"custom-title","customTitle":"Release","sessionId":"…"}'));
 * if (parsed.ok) {
 *   const title = readEntry('custom-title', parsed.entry);
 *   console.log(title.ok ? title.entry.customTitle : title.error.message);
 * }
 * ```
 */
export function readEntry<Kind extends keyof typeof entrySchemas>(
  kind: Kind,
  entry: Entry,
): { ok: true; entry: EntryOf<Kind> } | { ok: false; error: MessageParseError } {
  const checked = entrySchemas[kind].safeParse(entry);
  if (!checked.success) return refuse(`${kind} entry: ${firstIssue(checked.error)}`);
  return { ok: true, entry: entry as EntryOf<Kind> };
}

function refuse(detail: string): { ok: false; error: MessageParseError } {
  return { ok: false, error: new MessageParseError(detail) };
}

const text = z.optional(z.string());
const flag = z.optional(z.boolean());
const count = z.optional(z.number());

/** The fields of every node of the tree. Old files lack some of them; uuid and parentUuid make an entry a node. */
const envelope = {
  uuid: z.string(),
  parentUuid: z.nullable(z.string()),
  /** On a compaction boundary, whose parentUuid is null: the message that the conversation continued from. */
  logicalParentUuid: z.optional(z.nullable(z.string())),
  isSidechain: flag,
  userType: text,
  entrypoint: text,
  cwd: text,
  sessionId: text,
  version: text,
  gitBranch: text,
  agentId: text,
  slug: text,
  timestamp: text,
  /** Set on entries that a fork copied. */
  forkedFrom: z.optional(open({ sessionId: z.string(), messageUuid: z.string() })),
};

/** A message to the model: a prompt or a tool result. */
export const UserEntry = open(() => ({
  ...envelope,
  type: z.literal('user'),
  message: ApiUserMessage,
  permissionMode: text,
  isMeta: flag,
  isVisibleInTranscriptOnly: flag,
  isCompactSummary: flag,
  toolUseResult: z.optional(z.unknown()),
  /** The assistant entry that made the call which this entry answers. */
  sourceToolAssistantUUID: text,
  sourceToolUseID: text,
  /** The sender, where it is not the person at the host. */
  origin: z.optional(MessageOrigin),
}));
export type UserEntry = z.infer<typeof UserEntry>;

/** One content block of an answer. Entries of one answer share `message.id`. */
export const AssistantEntry = open(() => ({
  ...envelope,
  type: z.literal('assistant'),
  message: ApiAssistantMessage,
  requestId: z.optional(z.nullable(z.string())),
  /** What the provider added to this part of the answer, as it came. Only the same provider and family get it back. */
  providerMetadata: z.optional(open({ provider: z.string() })),
  error: text,
  isApiErrorMessage: flag,
}));
export type AssistantEntry = z.infer<typeof AssistantEntry>;

/** A note of the runtime: a compaction, the output of a command. */
export const SystemEntry = open(() => ({
  ...envelope,
  type: z.literal('system'),
  subtype: word(['compact_boundary', 'informational', 'local_command', 'stop_hook_summary']),
  content: text,
  isMeta: flag,
  level: text,
  compactMetadata: z.optional(
    open({
      trigger: word(['manual', 'auto']),
      preTokens: count,
      postTokens: count,
      durationMs: count,
      preservedSegment: z.optional(open({ headUuid: z.string(), anchorUuid: z.string(), tailUuid: z.string() })),
      preservedMessages: z.optional(open({ anchorUuid: z.string(), uuids: z.array(z.string()) })),
    }),
  ),
}));
export type SystemEntry = z.infer<typeof SystemEntry>;

/** Progress of a tool call. It belongs to the chain: the next prompt may have a progress entry as its parent. */
export const ProgressEntry = open(() => ({
  ...envelope,
  type: z.literal('progress'),
  data: open({ type: text }),
  toolUseID: text,
  parentToolUseID: text,
}));
export type ProgressEntry = z.infer<typeof ProgressEntry>;

/** Text that Heddle adds to a prompt for the model: surroundings, files, reminders. */
export const AttachmentEntry = open(() => ({
  ...envelope,
  type: z.literal('attachment'),
  attachment: open({ type: z.string() }),
  rendered: text,
  renderedRole: text,
}));
export type AttachmentEntry = z.infer<typeof AttachmentEntry>;

/** The entries that are nodes of the tree. */
export type ChainEntry = UserEntry | AssistantEntry | SystemEntry | ProgressEntry | AttachmentEntry;

/** A message was queued, or taken from the queue. */
export const QueueOperationEntry = open(() => ({
  type: z.literal('queue-operation'),
  operation: word(['enqueue', 'dequeue', 'remove']),
  timestamp: text,
  sessionId: text,
  content: text,
}));
export type QueueOperationEntry = z.infer<typeof QueueOperationEntry>;

export const FileBackup = open(() => ({
  /** Null: the file did not exist. */
  backupFileName: z.nullable(z.string()),
  version: z.number(),
  backupTime: text,
}));
export type FileBackup = z.infer<typeof FileBackup>;

/** The file copies that belong to a user message. */
export const FileHistorySnapshotEntry = open(() => ({
  type: z.literal('file-history-snapshot'),
  messageId: z.string(),
  snapshot: open({
    messageId: z.string(),
    /** By path; relative to the working directory for files inside it. */
    trackedFileBackups: z.record(z.string(), FileBackup),
    timestamp: text,
  }),
  /** True: replaces the last snapshot of the same message. */
  isSnapshotUpdate: z.boolean(),
}));
export type FileHistorySnapshotEntry = z.infer<typeof FileHistorySnapshotEntry>;

/** A title for the branch that ends in a message. */
export const SummaryEntry = open(() => ({ type: z.literal('summary'), summary: z.string(), leafUuid: z.string() }));
export type SummaryEntry = z.infer<typeof SummaryEntry>;

/** The title that a person set. */
export const CustomTitleEntry = open(() => ({
  type: z.literal('custom-title'),
  customTitle: z.string(),
  sessionId: z.string(),
}));
export type CustomTitleEntry = z.infer<typeof CustomTitleEntry>;

/** An empty tag removes the tag. */
export const TagEntry = open(() => ({ type: z.literal('tag'), tag: z.string(), sessionId: z.string() }));
export type TagEntry = z.infer<typeof TagEntry>;

/** The leaf that the next resume continues from, and the last prompt. */
export const LastPromptEntry = open(() => ({
  type: z.literal('last-prompt'),
  lastPrompt: text,
  leafUuid: z.string(),
  sessionId: z.string(),
}));
export type LastPromptEntry = z.infer<typeof LastPromptEntry>;

/** The permission mode from this entry on. */
export const ModeEntry = open(() => ({ type: z.literal('mode'), mode: z.string(), sessionId: z.string() }));
export type ModeEntry = z.infer<typeof ModeEntry>;

/** The cost of the session so far, so that a resume continues the count. */
export const CostStateEntry = open(() => ({
  type: z.literal('cost-state'),
  sessionId: z.string(),
  totalCostUSD: z.number(),
  totalAPIDuration: z.optional(z.number()),
  totalDuration: z.optional(z.number()),
  modelUsage: z.record(z.string(), z.unknown()),
}));
export type CostStateEntry = z.infer<typeof CostStateEntry>;

/** The known kinds of entry, by their `type`. */
export const entrySchemas = {
  user: UserEntry,
  assistant: AssistantEntry,
  system: SystemEntry,
  progress: ProgressEntry,
  attachment: AttachmentEntry,
  'queue-operation': QueueOperationEntry,
  'file-history-snapshot': FileHistorySnapshotEntry,
  summary: SummaryEntry,
  'custom-title': CustomTitleEntry,
  tag: TagEntry,
  'last-prompt': LastPromptEntry,
  mode: ModeEntry,
  'cost-state': CostStateEntry,
};

export type EntryOf<Kind extends keyof typeof entrySchemas> = z.infer<(typeof entrySchemas)[Kind]>;
export type KnownEntry = EntryOf<keyof typeof entrySchemas>;
