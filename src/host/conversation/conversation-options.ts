import type { Recorder } from '../../agent/messages/recorder.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { TodoList } from '../../tools/task-list/todo-list.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { PermissionMode } from '../../wire/permissions.ts';
import type { UnreportedTasks } from '../background/unreported-tasks.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { Lazy } from '../engine/lazy.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { OpenTranscript } from '../resume/open-transcript.ts';
import type { ConversationContext } from './conversation-context.ts';
import type { SessionTitle } from './session-title.ts';

/** What a conversation is made of. */
export interface ConversationOptions {
  sessionId: string;
  runtime: Runtime;
  transcript: ConversationTranscript;
  recorder: Recorder;
  messages: ApiMessage[];
  context: ConversationContext;
  hooks: Lazy<Pick<SessionHooks, 'begin' | 'submit' | 'takeContexts'>>;
  permissions: { readonly policy: { readonly mode: PermissionMode } };
  title: SessionTitle;
  /** What only the conversation with the user has; absent for agents. */
  main?: MainConversationOptions;
}

export interface MainConversationOptions {
  /** Whether the conversation continues from an earlier message than the last one of the file. */
  leafIsChosen: boolean;
  /** The uuids that the session already uses. */
  uuids: Iterable<string>;
  /** Tasks of earlier processes; null for a new session. */
  earlierTasks: UnreportedTasks | null;
  /** Null unless files are saved for rewinds. */
  checkpoints: Checkpoints | null;
  todos: TodoList;
  /** Whether the host wants each user message sent back. */
  replayUserMessages: boolean;
}

/** The stored session that a conversation is read from and written to. */
export type ConversationTranscript = Pick<
  OpenTranscript,
  | ('key' | 'store' | 'isResumed' | 'isSaved' | 'path' | 'report' | 'historyAt' | 'release' | 'gitBranch' | 'spillDir')
  | ('forkedFrom' | 'answeredAt' | 'deferred' | 'unfinished' | 'lost')
>;
