import * as z from 'zod/mini';
import { permissionModes } from '../permissions.ts';
import { open, word } from '../schema.ts';
import { system } from './common.ts';

/** What the session is busy with, null when that is over; and a permission mode that has changed. */
export const StatusMessage = system('status', () => ({
  status: z.nullable(word(['compacting', 'requesting'])),
  permissionMode: z.optional(word(permissionModes)),
  /** What became of the compaction that is over, and why there is none. */
  compact_result: z.optional(word(['success', 'failed'])),
  compact_error: z.optional(z.string()),
}));
export type StatusMessage = z.infer<typeof StatusMessage>;

/** The conversation so far was replaced by its summary, which follows. */
export const CompactBoundaryMessage = system('compact_boundary', () => ({
  compact_metadata: open({
    trigger: word(['manual', 'auto']),
    pre_tokens: z.number(),
    post_tokens: z.optional(z.number()),
    cumulative_dropped_tokens: z.optional(z.number()),
    duration_ms: z.optional(z.number()),
    /** Where the messages that stay word for word stand: behind `anchor_uuid`, which is the summary, in this order. */
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

/** What a hook has printed so far. */
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

/** Files that the reference has uploaded. Heddle does not print it. */
export const FilesPersistedMessage = system('files_persisted', () => ({
  files: z.array(open({ filename: z.string(), file_id: z.string() })),
  failed: z.array(open({ filename: z.string(), error: z.string() })),
  processed_at: z.string(),
}));
export type FilesPersistedMessage = z.infer<typeof FilesPersistedMessage>;
