import { modesOf } from '../../permissions/policy.ts';
import { ToolError } from '../../tools/tool.ts';
import { type PermissionMode, toPermissionMode } from '../../wire/permission-modes.ts';
import type { Permissions } from '../permissions.ts';

/** From the most to the least that may happen without anybody being asked, as far as modes can be compared at all. */
const OPENNESS: readonly PermissionMode[] = [
  'bypassPermissions',
  'auto',
  'acceptEdits',
  'default',
  'dontAsk',
  'plan',
  'delegate',
];

/**
 * The permissions of an agent: those of the one that it works for, and whatever these let through must pass in the modes
 * of the agent, too. What that one is granted, refused or switched to later holds for the agent as well.
 */
export function agentPermissions(permissions: Permissions, modes: readonly PermissionMode[]): Permissions {
  return {
    get policy() {
      const { policy } = permissions;
      const outerModes = [...modesOf(policy), ...modes];
      return { ...policy, mode: outerModes.reduce(narrower), outerModes, isPlanOfOther: true as const };
    },
    get beforePlan() {
      return permissions.beforePlan;
    },
    setMode: (next) => permissions.setMode(next),
    apply: (updates) => permissions.apply(updates),
    useSettings: (settings) => permissions.useSettings(settings),
    onModeChange: () => {},
    onRulesChange: () => {},
  };
}

/** The one in which less may happen. */
export function narrower(a: PermissionMode, b: PermissionMode): PermissionMode {
  return OPENNESS.indexOf(a) >= OPENNESS.indexOf(b) ? a : b;
}

/** What is no mode might have been meant to narrow something, so that nothing runs with it. */
export function modesFrom(...names: (string | undefined)[]): PermissionMode[] {
  return names.flatMap((name) => {
    if (name === undefined) return [];
    const mode = toPermissionMode(name);
    if (!mode) throw new ToolError(`The agent cannot be started: there is no permission mode ${JSON.stringify(name)}`);
    return mode;
  });
}
