import { type Hook, hookLabel } from '../../hooks/hook.ts';
import type { ExplainOptions } from '../permissions/explain-call.ts';
import { type ConditionDependencies, fitsCondition } from './hook-condition.ts';

/** Describes which of these hooks would run for a tool call. */
export function hooksAsked(hooks: readonly Hook[], by: ConditionDependencies): NonNullable<ExplainOptions['hooks']> {
  return async ({ toolName, input }, behavior) => {
    const events = ['PreToolUse', ...(behavior === 'ask' ? ['PermissionRequest'] : [])];
    const candidates = hooks.filter((hook) => events.includes(hook.event) && hook.matches(toolName));
    const event = { tool_name: toolName, tool_input: input };
    const fits = await Promise.all(
      candidates.map(({ condition }) => condition === null || fitsCondition(condition, event, by)),
    );
    return candidates
      .filter((_, at) => fits[at])
      .map((hook) => `${hook.event}: ${hookLabel(hook)} (${hook.source.where})`);
  };
}
