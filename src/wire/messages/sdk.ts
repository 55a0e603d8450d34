import type { UUID } from 'node:crypto';
import type { ApiAnswer, ApiStreamEvent } from '../api-answer.ts';
import type { ApiMessageParam, ApiUserContent } from '../api-input.ts';
import type { ControlCancelFrame, ControlRequestFrame, ControlResponseFrame } from '../control/frames.ts';
import type { NonNullableUsage } from '../usage.ts';
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
 * The messages of a run under the names that hosts of the reference SDK import: exactly the kinds of its version 0.3.325,
 * so that a `switch` over them that was written for it compiles. Kinds of Heddle's own, and of later versions, arrive,
 * too, as for any host that is older than its CLI; `Message` has them all.
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

/** A message as hosts read it: its uuid is one by the types of Node, too. */
type Said<Line> = Omit<Line, 'uuid'> & {
  /** Of this message. A prompt or an answer can be continued from by it. */
  uuid: UUID;
};

export type SDKAssistantMessage = Said<Omit<AssistantMessage, 'message' | 'supersedes' | 'aborted'>> & {
  /** The answer as the model's API has sent it, one block in each message. */
  message: ApiAnswer;
  /** The messages that this one takes the place of; `system/superseded` says so, too. */
  supersedes?: UUID[];
  /** The answer was cut off here. */
  aborted?: true;
};
/**
 * Written by hosts, who need to say no more than `type` and `message`, and read by them: what an agent has said always has
 * a `session_id` and a `parent_tool_use_id`.
 */
export type SDKUserMessage = Omit<
  UserMessage,
  'uuid' | 'isReplay' | 'session_id' | 'parent_tool_use_id' | 'message' | 'file_attachments'
> &
  Pick<UserInput, 'session_id' | 'parent_tool_use_id' | 'shouldQuery' | 'client_composed' | 'inline_pastes'> & {
    message: ApiMessageParam;
    uuid?: string;
    /** What was pasted and is not in `message`: it follows what is, in this order. Only texts count. */
    pasted_content?: ApiMessageParam['content'][];
    /** Its place in the queue; `next` where it is not said. */
    priority?: 'now' | 'next' | 'later';
  };
/** A user message that the agent has printed. */
type SDKUserMessageSaid = Omit<SDKUserMessage, 'message' | 'uuid' | 'client_composed' | 'pasted_content'> &
  Pick<UserMessage, 'session_id' | 'parent_tool_use_id'> & {
    message: { role: 'user'; content: ApiUserContent };
    uuid?: UUID;
  };
export type SDKUserMessageReplay = Said<Omit<UserMessage, 'message'>> & {
  message: { role: 'user'; content: ApiUserContent };
  isReplay: true;
};
/** `Output` is the type of `structured_output`: that of the values of the schema that was asked for. */
export type SDKResultSuccess<Output = unknown> = Said<Omit<ResultSuccess, 'structured_output' | 'usage'>> & {
  /** Tokens of this turn. */
  usage: NonNullableUsage;
  /** The answer in the shape that was asked for. There unless `is_error` is true. */
  structured_output?: Output;
};
export type SDKResultError = Said<Omit<ResultError, 'usage'>> & {
  /** Tokens of this turn. */
  usage: NonNullableUsage;
};
export type SDKResultMessage<Output = unknown> = SDKResultSuccess<Output> | SDKResultError;
export type SDKSystemMessage = Said<SystemInitMessage>;
export type SDKPartialAssistantMessage = Said<Omit<StreamEventMessage, 'event'>> & {
  /** As the model's API sent it. `textStream` of a run has only the text in these. */
  event: ApiStreamEvent;
};
type CompactMetadata = system.CompactBoundaryMessage['compact_metadata'];
export type SDKCompactBoundaryMessage = Said<Omit<system.CompactBoundaryMessage, 'compact_metadata'>> & {
  compact_metadata: Omit<CompactMetadata, 'preserved_segment' | 'preserved_messages'> & {
    /** Where the messages that stay word for word stand: behind `anchor_uuid`, which is the summary, in this order. */
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
/** Of the reference's own surface; no part of `SDKMessage` there, either. */
export type SDKActiveGoalMessage = Said<other.ActiveGoalMessage>;

/** What may stand on stdout: the public messages and kinds that never reach consumers [MSG-29]. */
export type StdoutMessage =
  | SDKMessage
  | other.StreamlinedTextMessage
  | other.StreamlinedToolUseSummaryMessage
  | other.KeepAliveMessage
  | ControlRequestFrame
  | ControlResponseFrame
  | ControlCancelFrame;
