import { modesOf, type Policy } from '../../permissions/policy.ts';
import { parseRules, type Rule } from '../../permissions/rules.ts';
import { ToolError } from '../../tools/tool.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type PermissionMode, toPermissionMode } from '../../wire/permission-modes.ts';
import type { Permissions } from '../permissions.ts';
import type { AgentType } from './agent-types.ts';

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

export interface Narrowing {
  modes: readonly PermissionMode[];
  deny: readonly Rule[];
  /** The policy in the worktree of the agent, if it has one. */
  moved?: ((policy: Policy) => Policy) | undefined;
}

/**
 * The permissions of an agent: those of the one that it works for, and whatever these let through must pass in the modes
 * of the agent, too. What that one is granted, refused or switched to later holds for the agent as well.
 */
export function agentPermissions(permissions: Permissions, { modes, deny, moved }: Narrowing): Permissions {
  const narrowing = modes.filter((mode) => mode !== 'bypassPermissions'); // which is the most open one
  return {
    get policy() {
      const policy = moved ? moved(permissions.policy) : permissions.policy;
      const outerModes = [...modesOf(policy), ...narrowing];
      const mode = outerModes.reduce(narrower);
      return { ...policy, mode, outerModes, deny: [...policy.deny, ...deny], isPlanOfOther: true as const };
    },
    get beforePlan() {
      return permissions.beforePlan;
    },
    setMode: (next) => permissions.setMode(next),
    apply: (updates) => permissions.apply(updates),
    forbid: (rules) => permissions.forbid(rules),
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

/**
 * What a definition forbids of a tool that it leaves there; bare names take the tool away (see `agent-tools.ts`). Throws
 * `invalid_option` for a rule that cannot be read: it must not silently forbid nothing (trust R-18).
 */
export function forbiddenBy({ name, definition }: AgentType): Rule[] {
  const where = `The agent ${name}, disallowedTools`;
  const { rules, problems } = parseRules(definition.disallowedTools ?? [], 'agent');
  if (problems.length > 0) throw new HeddleError('invalid_option', `${where}: ${problems.join(' ')}`);
  return rules.filter(({ ruleContent }) => ruleContent !== undefined).map((rule) => ({ ...rule, where }));
}
