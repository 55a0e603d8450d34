import type { UUID } from 'node:crypto';
import type { ApiAnswer, ApiStreamEvent } from '../api/api-answer.ts';
import type { ApiMessageParam, ApiUserContent } from '../api/api-input.ts';
import type { NonNullableUsage } from '../api/usage.ts';
import type { ControlCancelFrame, ControlRequestFrame, ControlResponseFrame } from '../link/frames.ts';
import type { AssistantMessage } from './assistant.ts';
import type { SystemInitMessage } from './init.ts';
import type * as notices from './notices.ts';
import type * as other from './other.ts';
import type { ResultError, ResultSuccess } from './result.ts';
import type { StreamEventMessage } from './stream-event.ts';
import type * as system from './system.ts';
import type * as tasks from './tasks.ts';
import type { UserInput, UserMessage } from './user.ts';

/**
 * The messages of a run under the names that hosts of the reference SDK import: exactly the kinds of its version
 * 0.3.325, so that a `switch` over them that was written for it compiles. Kinds that only Heddle or later versions have
 * also arrive, as for any host that is older than its CLI; the type `Message` has them all.
 */
export type SDKMessage<Output = unknown> =
  | SDKAssistantMessage
  | SDKUserMessageSaid
  | SDKUserMessageReplay
  | SDKResultMessage<Output>
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKAPIRetryMessage
  | SDKControlRequestProgressMessage
  | SDKModelRefusalFallbackMessage
  | SDKModelRefusalNoFallbackMessage
  | SDKLocalCommandOutputMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKPluginInstallMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKTaskNotificationMessage
  | SDKTaskStartedMessage
  | SDKTaskUpdatedMessage
  | SDKTaskProgressMessage
  | SDKBackgroundTasksChangedMessage
  | SDKThinkingTokensMessage
  | SDKSessionStateChangedMessage
  | SDKWorkerShuttingDownMessage
  | SDKCommandsChangedMessage
  | SDKNotificationMessage
  | SDKFilesPersistedEvent
  | SDKToolUseSummaryMessage
  | SDKMemoryRecallMessage
  | SDKRateLimitEvent
  | SDKElicitationCompleteMessage
  | SDKPermissionDeniedMessage
  | SDKPromptSuggestionMessage
  | SDKMirrorErrorMessage
  | SDKInformationalMessage
  | SDKConversationResetMessage
  | SDKSessionWritesLostMessage;

/** A message as hosts read it: its uuid has the type UUID of Node. */
type Said<Line> = Omit<Line, 'uuid'> & {
  /** The id of this message. A host can continue a conversation from a prompt or an answer by this id. */
  uuid: UUID;
};

export type SDKAssistantMessage = Said<Omit<AssistantMessage, 'message' | 'supersedes' | 'aborted'>> & {
  /** The answer as the model's API sent it, one block in each message. */
  message: ApiAnswer;
  /** The messages that this one replaces. A `system/superseded` line also names them. */
  supersedes?: UUID[];
  /** The answer was cut off here. */
  aborted?: true;
};
/**
 * A user message. Hosts write it and need only `type` and `message`. A message that an agent printed always has a
 * `session_id` and a `parent_tool_use_id`.
 */
export type SDKUserMessage = Omit<
  UserMessage,
  'uuid' | 'isReplay' | 'session_id' | 'parent_tool_use_id' | 'message' | 'file_attachments'
> &
  Pick<UserInput, 'session_id' | 'parent_tool_use_id' | 'shouldQuery' | 'client_composed' | 'inline_pastes'> & {
    message: ApiMessageParam;
    uuid?: string;
    /** Pasted content that is not in `message`. Heddle appends it in this order and uses only its texts. */
    pasted_content?: ApiMessageParam['content'][];
    /** The position in the queue. Default: `next`. */
    priority?: 'now' | 'next' | 'later';
  };
/** A user message that the agent printed. */
type SDKUserMessageSaid = Omit<SDKUserMessage, 'message' | 'uuid' | 'client_composed' | 'pasted_content'> &
  Pick<UserMessage, 'session_id' | 'parent_tool_use_id'> & {
    message: { role: 'user'; content: ApiUserContent };
    uuid?: UUID;
  };
export type SDKUserMessageReplay = Said<Omit<UserMessage, 'message'>> & {
  message: { role: 'user'; content: ApiUserContent };
  isReplay: true;
};
/**
 * A result of a turn that ended by itself. `Output` is the type of `structured_output`, derived from the requested
 * schema.
 */
