import * as z from 'zod/mini';
import { type HookEvent, hookInputs } from './hook-inputs.ts';
import { PermissionUpdate } from './permissions.ts';
import { AnyObject, kinds, oneOf, open } from './schema.ts';

export { HOOK_EVENTS } from './hook-events.ts';
export * from './hook-inputs.ts';

/** Every event of both reference versions (ruling K5). */
export const hookEvents = Object.keys(hookInputs) as HookEvent[];

/**
 * Whether there is a hook event of that name. Settings may name events of other versions: those are warned about, never
 * fatal.
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
/** What an MCP server is answered. */
const elicitation = {
  action: z.optional(z.enum(['accept', 'decline', 'cancel'])),
  content: z.optional(AnyObject),
};
/** Absolute paths of files whose changes hooks want to hear of. */
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

/** What only makes sense for one event, tagged with its name [HK-25]. */
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
    /** Of a prompt that it holds up: the text is left out of what is said about that. */
    suppressOriginalPrompt: flag,
  })),
  specific('UserPromptExpansion', () => ({ ...context, suppressOriginalPrompt: flag })),
  specific('SessionStart', () => ({
    ...context,
    ...watching,
    /** Said before the first prompt, in a turn of its own. */
    initialUserMessage: text,
    sessionTitle: text,
    /** The hook has written skills, which are to be read now. */
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
  /** The directory that the hook has made. A command may print the path instead. */
  specific('WorktreeCreate', () => ({ worktreePath: z.string() })),
  /** What an interface is to show instead. */
  specific('MessageDisplay', () => ({ displayContent: text })),
]);
export type HookSpecificOutput = z.infer<typeof HookSpecificOutput>;

/** "I am still at it, do not wait" [HK-18]. */
export const AsyncHookOutput = open(() => ({ async: z.literal(true), asyncTimeout: z.optional(z.number()) }));
export type AsyncHookOutput = z.infer<typeof AsyncHookOutput>;

export const SyncHookOutput = open(() => ({
  /** False stops the turn; in PreToolUse the tool does not run (ruling K18). */
  continue: z.optional(z.boolean()),
  preventContinuation: z.optional(z.boolean()),
  stopReason: text,
  suppressOutput: z.optional(z.boolean()),
  systemMessage: text,
  /** For the terminal that somebody looks at. An agent has none. */
  terminalSequence: text,
  /** The older way to allow and deny. */
  decision: z.optional(z.enum(['approve', 'block'])),
  reason: text,
  hookSpecificOutput: z.optional(HookSpecificOutput),
}));
export type SyncHookOutput = z.infer<typeof SyncHookOutput>;

/** The JSON that a hook answers with: a command on stdout, a callback as its return value. */
export const HookOutput = z.union([AsyncHookOutput, SyncHookOutput]);
export type HookOutput = AsyncHookOutput | SyncHookOutput;
