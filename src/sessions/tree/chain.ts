import type { JsonObject } from '../../util/json.ts';
import type { Clock } from '../../util/runtime.ts';
import type { ToolResultBlock } from '../../wire/api/content.ts';
import type { Entry } from '../../wire/entries.ts';
import type { ProviderMetadata } from '../../wire/provider-metadata.ts';
import type { FileSnapshot } from './checkpoint-entries.ts';

/** The fields that all entries of a chain have in common. */
export interface ChainDetails {
  cwd: string;
  sessionId: string;
  version: string;
  /** `HEAD` outside a repository, as the reference writes it. */
  gitBranch: string;
  userType: string;
  isSidechain: boolean;
  /** A subagent's id, in its own transcript. */
  agentId?: string;
  /** The leaf to continue from; null for a new root. */
  parentUuid: string | null;
  clock: Pick<Clock, 'now'>;
}

/**
 * Every entry with a position in the tree gets its uuid from the caller, because the line on the wire carries the same
 * one.
 */
interface Identity {
  uuid: string;
}

/** Makes the entries of a transcript, each linked to the one before. Does no I/O. */
export interface Chain {
  /** The node to which the next entry is linked. */
  readonly leaf: string | null;
  /**
   * Continues from another node: an edited prompt, another branch, the parent of a failed attempt; null is a new root.
   */
  moveTo(leaf: string | null): void;
  readonly planName: string | undefined;
  /** Sets the three-word name of the session's plan for the envelopes of later entries. */
  assignPlanName(words: string): void;

  userEntry(message: JsonObject, fields: Identity & UserFields): Entry;
  /** One block of an answer, or an error instead of it. */
  assistantEntry(message: JsonObject, fields: Identity & AssistantFields): Entry;
  /** Linked to the entry that made the call, not to the leaf: parallel results are siblings. */
  toolResultEntry(block: ToolResultBlock, fields: Identity & ToolResultFields): Entry;
  attachmentEntry(attachment: JsonObject & { type: string }, fields: Identity): Entry;
  systemEntry(subtype: string, fields: Identity & JsonObject): Entry;
  /**
   * A root to which the summary is linked: readers that walk up stop here. The link to the earlier conversation stays
   * for viewers.
   */
  compactBoundary(content: string, fields: Identity & CompactMetadata): Entry;
  progressEntry(data: JsonObject, fields: Identity & { toolUseID: string; parentToolUseID: string }): Entry;
  /** Not a node: the leaf stays the same. */
  queueOperation(operation: 'enqueue' | 'dequeue' | 'remove', content?: string): Entry;
  /** Not a node either. `messageId` is the message that brought it, the snapshot's own is the prompt it belongs to. */
  fileSnapshot(snapshot: FileSnapshot, fields: { messageId: string; isUpdate: boolean }): Entry;
}

/** The metadata of a compaction: its trigger, and how much remains. */
export interface CompactMetadata extends JsonObject {
  trigger: 'manual' | 'auto';
  preTokens: number;
}

export interface UserFields {
  permissionMode?: string;
  /** Written by the runtime, not by a person. */
  isMeta?: true;
  isCompactSummary?: true;
  /** The call that brought this text, e.g. a skill's body. */
  sourceToolUseID?: string;
  /** The author of the text, if it was not the person at the host. */
  origin?: JsonObject | undefined;
}

export interface AssistantFields {
  requestId?: string | null | undefined;
  /** What the provider added to the answer. */
  providerMetadata?: ProviderMetadata | undefined;
  /** The entry is an error text, not an answer; the value is one of the wire's `error` values. */
  error?: string;
}

export interface ToolResultFields {
  sourceToolAssistantUUID: string;
  toolUseResult?: unknown;
}

export function createChain(details: ChainDetails): Chain {
  let leaf = details.parentUuid;
  let planName: string | undefined;

  /** Adds an entry at `parent`; the order of the keys is the reference's (wire.md 8.2). */
  const grow = (uuid: string, fields: JsonObject & { type: string }, parent: string | null = leaf): Entry => {
    leaf = uuid;
    return { parentUuid: parent, ...envelope(details, planName), ...defined(fields) };
  };
  const timestamp = () => new Date(details.clock.now()).toISOString();

  return {
    get leaf() {
      return leaf;
    },
    moveTo(node) {
      leaf = node;
    },
    get planName() {
      return planName;
    },
    assignPlanName(words) {
      planName = words;
    },

    userEntry(message, { uuid, permissionMode, isMeta, isCompactSummary, sourceToolUseID, origin }) {
      const summary = isCompactSummary && { isVisibleInTranscriptOnly: true, isCompactSummary };
      const identity = { uuid, timestamp: timestamp() };
      const told = { permissionMode, sourceToolUseID, origin };
      return grow(uuid, { type: 'user', message, isMeta, ...summary, ...identity, ...told });
    },

    assistantEntry(message, { uuid, requestId, error, providerMetadata }) {
      const identity = {
        type: 'assistant',
        uuid,
        timestamp: timestamp(),
        ...(providerMetadata && { providerMetadata }),
      };
      if (error !== undefined) {
        const apiError = error === 'max_output_tokens' ? error : undefined;
        return grow(uuid, { ...identity, message, apiError, error, isApiErrorMessage: true });
      }
      return grow(uuid, { message, requestId: requestId ?? undefined, ...identity });
    },

    toolResultEntry(block, { uuid, toolUseResult, sourceToolAssistantUUID }) {
      const message = { role: 'user', content: [block] };
      // As in the reference, an agent's own file has only what the model received.
      const told = details.isSidechain ? undefined : toolUseResult;
      const fields = { uuid, timestamp: timestamp(), toolUseResult: told, sourceToolAssistantUUID };
      return grow(uuid, { type: 'user', message, ...fields }, sourceToolAssistantUUID);
    },

    attachmentEntry: (attachment, { uuid }) =>
      grow(uuid, { type: 'attachment', attachment, uuid, timestamp: timestamp() }),

    systemEntry: (subtype, { uuid, ...fields }) =>
      grow(uuid, { type: 'system', subtype, ...fields, timestamp: timestamp(), uuid }),

    compactBoundary(content, { uuid, ...compactMetadata }) {
      const logicalParentUuid = leaf;
      const fields = { content, isMeta: false, timestamp: timestamp(), uuid, level: 'info', compactMetadata };
      const entry = grow(uuid, { type: 'system', subtype: 'compact_boundary', ...fields }, null);
      return { parentUuid: null, logicalParentUuid, ...entry };
    },

    progressEntry: (data, { uuid, toolUseID, parentToolUseID }) =>
      grow(uuid, { type: 'progress', data, parentToolUseID, toolUseID, timestamp: timestamp(), uuid }),

    queueOperation(operation, content) {
      const fields = { operation, timestamp: timestamp(), sessionId: details.sessionId };
      return { type: 'queue-operation', ...fields, ...defined({ content }) };
    },

    fileSnapshot: (snapshot, { messageId, isUpdate }) => {
      return { type: 'file-history-snapshot', messageId, snapshot, isSnapshotUpdate: isUpdate };
    },
  };
}

function envelope(details: ChainDetails, planName: string | undefined): JsonObject {
  const { isSidechain, userType, cwd, sessionId, version, gitBranch, agentId } = details;
  return { isSidechain, userType, cwd, sessionId, version, gitBranch, ...defined({ agentId, slug: planName }) };
}

/** Removes keys whose value is undefined: they would not be in the file either. */
function defined<T extends JsonObject>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
