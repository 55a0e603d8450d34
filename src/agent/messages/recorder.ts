import type { Chain } from '../sessions/chain.ts';
import type { FileSnapshot } from '../sessions/file-history.ts';
import type { AppendOptions, SessionKey, SessionStore } from '../sessions/store.ts';
import type { JsonObject } from '../util/json.ts';
import type { ContentBlock, ToolResultBlock } from '../wire/content.ts';
import type { Entry } from '../wire/entries.ts';
import type { AssistantMessage, CompactBoundaryMessage, Message, UserMessage } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { PlacedAttachment } from './attachment.ts';
import type { PlacedKept } from './kept.ts';

/** What an entry holds beyond its message. */
export interface EntryFacts {
  requestId?: string | null;
  /** What is known at the end of an answer, and not when the line about its block was made: why it stopped, its counts. */
  final?: JsonObject;
  sourceToolAssistantUUID?: string;
  /** Said by the runtime, not by a person. */
  isMeta?: true;
  isCompactSummary?: true;
  /** The call that brought this text. */
  sourceToolUseID?: string;
  /** Of a compaction: what its boundary tells beside what started it, as files spell it. */
  compacted?: JsonObject;
}

/** Writes the transcript. What it has returned is on disk (ruling K35). */
export interface Recorder {
  /** Records what the user said, with what goes along. Resolves with the message's uuid. */
  prompt(input: UserInput, context: PromptContext): Promise<string>;
  /** Records what an agent is to do, with what goes along. */
  task(prompt: string, context: Pick<PromptContext, 'uuid' | 'attachments'>): Promise<void>;
  /** Records that something waits to be told to the model, so that it is not lost when this process ends. */
  enqueue(content: string): Promise<void>;
  /**
   * Records a message of the conversation and hands it back with the time of its entry; messages that are not part of it
   * pass straight through.
   */
  record(message: Message, facts?: EntryFacts): Promise<Message>;
  /** Records a message that joins a running turn (ruling K26). */
  fold(input: UserInput, context: PromptContext): Promise<void>;
  /** Records what is added to the conversation during a turn. */
  attach(attachments: readonly PlacedAttachment[]): Promise<void>;
  /** Records that a hook was started. */
  progress(data: JsonObject, fields: { uuid: string; toolUseID: string }): Promise<void>;
  /** Records something about the conversation that is no part of it. */
  system(subtype: string, fields: JsonObject & { uuid: string }): Promise<void>;
  /** Records a command that was answered here, and what it said. Resolves with what the model will see of it. */
  localCommand(command: RecordedCommand): Promise<ContentBlock[]>;
  /** Records that a prompt was taken from the queue which is recorded later. */
  dequeue(): Promise<void>;
  /** Records a command that nothing here knows. It is no part of the conversation. */
  unknownCommand(command: { content: string; uuid: string }): Promise<void>;
  /** Records messages once more, and what is told again, behind the summary that replaced all before it. */
  keep(kept: readonly PlacedKept[]): Promise<void>;
  /** Records a message that will not be answered any more, because everything ends. */
  cancel(input: UserInput): Promise<void>;
  /** Records that more files belong to the checkpoint of a prompt, as found out by the latest answer's calls. */
  fileSnapshot(snapshot: FileSnapshot): Promise<void>;
  /** Records that the permission mode is another one now (ruling K35). */
  mode(mode: string): Promise<void>;
  /** Records what the session has cost so far, once per turn. */
  cost(state: JsonObject): Promise<void>;
  /** Where the next entry hangs from; null when it begins a conversation. */
  readonly leaf: string | null;
  /** Goes on from another entry of the session: what was written since stays, as another branch. Null: a new root. */
  goOnFrom(uuid: string | null): void;
  /** Records that the conversation goes on from here, for whoever resumes it (ruling K21). */
  markLeaf(lastPrompt: string): Promise<void>;
  /** Records the title of the session. */
  title(title: string): Promise<void>;
  /** Goes on from where the first of these entries hangs. */
  rewind(uuids: readonly string[]): void;
}

export interface RecordedCommand {
  name: string;
  args: string;
  /** What was said in front of it. */
  before?: readonly ContentBlock[];
  output: string;
  uuids: { caveat: string; command: string; output: string };
  /** Whether a prompt was taken from the queue for it. */
  dequeue: boolean;
}

