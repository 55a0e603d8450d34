import * as z from 'zod/mini';
import { Content } from '../content.ts';
import { open, word } from '../schema.ts';
import { identity, MessageOrigin, origin } from './common.ts';

export const ApiUserMessage = open(() => ({ role: z.literal('user'), content: Content }));
export type ApiUserMessage = z.infer<typeof ApiUserMessage>;

/** How the permission for a tool call was decided, beside its result. */
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
  /** The call that started the subagent which this belongs to; null on the main thread. */
  parent_tool_use_id: z.nullable(z.string()),
  /** Made by the runtime, not by a person [FLD-17]. */
  isSynthetic: z.optional(z.boolean()),
  /** Echo of input, not news. Absent on tool results. */
  isReplay: z.optional(z.boolean()),
  /** The tool's structured output; the string `Error: …` when it failed [FLD-18]. */
  tool_use_result: z.optional(z.unknown()),
  ...identity,
  ...origin,

  // Later versions of the reference.
  timestamp: z.optional(z.string()),
  origin: z.optional(MessageOrigin),
  tool_result_meta: z.optional(z.array(ToolResultMeta)),
  /** Files that came with a message that is echoed. Heddle has none. */
  file_attachments: z.optional(z.array(z.unknown())),
}));
export type UserMessage = z.infer<typeof UserMessage>;

/** A user message as hosts send it: everything but the content may be left out, the runtime fills it in [FLD-19]. */
export const UserInput = open(() => ({
  type: z.literal('user'),
  message: ApiUserMessage,
  uuid: z.optional(z.string()),
  /** Ignored; the session is the one of the connection. */
  session_id: z.optional(z.string()),
  parent_tool_use_id: z.optional(z.nullable(z.string())),
  isSynthetic: z.optional(z.boolean()),
  tool_use_result: z.optional(z.unknown()),

  /** The node to continue from: absent is the active leaf, null a new root (ruling K41). */
  parentUuid: z.optional(z.nullable(z.string())),
  parent_uuid: z.optional(z.nullable(z.string())),
  /** Heddle's own: the prompt that this one replaces. It goes on from where that one went on; excludes `parentUuid`. */
  edits: z.optional(z.string()),
  /**
   * Heddle's own: brings files back before the turn, to how they were at the edited prompt, or to how the conversation
   * had left them at `parentUuid`. Needs checkpoints; a `system/files_restored` line says what became of it.
   */
  restore_files: z.optional(z.boolean()),
  /** Who says it, where that is not the person at the host; comes back on the result. */
  origin: z.optional(MessageOrigin),
  /** When it was said, as an ISO time. */
  timestamp: z.optional(z.string()),
  priority: z.optional(word(['now', 'next', 'later'])),
  /** False appends the message without starting a turn. */
  shouldQuery: z.optional(z.boolean()),
  /** Takes the text as it is: no `@path` expansion, no slash commands. */
  client_composed: z.optional(z.boolean()),
  /** What of the content was pasted, for interfaces that show it shorter. Kept with the message. */
  pasted_content: z.optional(z.array(Content)),
  inline_pastes: z.optional(z.array(z.string())),
}));
export type UserInput = z.infer<typeof UserInput>;