export type SDKResultSuccess<Output = unknown> = Said<Omit<ResultSuccess, 'structured_output' | 'usage'>> & {
  /** Tokens of this turn. */
  usage: NonNullableUsage;
  /** The answer in the shape that was asked for. Set unless `is_error` is true. */
  structured_output?: Output;
};
export type SDKResultError = Said<Omit<ResultError, 'usage'>> & {
  /** Tokens of this turn. */
  usage: NonNullableUsage;
};
export type SDKResultMessage<Output = unknown> = SDKResultSuccess<Output> | SDKResultError;
export type SDKSystemMessage = Said<SystemInitMessage>;
export type SDKPartialAssistantMessage = Said<Omit<StreamEventMessage, 'event'>> & {
  /** The event as the model's API sent it. `textStream` of a run yields only the text of these events. */
  event: ApiStreamEvent;
};
type CompactMetadata = system.CompactBoundaryMessage['compact_metadata'];
export type SDKCompactBoundaryMessage = Said<Omit<system.CompactBoundaryMessage, 'compact_metadata'>> & {
  compact_metadata: Omit<CompactMetadata, 'preserved_segment' | 'preserved_messages'> & {
    /** The position of the messages that stay word for word: after `anchor_uuid`, the summary, in this order. */
    preserved_segment?: { head_uuid: UUID; anchor_uuid: UUID; tail_uuid: UUID };
    preserved_messages?: { anchor_uuid: UUID; uuids: UUID[] };
  };
};
export type SDKStatusMessage = Said<system.StatusMessage>;
export type SDKHookStartedMessage = Said<system.HookStartedMessage>;
export type SDKHookProgressMessage = Said<system.HookProgressMessage>;
export type SDKHookResponseMessage = Said<system.HookResponseMessage>;
export type SDKFilesPersistedEvent = Said<system.FilesPersistedMessage>;
export type SDKToolProgressMessage = Said<other.ToolProgressMessage>;
export type SDKToolUseSummaryMessage = Said<other.ToolUseSummaryMessage>;
export type SDKAuthStatusMessage = Said<other.AuthStatusMessage>;
export type SDKConversationResetMessage = Said<other.ConversationResetMessage>;
export type SDKRateLimitEvent = Said<other.RateLimitMessage>;
export type SDKRateLimitInfo = other.RateLimitInfo;
export type SDKPromptSuggestionMessage = Said<other.PromptSuggestionMessage>;
export type SDKTaskNotificationMessage = Said<tasks.TaskNotificationMessage>;
export type SDKTaskStartedMessage = Said<tasks.TaskStartedMessage>;
export type SDKTaskProgressMessage = Said<tasks.TaskProgressMessage>;
export type SDKTaskUpdatedMessage = Said<tasks.TaskUpdatedMessage>;
export type SDKBackgroundTasksChangedMessage = Said<tasks.BackgroundTasksChangedMessage>;
export type SDKAPIRetryMessage = Said<notices.ApiRetryMessage>;
export type SDKModelRefusalFallbackMessage = Said<notices.ModelRefusalFallbackMessage>;
export type SDKModelRefusalNoFallbackMessage = Said<notices.ModelRefusalNoFallbackMessage>;
export type SDKPermissionDeniedMessage = Said<notices.PermissionDeniedMessage>;
export type SDKInformationalMessage = Said<notices.InformationalMessage>;
export type SDKNotificationMessage = Said<notices.NotificationMessage>;
export type SDKSessionStateChangedMessage = Said<notices.SessionStateChangedMessage>;
export type SDKLocalCommandOutputMessage = Said<notices.LocalCommandOutputMessage>;
export type SDKCommandsChangedMessage = Said<notices.CommandsChangedMessage>;
export type SDKMirrorErrorMessage = Said<notices.MirrorErrorMessage>;
export type SDKSessionWritesLostMessage = Said<notices.SessionWritesLostMessage>;
export type SDKElicitationCompleteMessage = Said<notices.ElicitationCompleteMessage>;
export type SDKThinkingTokensMessage = Said<notices.ThinkingTokensMessage>;
export type SDKControlRequestProgressMessage = Said<notices.ControlRequestProgressMessage>;
export type SDKPluginInstallMessage = Said<notices.PluginInstallMessage>;
export type SDKWorkerShuttingDownMessage = Said<notices.WorkerShuttingDownMessage>;
export type SDKMemoryRecallMessage = Said<notices.MemoryRecallMessage>;
/** A message of the reference's own interface. The reference does not include it in `SDKMessage` either. */
export type SDKActiveGoalMessage = Said<other.ActiveGoalMessage>;

/** All lines of stdout: the public messages and the kinds that never reach consumers. */
export type StdoutMessage =
  | SDKMessage
  | other.StreamlinedTextMessage
  | other.StreamlinedToolUseSummaryMessage
  | other.KeepAliveMessage
  | ControlRequestFrame
  | ControlResponseFrame
  | ControlCancelFrame;
