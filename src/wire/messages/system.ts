import * as z from 'zod/mini';
import { permissionModes } from '../permissions.ts';
import { open, word } from '../schema.ts';
import { system } from './common.ts';

/** What the session is busy with, null when it is done; also reports a change of the permission mode. */
export const StatusMessage = system('status', () => ({
  status: z.nullable(word(['compacting', 'requesting'])),
  permissionMode: z.optional(word(permissionModes)),
  /** Whether the compaction succeeded, and why it failed. */
  compact_result: z.optional(word(['success', 'failed'])),
  compact_error: z.optional(z.string()),
}));
export type StatusMessage = z.infer<typeof StatusMessage>;

/** A summary, which follows, replaced the conversation so far. */
export const CompactBoundaryMessage = system('compact_boundary', () => ({
  compact_metadata: open({
    trigger: word(['manual', 'auto']),
    pre_tokens: z.number(),
    post_tokens: z.optional(z.number()),
    cumulative_dropped_tokens: z.optional(z.number()),
    duration_ms: z.optional(z.number()),
    /** The position of the messages that stay word for word: after `anchor_uuid`, the summary, in this order. */
    preserved_segment: z.optional(open({ head_uuid: z.string(), anchor_uuid: z.string(), tail_uuid: z.string() })),
    preserved_messages: z.optional(open({ anchor_uuid: z.string(), uuids: z.array(z.string()) })),
  }),
  logical_parent_uuid: z.optional(z.nullable(z.string())),
}));
export type CompactBoundaryMessage = z.infer<typeof CompactBoundaryMessage>;

/** `hook_id` is shared by the lines of one run; `hook_name` is `Event` or `Event:qualifier`. */
const hook = { hook_id: z.string(), hook_name: z.string(), hook_event: z.string() };
const hookOutput = { stdout: z.string(), stderr: z.string(), output: z.string() };

/** A hook has begun. */
export const HookStartedMessage = system('hook_started', () => hook);
export type HookStartedMessage = z.infer<typeof HookStartedMessage>;

/** The output of a hook so far. */
export const HookProgressMessage = system('hook_progress', () => ({ ...hook, ...hookOutput }));
export type HookProgressMessage = z.infer<typeof HookProgressMessage>;

/** A hook has ended. */
export const HookResponseMessage = system('hook_response', () => ({
  ...hook,
  ...hookOutput,
  exit_code: z.optional(z.number()),
  outcome: word(['success', 'error', 'cancelled']),
}));
export type HookResponseMessage = z.infer<typeof HookResponseMessage>;

/** Files that the reference uploaded. Heddle does not print this line. */
export const FilesPersistedMessage = system('files_persisted', () => ({
  files: z.array(open({ filename: z.string(), file_id: z.string() })),
  failed: z.array(open({ filename: z.string(), error: z.string() })),
  processed_at: z.string(),
}));
export type FilesPersistedMessage = z.infer<typeof FilesPersistedMessage>;
