import type { PermissionMode } from '../../wire/permission-modes.ts';
import type { Permissions } from '../permissions.ts';

/** From the most to the least that may happen without anybody being asked. */
const OPENNESS: readonly PermissionMode[] = [
  'bypassPermissions',
  'auto',
  'acceptEdits',
  'default',
  'dontAsk',
  'delegate',
  'plan',
];

/**
 * The permissions of an agent: those of the one that it works for, in a mode that is never more open. What that one is
 * granted, refused or switched to later holds for the agent as well.
 */
export function narrowedPermissions(permissions: Permissions, mode: PermissionMode): Permissions {
  return {
    get policy() {
      const { policy } = permissions;
      return { ...policy, mode: narrower(policy.mode, mode) };
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
