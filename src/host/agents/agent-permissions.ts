import { parseRules, type Rule } from '../../permissions/rules.ts';
import { ToolError } from '../../tools/tool.ts';
import { HeddleError } from '../../wire/errors.ts';
import { type PermissionMode, toPermissionMode } from '../../wire/permission-modes.ts';
import type { AgentType } from '../extensions/agent-kinds.ts';

/** Throws for an unknown mode: it may have been meant to restrict the agent, so the agent must not run without it. */
export function parseModes(...names: (string | undefined)[]): PermissionMode[] {
  return names.flatMap((name) => {
    if (name === undefined) return [];
    const mode = toPermissionMode(name);
    if (!mode) throw new ToolError(`The agent cannot be started: there is no permission mode ${JSON.stringify(name)}`);
    return mode;
  });
}

/**
 * The deny rules of a definition about parts of a tool; bare names remove the whole tool (see `agent-tools.ts`). Throws
 * `invalid_option` for an invalid rule, because a rule must not silently forbid nothing.
 */
export function denyRulesOf({ name, definition }: AgentType): Rule[] {
  const where = `The agent ${name}, disallowedTools`;
  const { rules, problems } = parseRules(definition.disallowedTools ?? [], 'agent');
  if (problems.length > 0) throw new HeddleError('invalid_option', `${where}: ${problems.join(' ')}`);
  return rules.filter(({ ruleContent }) => ruleContent !== undefined).map((rule) => ({ ...rule, where }));
}
