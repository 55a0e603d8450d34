import { callOf } from '../../agent/calls/judge.ts';
import { parseInput } from '../../agent/calls/run-call.ts';
import type { Hook } from '../../hooks/hook.ts';
import { type Call, forbids } from '../../permissions/match-rule.ts';
import type { Policy } from '../../permissions/policy.ts';
import { coversTool, parseRule } from '../../permissions/rules.ts';
import type { Registry } from '../../tools/registry.ts';
import type { Workspace } from '../../tools/workspace.ts';
import { isObject, type JsonObject, stringField } from '../../util/json.ts';

/** What the `if` of a hook is compared with. */
export interface ConditionDependencies {
  tools: Pick<Registry, 'get'>;
  workspace: Workspace;
  policy: Policy;
}

/**
 * Whether a call matches the `if` of a hook: a permission rule, read like a deny rule. In doubt it matches, because a
 * hook that guards something must also run for a command that cannot be parsed.
 */
export async function fitsCondition(
  condition: string,
  event: JsonObject,
  dependencies: ConditionDependencies,
): Promise<boolean> {
  const parsed = parseRule(condition);
  if ('problem' in parsed) return true;
  const name = stringField(event, 'tool_name') ?? '';
  const call = await calledIn(name, event.tool_input, dependencies);
  if (!call) return coversTool(parsed.rule, name, 'forbid');
  return forbids(parsed.rule, call, { ...dependencies.policy, searchesFiltered: false }) !== null;
}

/** The invalid conditions of hooks, as warnings. */
export function conditionProblems(hooks: readonly Pick<Hook, 'condition'>[]): string[] {
  return hooks.flatMap(({ condition }) => {
    const parsed = condition === null ? {} : parseRule(condition);
    return 'problem' in parsed ? `if: ${parsed.problem} The hook is asked about every call.` : [];
  });
}

/** Null when the tool does not exist, or the input is not valid for it. */
async function calledIn(name: string, raw: unknown, { tools, workspace, policy }: ConditionDependencies) {
  const tool = tools.get(name);
  const parsed = tool && isObject(raw) ? parseInput(tool, raw) : null;
  if (!tool || !parsed?.ok) return null;
  const call: Call = callOf(tool, parsed.value, workspace);
  if (call.access.kind !== 'execute' || !policy.readCommand) return call;
  return { ...call, script: await policy.readCommand(call.access.command) };
}
