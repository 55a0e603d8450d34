import * as z from 'zod/mini';
import { Entry } from '../entries.ts';
import { HookInput } from '../hooks/hook-inputs.ts';
import { HookOutput } from '../hooks/hooks.ts';
import { JsonRpcMessage } from '../mcp.ts';
import { PermissionResult, PermissionSuggestion } from '../permissions.ts';
import { AnyObject, open } from '../schema.ts';
import { Done, exchanges } from './exchange.ts';
import { CallPreview, CommandPreview } from './interface-answers.ts';

const text = z.optional(z.string());
const flag = z.optional(z.boolean());

/** Names a transcript in the host's store. */
const StoreKey = open(() => ({ project: z.string(), session_id: z.string(), agent_id: text }));
export type StoreKey = z.infer<typeof StoreKey>;

const ElicitationResult = open(() => ({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.optional(AnyObject),
}));
export type ElicitationResult = z.infer<typeof ElicitationResult>;

/** The result of a tool that the host runs, in the form of MCP. */
const HostToolResult = open(() => ({
  /** A text, or MCP content blocks. */
  content: z.optional(z.union([z.string(), z.array(z.unknown())])),
  structuredContent: z.optional(AnyObject),
  isError: flag,
}));
export type HostToolResult = z.infer<typeof HostToolResult>;

/** The requests that the CLI sends to its host. */
export const cliRequests = exchanges({
  /** May this call run? Anything but a well-formed allow is a denial. */
  can_use_tool: () => [
    {
      tool_name: z.string(),
      /** Set for the tools of an MCP server. Trust `source`, not the name: only the host's own servers have `sdk`. */
      mcp_server: z.optional(open({ name: z.string(), source: z.string() })),
      input: AnyObject,
      tool_use_id: z.string(),
      permission_suggestions: z.optional(z.array(PermissionSuggestion)),
      blocked_path: text,
      decision_reason: text,
      /** Set when a subagent asks. */
      agent_id: text,
      /**
       * The question as a sentence, a label for it, and the reason for it. The texts are escaped; a text that is too
       * long is left out, never cut.
       */
      title: text,
      display_name: text,
      description: text,
      /** Asks the host not to preselect approval, so that no stray key approves the call. */
      default_to_no: flag,
      /** No allow rule would answer this question the next time. */
      suppress_always_allow_rule: flag,
      /** The rule of `permissions.ask` that requires a person to decide. */
      matched_ask_rule: z.optional(open({ source: z.string(), tool_name: z.string(), rule_content: text })),
      decision_reason_type: text,
      /** Whether the reference's classifier may approve a call that a safety check stopped. Heddle does not set it. */
      classifier_approvable: flag,
      requires_user_interaction: flag,
      /** Heddle's own, where `initialize` had `permissionPreviews`: what the call would change. */
      preview: z.optional(CallPreview),
      /** Heddle's own, likewise for Bash. */
      command_preview: z.optional(CommandPreview),
    },
    PermissionResult,
  ],
  /** Calls a hook of the host by the id under which the host registered it. */
  hook_callback: () => [{ callback_id: z.string(), input: HookInput, tool_use_id: text }, z.optional(HookOutput)],
  /** A message to an MCP server in the host. */
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
      /** A heading and a label for the question, where the server sends them. */
      title: text,
      display_name: text,
      description: text,
    },
    ElicitationResult,
  ],
  /** Shows a dialog of the reference. Heddle never sends this request. */
  request_user_dialog: () => [{ dialog_kind: text, payload: z.optional(z.unknown()), tool_use_id: text }, Done],

  // Heddle's own: tools that the host runs, and sessions that the host stores.
  /**
   * Runs a tool that the host declared in `initialize`. Heddle withdraws the request when it no longer needs the
   * result.
   */
  call_tool: () => [{ name: z.string(), input: AnyObject, tool_use_id: z.string() }, HostToolResult],
  /** Stores entries of a session. */
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
