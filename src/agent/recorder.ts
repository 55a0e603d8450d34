import type { Chain } from '../sessions/chain.ts';
import type { SessionKey, SessionStore } from '../sessions/store.ts';
import type { JsonObject } from '../util/json.ts';
import type { ContentBlock, ToolResultBlock } from '../wire/content.ts';
import type { Entry } from '../wire/entries.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';

/** What an entry holds beyond its message. */
export interface EntryFacts {
  requestId?: string | null;
  sourceToolAssistantUUID?: string;
}

/** Writes the transcript. What it has returned is on disk (ruling K35). */
export interface Recorder {
  /** Records what the user said, with the reminder that goes along, if any. Resolves with the message's uuid. */
  prompt(input: UserInput, context: PromptContext): Promise<string>;
  /** Records a message of the conversation and hands it back; messages that are not part of it pass straight through. */
  record(message: Message, facts?: EntryFacts): Promise<Message>;
  /** Goes on from where the first of these entries hangs. */
  rewind(uuids: readonly string[]): void;
}

export interface PromptContext {
  uuid: string;
  permissionMode: string;
  reminder: { type: string; content: string; uuid: string } | null;
}

/** Where entries go; null when nothing is to be kept. */
export interface Transcript {
  key: SessionKey;
  store: SessionStore | null;
  chain: Chain;
}

export function createRecorder({ key, store, chain }: Transcript): Recorder {
  const parents = new Map<string, string | null>();
  /** What could not be stored is taken off the chain again, so that the next entry hangs from what is really there. */
  const append = async (leafBefore: string | null, ...entries: Entry[]) => {
    for (const { uuid, parentUuid } of entries) {
      if (typeof uuid === 'string') parents.set(uuid, (parentUuid as string | null | undefined) ?? null);
    }
    try {
      await store?.append(key, entries);
    } catch (error) {
      chain.moveTo(leafBefore);
      throw error;
    }
  };
  return {
    async prompt(input, { uuid, permissionMode, reminder }) {
      parents.clear(); // only the entries of the running turn can still be rewound
      const { leaf } = chain;
      const entries = [
        chain.queueOperation('dequeue'),
        chain.userEntry(input.message as JsonObject, { uuid, permissionMode }),
      ];
      if (reminder) {
        const { type, content } = reminder;
        entries.push(chain.attachmentEntry({ type, content }, { uuid: reminder.uuid }));
      }
      await append(leaf, ...entries);
      return uuid;
    },
    async record(message, facts = {}) {
      const { leaf } = chain;
      const entry = toEntry(chain, message, facts);
      if (entry) await append(leaf, entry);
      return message;
    },
    rewind(uuids) {
      const [first] = uuids;
      if (first !== undefined && parents.has(first)) chain.moveTo(parents.get(first) ?? null);
    },
  };
}

/** The entry for a message, or null for what is not recorded: stream events, status lines, results. */
function toEntry(chain: Chain, message: Message, facts: EntryFacts): Entry | null {
  if (message.type === 'assistant') {
    const { context_management: _, ...stored } = message.message as JsonObject;
    const { requestId } = facts;
    return chain.assistantEntry(stored, {
      uuid: message.uuid,
      requestId,
      ...(message.error && { error: message.error }),
    });
  }
  if (message.type !== 'user') return null;
  const [block] = message.message.content as ContentBlock[];
  if (block?.type === 'tool_result' && facts.sourceToolAssistantUUID !== undefined) {
    return chain.toolResultEntry(block as ToolResultBlock, {
      uuid: message.uuid,
      toolUseResult: message.tool_use_result,
      sourceToolAssistantUUID: facts.sourceToolAssistantUUID,
    });
  }
  return chain.userEntry(message.message as JsonObject, { uuid: message.uuid });
}
