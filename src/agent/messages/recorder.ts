import type { ApiMessage } from '../../model/model.ts';
import type { CallMark } from '../../sessions/store.ts';
import type { Chain } from '../../sessions/tree/chain.ts';
import type { FileSnapshot } from '../../sessions/tree/checkpoint-entries.ts';
import type { JsonObject } from '../../util/json.ts';
import type { ContentBlock, ToolResultBlock } from '../../wire/api/content.ts';
import type { Entry } from '../../wire/entries.ts';
import type { AssistantMessage, CompactBoundaryMessage, Message, UserMessage } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { AttachmentEntry } from '../attachment.ts';
import type { EntryDetails, RetainedEntry } from '../turn-conversation.ts';
import { createEntryWriter, type EntryDestination } from './entry-writer.ts';
import { createEventRecorder, type EventRecorder } from './event-recorder.ts';
import { localCommandEntries, type RecordedCommand } from './local-command-entries.ts';
import { createStateRecorder, type StateRecorder } from './state-recorder.ts';

/** Writes the messages of a conversation. An entry is on disk when the method that records it resolves. */
export interface Recorder {
  /** Records the user's message and its attachments. Resolves with the message's uuid. */
  prompt(input: UserInput, context: PromptContext): Promise<string>;
  /** Records the task of an agent and its attachments. */
  task(prompt: string, context: Pick<PromptContext, 'uuid' | 'attachments'>): Promise<void>;
  /**
   * Records a message of the conversation and hands it back with the time of its entry; messages that are not part of it
   * pass straight through.
   */
  record(message: Message, details?: EntryDetails): Promise<Message>;
  /** Notes how far calls have come; absent when the store keeps no such notes. */
  mark?(calls: readonly string[], mark: CallMark): Promise<void>;
  /** Records a message that joins a running turn. */
  join(input: UserInput, context: PromptContext): Promise<void>;
  /** Records attachments that are added to the conversation during a turn. */
  attach(attachments: readonly AttachmentEntry[]): Promise<void>;
  /** Records a command that Heddle answered itself, and its output. Resolves with the content for the model. */
  localCommand(command: RecordedCommand): Promise<ContentBlock[]>;
  /** Records retained messages and attachments again, after the summary that replaced everything before it. */
  retain(retained: readonly RetainedEntry[]): Promise<void>;
  /** Records that more files belong to the checkpoint of a prompt, because calls of the latest answer touch them. */
  fileSnapshot(snapshot: FileSnapshot): Promise<void>;
  /** The parent of the next entry; null when it begins a conversation. */
  readonly leaf: string | null;
  /**
   * Continues from another entry of the session; later entries stay in the file as another branch. Null starts a new
   * root.
   */
  moveTo(uuid: string | null): void;
  /** Continues from the parent of the first of these entries. */
  rewind(uuids: readonly string[]): void;
  /** Records what happens around the messages. */
  readonly events: EventRecorder;
  /** Records the state of the session. */
  readonly state: StateRecorder;
}

export interface PromptContext {
  uuid: string;
  permissionMode: string;
  attachments: readonly AttachmentEntry[];
  /** The expansion of a command that the user called. */
  expanded?: ExpandedCommand;
}

export interface ExpandedCommand {
  said: string;
  /** The content in front of the command, and the text it expands to. */
  blocks: readonly ContentBlock[];
  /** The uuid of the entry with the text. */
  uuid: string;
}

/** The stored session that a recorder writes. */
export interface Transcript extends EntryDestination {
  /** The file checkpoint for a user message, when checkpoints are on. */
  snapshotFor?: (uuid: string) => Promise<FileSnapshot> | null;
}

