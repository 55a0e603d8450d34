import type { ControlCancelFrame, ControlRequestFrame, ControlResponseFrame } from '../control/frames.ts';
import type { AssistantMessage } from './assistant.ts';
import type { SystemInitMessage } from './init.ts';
import type {
  AuthStatusMessage,
  KeepAliveMessage,
  StreamlinedTextMessage,
  StreamlinedToolUseSummaryMessage,
  ToolProgressMessage,
  ToolUseSummaryMessage,
} from './other.ts';
import type { ResultError, ResultSuccess } from './result.ts';
import type { StreamEventMessage } from './stream-event.ts';
import type {
  CompactBoundaryMessage,
  FilesPersistedMessage,
  HookProgressMessage,
  HookResponseMessage,
  HookStartedMessage,
  StatusMessage,
} from './system.ts';
import type { TaskNotificationMessage } from './tasks.ts';
import type { UserInput, UserMessage } from './user.ts';

/**
 * The public messages under the names that hosts of the reference SDK 0.2.44 import: exactly its sixteen variants
 * [MSG-27]. Newer kinds arrive too, as for any host that is older than its CLI; `Message` has them all.
 */
export type SDKMessage<Output = unknown> =
  | SDKAssistantMessage
  | (SDKUserMessage & Pick<UserMessage, 'session_id' | 'parent_tool_use_id'>)
  | SDKUserMessageReplay
  | SDKResultMessage<Output>
  | SDKSystemMessage
  | SDKPartialAssistantMessage
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKTaskNotificationMessage
  | SDKFilesPersistedEvent
  | SDKToolUseSummaryMessage;

export type SDKAssistantMessage = AssistantMessage;
/**
 * Written by hosts, who need to say no more than `type` and `message`, and read by them: what an agent has said always has
 * a `session_id` and a `parent_tool_use_id`.
 */
export type SDKUserMessage = Omit<UserMessage, 'uuid' | 'isReplay' | 'session_id' | 'parent_tool_use_id'> &
  Pick<UserInput, 'session_id' | 'parent_tool_use_id' | 'shouldQuery' | 'client_composed'> & {
    uuid?: string;
    /** Its place in the queue; `next` where it is not said. */
    priority?: 'now' | 'next' | 'later';
  };
export type SDKUserMessageReplay = UserMessage & { isReplay: true };
/** `Output` is the type of `structured_output`: that of the values of the schema that was asked for. */
export type SDKResultSuccess<Output = unknown> = Omit<ResultSuccess, 'structured_output'> & {
  /** The answer in the shape that was asked for. There unless `is_error` is true. */
  structured_output?: Output;
};
export type SDKResultError = ResultError;
export type SDKResultMessage<Output = unknown> = SDKResultSuccess<Output> | SDKResultError;
export type SDKSystemMessage = SystemInitMessage;
export type SDKPartialAssistantMessage = StreamEventMessage;
export type SDKCompactBoundaryMessage = CompactBoundaryMessage;
export type SDKStatusMessage = StatusMessage;
export type SDKHookStartedMessage = HookStartedMessage;
export type SDKHookProgressMessage = HookProgressMessage;
export type SDKHookResponseMessage = HookResponseMessage;
export type SDKToolProgressMessage = ToolProgressMessage;
export type SDKAuthStatusMessage = AuthStatusMessage;
export type SDKTaskNotificationMessage = TaskNotificationMessage;
export type SDKFilesPersistedEvent = FilesPersistedMessage;
export type SDKToolUseSummaryMessage = ToolUseSummaryMessage;

/** What may stand on stdout: the public messages and six kinds that never reach consumers [MSG-29]. */
export type StdoutMessage =
  | SDKMessage
  | StreamlinedTextMessage
  | StreamlinedToolUseSummaryMessage
  | KeepAliveMessage
  | ControlRequestFrame
  | ControlResponseFrame
  | ControlCancelFrame;
