import type { ApiMessage } from '../model/model.ts';
import type { CallMark } from '../sessions/store.ts';
import type { JsonObject } from '../util/json.ts';
import type { Message } from '../wire/messages/index.ts';
import type { ProviderMetadata } from '../wire/provider-metadata.ts';
import type { Attachment } from './attachment.ts';

/** The conversation that a turn continues: its messages, and the single place that records them. */
export interface TurnConversation {
  /** The conversation so far, the new user message included. The loop appends to it. */
  readonly messages: ApiMessage[];
  /** The use of the model's window, shared by all turns of the session. */
  readonly window: ContextWindow;
  /** Resolves with the message once it is on disk, ready to be yielded. */
  record(message: Message, details?: EntryDetails): Promise<Message>;
  /** Notes how far these calls have come, so that another process can continue the turn; absent: nobody notes it. */
  mark?(calls: readonly string[], mark: CallMark): Promise<void>;
  /** Records the messages that stay after a summary, so that a resume sends the same. */
  retain(retained: readonly RetainedEntry[]): Promise<void>;
  /** The attachments that the model needs again after a summary: environment facts, the date, memory files. */
  pendingAttachments(): Promise<readonly Attachment[]>;
  /** Records context that hooks add. The caller adds it to the conversation. */
  attach(attachments: readonly Attachment[]): Promise<void>;
  /** Moves the end of the chain back to the start of a failed attempt, so that the retry has the same parent. */
  rewind(uuids: readonly string[]): void;
}

/** Fields of an entry in addition to its message. */
export interface EntryDetails {
  requestId?: string | null;
  /**
   * Fields known only at the end of an answer, after the line of its last block was made: the stop reason and the token
   * counts.
   */
  final?: JsonObject;
  /** What the provider added to the block, and expects back. */
  providerMetadata?: ProviderMetadata;
  sourceToolAssistantUUID?: string;
  /** Set when the runtime wrote the message, not a person. */
  isMeta?: true;
  isCompactSummary?: true;
  /** The call that brought this text. */
  sourceToolUseID?: string;
  /** For a compaction: the details of its boundary except the trigger, spelled as in files. */
  compacted?: JsonObject;
}

/** A message or an attachment that stays after a summary, and the uuid of its new entry. */
export interface RetainedEntry {
  retained: ApiMessage | Attachment;
  uuid: string;
}

export interface CountedTokens {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
}

export interface ContextWindow {
  /** The tokens of the last request and its answer; 0 when unknown. */
  tokens: number;
  /** The API's own count of the tokens, if this process has asked for it. */
  counted?: CountedTokens;
  readonly window: number;
  /** The number of tokens from which on the conversation is compacted. Null: never automatically. */
  readonly compactAt: number | null;
  /** Compactions in a row after which the next request was still too long. */
  failedInARow: number;
}
