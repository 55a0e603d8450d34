import * as z from 'zod/mini';
import { ContentBlock } from '../api/content.ts';
import { ApiUsage } from '../api/usage.ts';
import { open, word } from '../schema.ts';
import { identity, origin } from './common.ts';
import { ContextReport, UsageReport } from './reports.ts';

/** The kind of error, for a text that replaces the model's answer. */
export const AssistantMessageError = word([
  'authentication_failed',
  'oauth_org_not_allowed',
  'account_on_hold',
  'verification_required',
  'billing_error',
  'rate_limit',
  'overloaded',
  'invalid_request',
  'model_not_found',
  'server_error',
  'max_output_tokens',
  'cloud_credential_error',
  'unknown',
]);
export type AssistantMessageError = z.infer<typeof AssistantMessageError>;

/** A message of the model API. On the wire it holds one content block; lines of one answer share `id`. */
export const ApiAssistantMessage = open(() => ({
  /** The id of the answer. Each block of the answer comes in its own message, and these messages share this id. */
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  /** The model that wrote the answer; `<synthetic>` for a text that Heddle wrote. */
  model: z.string(),
  /** One block in each message: text, a thought, or a tool call. */
  content: z.array(ContentBlock),
  stop_reason: z.nullable(z.string()),
  stop_sequence: z.nullable(z.string()),
  usage: ApiUsage,
  context_management: z.optional(z.nullable(z.unknown())),
  /** Null on texts that Heddle wrote. */
  container: z.optional(z.nullable(z.unknown())),
}));
export type ApiAssistantMessage = z.infer<typeof ApiAssistantMessage>;

/** One content block of an answer, or the text of an API error. */
export const AssistantMessage = open(() => ({
  type: z.literal('assistant'),
  message: ApiAssistantMessage,
  /** The call that started the subagent of this message; null on the main thread. */
  parent_tool_use_id: z.nullable(z.string()),
  /** Set when the text is that of an error of the model's API, instead of an answer. */
  error: z.optional(AssistantMessageError),
  ...identity,
  ...origin,

  // Later versions of the reference.
  timestamp: z.optional(z.string()),
  request_id: z.optional(z.string()),
  is_api_error_message: z.optional(z.boolean()),
  api_error_status: z.optional(z.nullable(z.number())),
  api_error_type: z.optional(z.string()),
  api_error: z.optional(z.string()),
  aborted: z.optional(z.boolean()),
  supersedes: z.optional(z.array(z.string())),
  user_message_uuid: z.optional(z.string()),
  user_message_uuids: z.optional(z.array(z.string())),
  resume_reason: z.optional(z.string()),
  resumed_from_incomplete_thinking: z.optional(z.literal(true)),
  /** On the output of `/context`: the same data as fields. */
  context_usage: z.optional(ContextReport),
  /** On the output of the reference's `/usage`. */
  usage_report: z.optional(UsageReport),
  /**
   * On the output of a command that Heddle ran itself: the text as the transcript stores it. `message` holds the plain
   * text.
   */
  local_command_source: z.optional(z.string()),
  local_command_run: z.optional(open({ command: z.string(), args: z.string() })),
  /** `failed`: the command did not succeed. */
  local_command_outcome: z.optional(open({ kind: z.string() })),
}));
export type AssistantMessage = z.infer<typeof AssistantMessage>;
