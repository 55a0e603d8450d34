import * as z from 'zod/mini';
import { Content } from '../api/content.ts';
import { open, word } from '../schema.ts';
import { identity, MessageOrigin, origin } from './common.ts';

export const ApiUserMessage = open(() => ({ role: z.literal('user'), content: Content }));
export type ApiUserMessage = z.infer<typeof ApiUserMessage>;

/** How the permission for a tool call was decided; comes with its result. */
const ToolResultMeta = open(() => ({
  id: z.string(),
  permission_decision: z.optional(
    open({ decision: z.string(), source: z.optional(z.string()), reason_type: z.optional(z.string()) }),
  ),
  non_execution_kind: z.optional(z.string()),
}));

/** A user message as the CLI prints it: tool results, injected text, replayed input. */
export const UserMessage = open(() => ({
  type: z.literal('user'),
  message: ApiUserMessage,
  /** The call that started the subagent of this message; null on the main thread. */
  parent_tool_use_id: z.nullable(z.string()),
  /** True: the runtime wrote the message, not a person. */
  isSynthetic: z.optional(z.boolean()),
  /** True: a replay of input that the host sent. Absent on tool results. */
  isReplay: z.optional(z.boolean()),
  /** Heddle's own, on replayed messages. True: the summary that replaced everything before it. */
  isCompactSummary: z.optional(z.boolean()),
  /** The tool's structured output; the string `Error: …` when the tool failed. */
  tool_use_result: z.optional(z.unknown()),
  ...identity,
  ...origin,

  // Later versions of the reference.
  timestamp: z.optional(z.string()),
  origin: z.optional(MessageOrigin),
  tool_result_meta: z.optional(z.array(ToolResultMeta)),
  /** Files of a replayed message. Heddle has none. */
  file_attachments: z.optional(z.array(z.unknown())),
}));
export type UserMessage = z.infer<typeof UserMessage>;

/** A user message as hosts send it. Only the content is required; the runtime fills in the other fields. */
export const UserInput = open(() => ({
  type: z.literal('user'),
  message: ApiUserMessage,
  uuid: z.optional(z.string()),
  /** Ignored: the connection determines the session. */
  session_id: z.optional(z.string()),
  parent_tool_use_id: z.optional(z.nullable(z.string())),
  isSynthetic: z.optional(z.boolean()),
  tool_use_result: z.optional(z.unknown()),

  /** The node to continue from. Absent: the active leaf. Null: a new root. */
  parentUuid: z.optional(z.nullable(z.string())),
  parent_uuid: z.optional(z.nullable(z.string())),
  /** Heddle's own: the prompt that this one replaces. The new prompt has the same parent. Excludes `parentUuid`. */
  edits: z.optional(z.string()),
  /**
   * Heddle's own: restores files before the turn, to their state at the edited prompt, or to the state in which the
   * conversation left them at `parentUuid`. Needs checkpoints; a `system/files_restored` line reports the result.
   */
  restore_files: z.optional(z.boolean()),
  /** The sender, where it is not the person at the host. The result carries it, too. */
  origin: z.optional(MessageOrigin),
  /** When the message was written, as an ISO time. */
  timestamp: z.optional(z.string()),
  priority: z.optional(word(['now', 'next', 'later'])),
  /** False appends the message without starting a turn. */
  shouldQuery: z.optional(z.boolean()),
  /** Takes the text literally: no `@path` expansion, no slash commands. */
  client_composed: z.optional(z.boolean()),
  /** The parts of the content that were pasted, for interfaces that shorten them. Stored with the message. */
  pasted_content: z.optional(z.array(Content)),
  inline_pastes: z.optional(z.array(z.string())),
}));
export type UserInput = z.infer<typeof UserInput>;
