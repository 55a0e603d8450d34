import { isObject } from '../../util/json.ts';

/** A configuration's policy for the calls of one tool. */
export interface ToolPolicy {
  tool: string;
  behavior: 'allow' | 'ask' | 'deny';
}

/**
 * Reads `tools` of a server's configuration. Null when the field is absent. An entry without a name is left out, and
 * one whose policy cannot be read asks. `org_max_permission` is a ceiling: it only narrows.
 */
export function readToolPolicies(raw: unknown): ToolPolicy[] | null {
  if (!Array.isArray(raw)) return null;
  return raw.flatMap((entry) => {
    if (!isObject(entry) || typeof entry.name !== 'string') return [];
    const { permission_policy: policy, org_max_permission: ceiling } = entry;
    const said = [policyOf(policy), ceilingOf(ceiling)].filter((each) => each !== null);
    const behavior = STRICTEST_FIRST.find((each) => said.includes(each));
    return behavior === undefined ? [] : { tool: entry.name, behavior };
  });
}

const STRICTEST_FIRST = ['deny', 'ask', 'allow'] as const;

function policyOf(policy: unknown): ToolPolicy['behavior'] | null {
  if (policy === undefined) return null;
  if (policy === 'always_allow') return 'allow';
  return policy === 'always_deny' ? 'deny' : 'ask';
}

/** A ceiling of "allow" does not itself allow anything. */
function ceilingOf(ceiling: unknown): ToolPolicy['behavior'] | null {
  if (ceiling === undefined || ceiling === 'allow') return null;
  return ceiling === 'blocked' ? 'deny' : 'ask';
}
