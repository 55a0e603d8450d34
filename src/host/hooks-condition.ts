import { callOf } from '../agent/judge.ts';
import { parseInput } from '../agent/run-call.ts';
import type { Hook } from '../hooks/hook.ts';
import { type Call, forbids } from '../permissions/match-rule.ts';
import type { Policy } from '../permissions/policy.ts';
import { coversTool, parseRule } from '../permissions/rules.ts';
import type { Registry } from '../tools/registry.ts';
import type { Workspace } from '../tools/workspace.ts';
import { isObject, type JsonObject, stringField } from '../util/json.ts';

/** What the `if` of a hook is compared with. */
export interface ConditionSeams {
  tools: Pick<Registry, 'get'>;
  workspace: Workspace;
  policy: Policy;
}

/**
 * Whether a call fits the `if` of a hook: a permission rule, read as one that forbids. Whoever guards something must not
 * be passed over because a command could not be understood, so in doubt it fits.
 */
export async function fitsCondition(condition: string, event: JsonObject, seams: ConditionSeams): Promise<boolean> {
  const parsed = parseRule(condition);
  if ('problem' in parsed) return true;
  const name = stringField(event, 'tool_name') ?? '';
  const call = await calledIn(name, event.tool_input, seams);
  if (!call) return coversTool(parsed.rule, name, 'forbid');
  return forbids(parsed.rule, call, { ...seams.policy, searchesFiltered: false }) !== null;
}

/** What is wrong with the conditions of hooks, each worth a warning. */
export function conditionProblems(hooks: readonly Pick<Hook, 'condition'>[]): string[] {
  return hooks.flatMap(({ condition }) => {
    const parsed = condition === null ? {} : parseRule(condition);
    return 'problem' in parsed ? `if: ${parsed.problem} The hook is asked about every call.` : [];
  });
}

/** Null when its tool is not there, or does not take the input. */
async function calledIn(name: string, given: unknown, { tools, workspace, policy }: ConditionSeams) {
  const tool = tools.get(name);
  const parsed = tool && isObject(given) ? parseInput(tool, given) : null;
  if (!tool || !parsed?.ok) return null;
  const call: Call = callOf(tool, parsed.value, workspace);
  if (call.access.kind !== 'execute' || !policy.readCommand) return call;
  return { ...call, script: await policy.readCommand(call.access.command) };
}
