import * as z from 'zod/mini';
import { PermissionUpdate } from '../permissions.ts';
import { AnyObject, kinds, oneOf, open } from '../schema.ts';
import { type HookEvent, hookInputs } from './hook-inputs.ts';

export { HOOK_EVENTS } from './hook-events.ts';
export * from './hook-inputs.ts';

/** Every event of both reference versions. */
export const hookEvents = Object.keys(hookInputs) as HookEvent[];

/**
 * Whether a hook event has this name. Settings may name events of other versions: Heddle warns about them and
 * continues.
 *
 * @example
 * ```ts
 * for (const name of ['PreToolUse', 'PreLunch']) if (!isHookEvent(name)) console.warn(`There is no hook ${name}.`);
 * ```
 */
export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(hookInputs, name);
}

const text = z.optional(z.string());
const flag = z.optional(z.boolean());
const context = { additionalContext: text };
/** The answer to an MCP server. */
const elicitation = {
  action: z.optional(z.enum(['accept', 'decline', 'cancel'])),
  content: z.optional(AnyObject),
};
/** Absolute paths of files. The FileChanged hooks run when one of them changes. */
const watching = { watchPaths: z.optional(z.array(z.string())) };

function specific<const Event extends HookEvent, Shape extends z.core.$ZodLooseShape>(
  event: Event,
  shape: () => Shape,
) {
  return open(() => ({ hookEventName: z.literal(event), ...shape() }));
}

export const HookPermissionDecision = z.enum(['allow', 'deny', 'ask', 'defer']);
export type HookPermissionDecision = z.infer<typeof HookPermissionDecision>;

export const PreToolUseHookOutput = specific('PreToolUse', () => ({
  permissionDecision: z.optional(HookPermissionDecision),
  permissionDecisionReason: text,
  updatedInput: z.optional(AnyObject),
  ...context,
}));
export type PreToolUseHookOutput = z.infer<typeof PreToolUseHookOutput>;

export const PostToolUseHookOutput = specific('PostToolUse', () => ({
  ...context,
  updatedMCPToolOutput: z.optional(z.unknown()),
  updatedToolOutput: z.optional(z.unknown()),
}));
export type PostToolUseHookOutput = z.infer<typeof PostToolUseHookOutput>;

export const PermissionRequestHookOutput = specific('PermissionRequest', () => ({
  decision: oneOf('behavior', () => [
    open({
      behavior: z.literal('allow'),
      updatedInput: z.optional(AnyObject),
      updatedPermissions: z.optional(z.array(PermissionUpdate)),
    }),
    open({ behavior: z.literal('deny'), message: text, interrupt: z.optional(z.boolean()) }),
  ]),
}));
export type PermissionRequestHookOutput = z.infer<typeof PermissionRequestHookOutput>;

/** The fields for one event only, tagged with its name. */
export const HookSpecificOutput = kinds('hookEventName', () => [
  PreToolUseHookOutput,
  PostToolUseHookOutput,
  PermissionRequestHookOutput,
  specific('PostToolUseFailure', () => context),
  specific('PostToolBatch', () => context),
  specific('PermissionDenied', () => ({ retry: z.optional(z.boolean()) })),
  specific('UserPromptSubmit', () => ({
    ...context,
    sessionTitle: text,
    /** For a prompt that the hook blocks: Heddle leaves the text of the prompt out of its message. */
    suppressOriginalPrompt: flag,
  })),
  specific('UserPromptExpansion', () => ({ ...context, suppressOriginalPrompt: flag })),
  specific('SessionStart', () => ({
    ...context,
    ...watching,
    /** A prompt that Heddle sends before the first prompt, in its own turn. */
    initialUserMessage: text,
    sessionTitle: text,
    /** The hook wrote skills; Heddle reads the skills again. */
    reloadSkills: flag,
  })),
  specific('CwdChanged', () => watching),
  specific('FileChanged', () => watching),
  specific('Setup', () => context),
  specific('PreModelSwitch', () => ({
    permissionDecision: z.optional(z.enum(['allow', 'deny', 'ask'])),
    permissionDecisionReason: text,
  })),
  specific('PostModelSwitch', () => context),
  specific('SubagentStart', () => context),
  specific('SubagentStop', () => context),
  specific('Stop', () => context),
  specific('Notification', () => context),
  specific('Elicitation', () => elicitation),
  specific('ElicitationResult', () => elicitation),
  /** The directory that the hook created. A command may print the path instead. */
  specific('WorktreeCreate', () => ({ worktreePath: z.string() })),
  /** The text that an interface shows instead. */
  specific('MessageDisplay', () => ({ displayContent: text })),
]);
export type HookSpecificOutput = z.infer<typeof HookSpecificOutput>;

/** The hook continues in the background; Heddle does not wait for it. */
export const AsyncHookOutput = open(() => ({ async: z.literal(true), asyncTimeout: z.optional(z.number()) }));
export type AsyncHookOutput = z.infer<typeof AsyncHookOutput>;

export const SyncHookOutput = open(() => ({
  /** False stops the turn; in PreToolUse the tool does not run. */
  continue: z.optional(z.boolean()),
  preventContinuation: z.optional(z.boolean()),
  stopReason: text,
  suppressOutput: z.optional(z.boolean()),
  systemMessage: text,
  /** Control codes for the user's terminal. Heddle has no terminal and ignores them. */
  terminalSequence: text,
  /** The older form of allow and deny. */
  decision: z.optional(z.enum(['approve', 'block'])),
  reason: text,
  hookSpecificOutput: z.optional(HookSpecificOutput),
}));
export type SyncHookOutput = z.infer<typeof SyncHookOutput>;

/** The JSON answer of a hook: a command prints it to stdout, a callback returns it. */
export const HookOutput = z.union([AsyncHookOutput, SyncHookOutput]);
export type HookOutput = AsyncHookOutput | SyncHookOutput;