export function createRecorder(transcript: Transcript): Recorder {
  const { chain, snapshotFor, store, key } = transcript;
  const writer = createEntryWriter(transcript);
  const { append, appendNew } = writer;
  let lastAnswer: string | null = null;
  /** The uuid of a message may be its sender's, who may send it twice. */
  const appendSaid = (input: UserInput) => (input.uuid === undefined ? appendNew : append);
  const checkpoint = async (uuid: string): Promise<Entry[]> => {
    const snapshot = await snapshotFor?.(uuid);
    lastAnswer = null;
    return snapshot ? [chain.fileSnapshot(snapshot, { messageId: uuid, isUpdate: false })] : [];
  };
  return {
    async prompt(input, { uuid, permissionMode, attachments, expanded }) {
      writer.beginTurn();
      const before = await checkpoint(uuid);
      const { leaf } = chain;
      const said = expanded
        ? commandEntries(chain, uuid, expanded)
        : [chain.userEntry(input.message as JsonObject, { uuid, permissionMode, origin: input.origin })];
      const entries = [chain.queueOperation('dequeue'), ...before, ...said, ...attached(chain, attachments)];
      await appendSaid(input)(leaf, ...entries);
      return uuid;
    },
    async task(prompt, { uuid, attachments }) {
      writer.beginTurn();
      const { leaf } = chain;
      const said = chain.userEntry({ role: 'user', content: prompt }, { uuid });
      await appendNew(leaf, said, ...attached(chain, attachments));
    },
    async record(message, details = {}) {
      const { leaf } = chain;
      const entry = toEntry(chain, message, details);
      if (entry) await appendNew(leaf, entry);
      if (message.type === 'assistant') lastAnswer = message.uuid;
      return entry === null || message.type === 'system'
        ? message
        : { ...message, timestamp: entry.timestamp as string };
    },
    ...(store?.mark && { mark: async (calls: readonly string[], mark: CallMark) => store.mark?.(key, calls, mark) }),
    async join(input, { uuid, permissionMode, attachments }) {
      const before = await checkpoint(uuid);
      const { leaf } = chain;
      const said = chain.userEntry(input.message as JsonObject, { uuid, permissionMode, origin: input.origin });
      const entries = [chain.queueOperation('remove'), ...before, said, ...attached(chain, attachments)];
      await appendSaid(input)(leaf, ...entries);
    },
    async attach(attachments) {
      const { leaf } = chain;
      if (attachments.length > 0) await appendNew(leaf, ...attached(chain, attachments));
    },
    async localCommand(command) {
      const { leaf } = chain;
      const { entries, seen } = localCommandEntries(chain, command);
      await append(leaf, ...entries);
      return seen;
    },
    async retain(retained) {
      if (retained.length === 0) return;
      const { leaf } = chain;
      await append(leaf, ...retained.map((each) => retainedEntry(chain, each)));
    },
    async fileSnapshot(snapshot) {
      const messageId = lastAnswer ?? snapshot.messageId;
      await append(chain.leaf, chain.fileSnapshot(snapshot, { messageId, isUpdate: true }));
    },
    get leaf() {
      return chain.leaf;
    },
    moveTo: (uuid) => chain.moveTo(uuid),
    rewind: (uuids) => writer.rewind(uuids),
    events: createEventRecorder(chain, writer),
    state: createStateRecorder(transcript, writer),
  };
}

/** The entry for a message, or null for messages that are not recorded: stream events, status lines, results. */
function toEntry(chain: Chain, message: Message, details: EntryDetails): Entry | null {
  switch (message.type) {
    case 'assistant':
      return assistantEntry(chain, message, details);
    case 'user':
      return userEntry(chain, message, details);
    case 'system':
      return message.subtype === 'compact_boundary' ? boundaryEntry(chain, message, details) : null;
    default:
      return null;
  }
}

/** The entries for a command and for the text it expands to. */
function commandEntries(chain: Chain, uuid: string, { said, blocks, uuid: textUuid }: ExpandedCommand): Entry[] {
  return [
    chain.userEntry({ role: 'user', content: said }, { uuid }),
    chain.userEntry({ role: 'user', content: blocks }, { uuid: textUuid, isMeta: true }),
  ];
}

function attached(chain: Chain, attachments: readonly AttachmentEntry[]): Entry[] {
  return attachments.map(({ attachment, uuid }) => chain.attachmentEntry(attachment, { uuid }));
}

/** A retained message repeats an earlier one; viewers show it only at its first place. */
function retainedEntry(chain: Chain, { retained, uuid }: RetainedEntry): Entry {
  if (!('role' in retained)) return chain.attachmentEntry(retained, { uuid });
  const { role, content, model, providerMetadata } = retained as ApiMessage;
  if (role === 'user') return chain.userEntry({ role, content }, { uuid, isMeta: true });
  const usage = { input_tokens: 0, output_tokens: 0 };
  const message = { id: `msg_${uuid}`, type: 'message', role, model, content, stop_reason: null, usage };
  return chain.assistantEntry(message, { uuid, providerMetadata });
}

function assistantEntry(chain: Chain, { message, uuid, error }: AssistantMessage, details: EntryDetails): Entry {
  if (error) return chain.assistantEntry(message as JsonObject, { uuid, error });
  const { context_management: _, ...stored } = message as JsonObject;
  const { requestId, providerMetadata } = details;
  return chain.assistantEntry({ ...stored, ...details.final }, { uuid, requestId, providerMetadata });
}

function userEntry(chain: Chain, line: UserMessage, details: EntryDetails): Entry {
  const { message, uuid } = line;
  const [block] = message.content as ContentBlock[];
  if (block?.type === 'tool_result' && details.sourceToolAssistantUUID !== undefined) {
    return chain.toolResultEntry(block as ToolResultBlock, {
      uuid,
      toolUseResult: line.tool_use_result,
      sourceToolAssistantUUID: details.sourceToolAssistantUUID,
    });
  }
  const { isMeta, isCompactSummary, sourceToolUseID } = details;
  // A summary and what the runtime says are stored as plain text, whatever the line on the wire looks like (wire.md 8).
  const isPlain = isCompactSummary || (isMeta && sourceToolUseID === undefined);
  const stored = isPlain && block?.type === 'text' ? { role: 'user', content: block.text } : message;
  return chain.userEntry(stored as JsonObject, { uuid, isMeta, isCompactSummary, sourceToolUseID });
}

function boundaryEntry(chain: Chain, { uuid, compact_metadata }: CompactBoundaryMessage, details: EntryDetails): Entry {
  const { trigger, pre_tokens: preTokens } = compact_metadata;
  return chain.compactBoundary('Conversation compacted', { uuid, trigger, preTokens, ...details.compacted });
}
