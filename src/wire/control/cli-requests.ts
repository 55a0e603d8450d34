import * as z from 'zod/mini';
import { Entry } from '../entries.ts';
import { HookInput } from '../hook-inputs.ts';
import { HookOutput } from '../hooks.ts';
import { JsonRpcMessage } from '../mcp.ts';
import { PermissionResult, PermissionSuggestion } from '../permissions.ts';
import { AnyObject, open } from '../schema.ts';
import { Done, exchanges } from './exchange.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** Names a transcript in the host's store (ruling K42). */
const StoreKey = open(() => ({ project: z.string(), session_id: z.string(), agent_id: text }));
export type StoreKey = z.infer<typeof StoreKey>;

const ElicitationResult = open(() => ({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.optional(AnyObject),
}));
export type ElicitationResult = z.infer<typeof ElicitationResult>;

/** What a tool of the host has to say, as MCP has it. */
const HostToolResult = open(() => ({
  /** A text, or blocks of MCP. */
  content: z.optional(z.union([z.string(), z.array(z.unknown())])),
  structuredContent: z.optional(AnyObject),
  isError: flag,
}));
export type HostToolResult = z.infer<typeof HostToolResult>;

/** What the CLI may ask of its host. */
export const cliRequests = exchanges({
  /** May this call run? Anything but a well-formed allow is a denial. */
  can_use_tool: () => [
    {
      tool_name: z.string(),
      /** Of the tools of an MCP server. Trust `source`, not the name: only the host's own servers have `sdk`. */
      mcp_server: z.optional(open({ name: z.string(), source: z.string() })),
      input: AnyObject,
      tool_use_id: z.string(),
      permission_suggestions: z.optional(z.array(PermissionSuggestion)),
      blocked_path: text,
      decision_reason: text,
      /** Set when a subagent asks. */
      agent_id: text,
      /** The question as a sentence, a label for it, and why it is asked: escaped, and never a part of what is too long. */
      title: text,
      display_name: text,
      description: text,
      /** Not to be approved by a stray key. */
      default_to_no: flag,
      /** No allow rule would answer this question the next time. */
      suppress_always_allow_rule: flag,
      /** The rule of `permissions.ask` that wants a person to decide. */
      matched_ask_rule: z.optional(open({ source: z.string(), tool_name: z.string(), rule_content: text })),
      decision_reason_type: text,
      /** Of the reference: whether its classifier may approve what a safety check holds up. Not said here. */
      classifier_approvable: flag,
      requires_user_interaction: flag,
    },
    PermissionResult,
  ],
  /** A hook of the host, by the id under which it was announced. */
  hook_callback: () => [{ callback_id: z.string(), input: HookInput, tool_use_id: text }, z.optional(HookOutput)],
  /** For an MCP server in the host. */
  mcp_message: () => [
    { server_name: z.string(), message: JsonRpcMessage },
    z.optional(open({ mcp_response: z.optional(JsonRpcMessage) })),
  ],
  /** An MCP server asks the user for something. */
  elicitation: () => [
    {
      mcp_server_name: z.string(),
      message: z.string(),
      mode: text,
      url: text,
      elicitation_id: text,
      requested_schema: z.optional(AnyObject),
      /** The names of the fields, in the order in which the server lists them. */
      property_order: z.optional(z.array(z.string())),
      /** How the question may be headed and labelled, where the server says so. */
      title: text,
      display_name: text,
      description: text,
    },
    ElicitationResult,
  ],
  /** Shows a dialog of the reference. Heddle does not ask for any. */
  request_user_dialog: () => [{ dialog_kind: text, payload: z.optional(z.unknown()), tool_use_id: text }, Done],

  // Heddle's own: tools that the host runs, and sessions that it keeps.
  /** Runs a tool that the host brought with `initialize`. Withdrawn when nobody waits for the outcome any more. */
  call_tool: () => [{ name: z.string(), input: AnyObject, tool_use_id: z.string() }, HostToolResult],
  /** Keeps entries of a session. */
  store_append: () => [{ key: StoreKey, entries: z.array(Entry) }, Done],
  /** The entries of a session. */
  store_load: () => [{ key: StoreKey }, open({ entries: z.array(Entry) })],
  /** The sessions of a project. */
  store_list: () => [
    { project: z.string() },
    open({
      sessions: z.array(open({ session_id: z.string(), last_modified: z.number(), size: z.optional(z.number()) })),
    }),
  ],
});