export interface PromptContext {
  uuid: string;
  permissionMode: string;
  attachments: readonly PlacedAttachment[];
  /** What a command stands for that the user has called (wire.md 8.3). */
  expanded?: ExpandedCommand;
}

export interface ExpandedCommand {
  said: string;
  /** What was said in front of it, and the text it stands for. */
  blocks: readonly ContentBlock[];
  /** Of the entry with the text. */
  uuid: string;
}

/** Where entries go; null when nothing is to be kept. */
export interface Transcript {
  key: SessionKey;
  store: SessionStore | null;
  chain: Chain;
  /** The file checkpoint that goes with a user message, where they are on. */
  snapshotFor?: (uuid: string) => Promise<FileSnapshot> | null;
}

export function createRecorder({ key, store, chain, snapshotFor }: Transcript): Recorder {
  const parents = new Map<string, string | null>();
  let lastAnswer: string | null = null;
  /** What could not be stored is taken off the chain again, so that the next entry hangs from what is really there. */
  const appendGroup = async (leafBefore: string | null, entries: readonly Entry[], options: AppendOptions) => {
    for (const { uuid, parentUuid } of entries) {
      if (typeof uuid === 'string') parents.set(uuid, (parentUuid as string | null | undefined) ?? null);
    }
    try {
      await store?.append(key, entries, options);
    } catch (error) {
      chain.moveTo(leafBefore);
      throw error;
    }
  };
  const append = (leafBefore: string | null, ...entries: Entry[]) => appendGroup(leafBefore, entries, {});
  /** With uuids that were made here. Those of a message may be its sender's, who sends it again when in doubt. */
  const appendNew = (leafBefore: string | null, ...entries: Entry[]) =>
    appendGroup(leafBefore, entries, { areNew: true });
  const appendSaid = (input: UserInput) => (input.uuid === undefined ? appendNew : append);
  const checkpoint = async (uuid: string): Promise<Entry[]> => {
    const snapshot = await snapshotFor?.(uuid);
    lastAnswer = null;
    return snapshot ? [chain.fileSnapshot(snapshot, { messageId: uuid, isUpdate: false })] : [];
  };
  return {
    async prompt(input, { uuid, permissionMode, attachments, expanded }) {
      parents.clear(); // only the entries of the running turn can still be rewound
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
      parents.clear();
      const { leaf } = chain;
      const said = chain.userEntry({ role: 'user', content: prompt }, { uuid });
      await appendNew(leaf, said, ...attached(chain, attachments));
    },
    async enqueue(content) {
      await append(chain.leaf, chain.queueOperation('enqueue', content));
    },
    async record(message, facts = {}) {
      const { leaf } = chain;
      const entry = toEntry(chain, message, facts);
      if (entry) await appendNew(leaf, entry);
      if (message.type === 'assistant') lastAnswer = message.uuid;
      return entry === null || message.type === 'system'
        ? message
        : { ...message, timestamp: entry.timestamp as string };
    },
    async fold(input, { uuid, permissionMode, attachments }) {
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
    async progress(data, { uuid, toolUseID }) {
      const { leaf } = chain;
      await appendNew(leaf, chain.progressEntry(data, { uuid, toolUseID, parentToolUseID: toolUseID }));
    },
    async system(subtype, fields) {
      const { leaf } = chain;
      await appendNew(leaf, chain.systemEntry(subtype, fields));
    },
    async fileSnapshot(snapshot) {
      const messageId = lastAnswer ?? snapshot.messageId;
      await append(chain.leaf, chain.fileSnapshot(snapshot, { messageId, isUpdate: true }));
    },
    async localCommand(command) {
      const { localCommandEntries } = await import('./local-command-entries.ts');
      const { leaf } = chain;
      const { entries, seen } = localCommandEntries(chain, command);
      await append(leaf, ...entries);
      return seen;
    },
    async unknownCommand({ content, uuid }) {
      const { leaf } = chain;
      const fields = { content, level: 'info', isMeta: false, uuid };
      await append(leaf, chain.queueOperation('dequeue'), chain.systemEntry('local_command', fields));
    },
    async dequeue() {
      await append(chain.leaf, chain.queueOperation('dequeue'));
    },
    async keep(kept) {
      if (kept.length === 0) return;
      const { keptEntry } = await import('./kept-entry.ts');
      const { leaf } = chain;
      await append(leaf, ...kept.map((each) => keptEntry(chain, each)));
    },
    async cancel({ message: { content } }) {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      await append(chain.leaf, chain.queueOperation('enqueue', text), chain.queueOperation('remove'));
    },
    async mode(mode) {
      await append(chain.leaf, { type: 'mode', mode, sessionId: key.sessionId });
    },
    async cost(state) {
      await append(chain.leaf, { type: 'cost-state', sessionId: key.sessionId, ...state });
    },
    get leaf() {
      return chain.leaf;
    },
    goOnFrom(uuid) {
      chain.moveTo(uuid);
    },
    async markLeaf(lastPrompt) {
      const { leaf } = chain;
      if (leaf !== null) {
        await append(leaf, { type: 'last-prompt', lastPrompt, leafUuid: leaf, sessionId: key.sessionId });
      }
    },
    async title(customTitle) {
      await append(chain.leaf, { type: 'custom-title', customTitle, sessionId: key.sessionId });
    },
    rewind(uuids) {
      const [first] = uuids;
      if (first !== undefined && parents.has(first)) chain.moveTo(parents.get(first) ?? null);
    },
  };
}

/** The entry for a message, or null for what is not recorded: stream events, status lines, results. */
function toEntry(chain: Chain, message: Message, facts: EntryFacts): Entry | null {
  switch (message.type) {
    case 'assistant':
      return assistantEntry(chain, message, facts);
    case 'user':
      return userEntry(chain, message, facts);
    case 'system':
      return message.subtype === 'compact_boundary' ? boundaryEntry(chain, message, facts) : null;
    default:
      return null;
  }
}

/** Which command it was, and what it stands for. */
function commandEntries(chain: Chain, uuid: string, { said, blocks, uuid: textUuid }: ExpandedCommand): Entry[] {
  return [
    chain.userEntry({ role: 'user', content: said }, { uuid }),
    chain.userEntry({ role: 'user', content: blocks }, { uuid: textUuid, isMeta: true }),
  ];
}

function attached(chain: Chain, attachments: readonly PlacedAttachment[]): Entry[] {
  return attachments.map(({ attachment, uuid }) => chain.attachmentEntry(attachment, { uuid }));
}

function assistantEntry(chain: Chain, { message, uuid, error }: AssistantMessage, facts: EntryFacts): Entry {
  if (error) return chain.assistantEntry(message as JsonObject, { uuid, error });
  const { context_management: _, ...stored } = message as JsonObject;
  return chain.assistantEntry({ ...stored, ...facts.final }, { uuid, requestId: facts.requestId });
}

function userEntry(chain: Chain, line: UserMessage, facts: EntryFacts): Entry {
  const { message, uuid } = line;
  const [block] = message.content as ContentBlock[];
  if (block?.type === 'tool_result' && facts.sourceToolAssistantUUID !== undefined) {
    return chain.toolResultEntry(block as ToolResultBlock, {
      uuid,
      toolUseResult: line.tool_use_result,
      sourceToolAssistantUUID: facts.sourceToolAssistantUUID,
    });
  }
  const { isMeta, isCompactSummary, sourceToolUseID } = facts;
  // A summary and what the runtime says are stored as plain text, whatever the line on the wire looks like (wire.md 8).
  const isPlain = isCompactSummary || (isMeta && sourceToolUseID === undefined);
  const stored = isPlain && block?.type === 'text' ? { role: 'user', content: block.text } : message;
  return chain.userEntry(stored as JsonObject, { uuid, isMeta, isCompactSummary, sourceToolUseID });
}

function boundaryEntry(chain: Chain, { uuid, compact_metadata }: CompactBoundaryMessage, facts: EntryFacts): Entry {
  const { trigger, pre_tokens: preTokens } = compact_metadata;
  return chain.compactBoundary('Conversation compacted', { uuid, trigger, preTokens, ...facts.compacted });
}
