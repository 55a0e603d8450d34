import * as z from 'zod/mini';
import { permissionModes } from './permission-modes.ts';
import { AnyObject, kinds, oneOf, open, word } from './schema.ts';

export const PermissionMode = z.enum(permissionModes);
export type PermissionMode = z.infer<typeof PermissionMode>;
export { permissionModes, toPermissionMode } from './permission-modes.ts';

/** A mode as hosts may write it: `manual` is a newer name of `default`. */
export const PermissionModeName = z.enum([...permissionModes, 'manual']);
export type PermissionModeName = z.infer<typeof PermissionModeName>;

export const PermissionBehavior = z.enum(['allow', 'deny', 'ask']);
export type PermissionBehavior = z.infer<typeof PermissionBehavior>;

/** Where a change of the rules is stored. Only the first three destinations outlive the process. */
export const PermissionUpdateDestination = z.enum([
  'userSettings',
  'projectSettings',
  'localSettings',
  'session',
  'cliArg',
]);
export type PermissionUpdateDestination = z.infer<typeof PermissionUpdateDestination>;

/** `Bash(git:*)` is `{toolName: 'Bash', ruleContent: 'git:*'}`. */
export const PermissionRuleValue = open(() => ({ toolName: z.string(), ruleContent: z.optional(z.string()) }));
export type PermissionRuleValue = z.infer<typeof PermissionRuleValue>;

const ruleChange = {
  rules: z.array(PermissionRuleValue),
  behavior: PermissionBehavior,
  destination: PermissionUpdateDestination,
};
const directoryChange = { directories: z.array(z.string()), destination: PermissionUpdateDestination };

const updates = () => [
  open({ type: z.literal('addRules'), ...ruleChange }),
  open({ type: z.literal('replaceRules'), ...ruleChange }),
  open({ type: z.literal('removeRules'), ...ruleChange }),
  open({ type: z.literal('setMode'), mode: PermissionModeName, destination: PermissionUpdateDestination }),
  open({ type: z.literal('addDirectories'), ...directoryChange }),
  open({ type: z.literal('removeDirectories'), ...directoryChange }),
];

/** A change of the rules to apply. Heddle refuses unknown kinds, because they may grant something. */
export const PermissionUpdate = oneOf('type', updates);
export type PermissionUpdate = z.infer<typeof PermissionUpdate>;

/** A change that the agent proposes with its question. Hosts only show it and send it back, so unknown kinds pass. */
export const PermissionSuggestion = kinds('type', updates);
export type PermissionSuggestion = PermissionUpdate;

/** The host's answer to `can_use_tool`. Allow without `updatedInput` runs the original input. */
export const PermissionResult = oneOf('behavior', () => [
  open({
    behavior: z.literal('allow'),
    updatedInput: z.optional(AnyObject),
    updatedPermissions: z.optional(z.array(PermissionUpdate)),
    toolUseID: z.optional(z.string()),
    /** The person's intention, as the reference collects it. Heddle ignores it. */
    decisionClassification: z.optional(word(['user_temporary', 'user_permanent', 'user_reject'])),
  }),
  open({
    behavior: z.literal('deny'),
    message: z.string(),
    /** Stops the whole turn, not only this call. */
    interrupt: z.optional(z.boolean()),
    toolUseID: z.optional(z.string()),
    decisionClassification: z.optional(word(['user_temporary', 'user_permanent', 'user_reject'])),
  }),
]);
export type PermissionResult = z.infer<typeof PermissionResult>;
