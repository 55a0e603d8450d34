import { modesOf } from '../../permissions/policy.ts';
import type { PermissionMode } from '../../wire/permission-modes.ts';
import { addedTo, type Narrowing, type Permissions, type PolicySource } from './thread-permissions.ts';

/** From the mode that allows most without a question to the mode that allows least, as far as modes can be compared. */
const OPENNESS: readonly PermissionMode[] = [
  'bypassPermissions',
  'auto',
  'acceptEdits',
  'default',
  'dontAsk',
  'plan',
  'delegate',
];

/** The mode that allows less. */
export function stricterMode(a: PermissionMode, b: PermissionMode): PermissionMode {
  return OPENNESS.indexOf(a) >= OPENNESS.indexOf(b) ? a : b;
}

/**
 * The permissions of an agent: those of the thread that it works for, and in addition a call must pass in the modes of
 * the agent. Later changes of that thread's rules and mode apply to the agent as well. `shared`: the sources that all
 * threads of the session have.
 */
export function narrowedPermissions(
  outer: Permissions,
  { modes, deny, moved }: Narrowing,
  shared: PolicySource[],
): Permissions {
  const narrowing = modes.filter((mode) => mode !== 'bypassPermissions'); // the most open mode narrows nothing
  const sources: PolicySource[] = [];
  const permissions: Permissions = {
    get policy() {
      const policy = moved ? moved(outer.policy) : outer.policy;
      const outerModes = [...modesOf(policy), ...narrowing];
      const mode = outerModes.reduce(stricterMode);
      return { ...policy, mode, outerModes, deny: [...policy.deny, ...deny], isPlanOfOther: true as const };
    },
    inForce: () => addedTo(permissions.policy, [...shared, ...sources]),
    addSource: (source, reach) => void (reach === 'session' ? shared : sources).push(source),
    forAgent: (next) => narrowedPermissions(permissions, next, shared),
    get beforePlan() {
      return outer.beforePlan;
    },
    setMode: (next) => outer.setMode(next),
    apply: (updates) => outer.apply(updates),
    forbid: (rules) => outer.forbid(rules),
    useSettings: (settings) => outer.useSettings(settings),
    on: (event, listener) => outer.on(event, listener),
  };
  return permissions;
}
