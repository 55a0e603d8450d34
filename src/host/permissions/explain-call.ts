import { callOf, judge } from '../../agent/calls/judge.ts';
import type { Decision, Policy } from '../../permissions/decide.ts';
import { ruleOrigin } from '../../permissions/rule-origin.ts';
import { canonicalToolName, formatRule, type Rule } from '../../permissions/rules.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Workspace } from '../../tools/workspace.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { PathRulesInfo } from './session-path-guard.ts';

/** The decision about a tool call, and the reason. */
export interface Explanation {
  behavior: Decision['behavior'];
  /** The layer that decided: `deny-rule`, `mode`, `default` … */
  layer: string;
  reason: string;
  /** The rule that decided, as it is written. */
  rule?: string;
  /** The file or the flag that contains the rule. */
  where?: string;
  /** For a command that may run, where rules deny paths: what holds them, as `init.path_rules` tells it. */
  pathRules?: PathRulesInfo;
  /** The hooks that would run before the call, as `Event: command (origin)`. Their answers are not known. */
  hooks?: string[];
}

export interface ExplainOptions {
  tools: { all(): readonly Tool[]; get(name: string): Tool | undefined };
  workspace: Workspace;
  policy: Policy;
  /** What holds path rules for commands; null or absent: nothing has to. */
  pathRules?: PathRulesInfo | null;
  /** The hooks that would run for a call. */
  hooks?: (call: { toolName: string; input: JsonObject }, behavior: Decision['behavior']) => Promise<string[]>;
}

/**
 * Decides about a call as the permission check does, without running it or asking anyone. Throws `invalid_option` for a
 * tool that does not exist and for an input that is not valid for it.
 */
export async function explainCall(toolName: string, input: unknown, options: ExplainOptions): Promise<Explanation> {
  const { tools, workspace, policy } = options;
  const tool = tools.get(canonicalToolName(toolName)) ?? tools.get(toolName);
  if (!tool) return explainMissing(toolName, options);
  const parsed = isObject(input) ? tool.input.parse(input) : { ok: false as const, problems: ['it is no object'] };
  if (!parsed.ok) {
    throw new HeddleError('invalid_option', `The input is not valid for ${tool.name}: ${parsed.problems.join('; ')}`);
  }
  const decision = await judge(callOf(tool, parsed.value as JsonObject, workspace), policy);
  const call = { toolName: tool.name, input: input as JsonObject };
  return {
    behavior: decision.behavior,
    layer: decision.layer,
    reason: reasonOf(decision, policy),
    ...(decision.rule && ruleDetails(decision.rule)),
    ...(isHeldByRules(decision, tool) && options.pathRules && { pathRules: options.pathRules }),
    ...hookDetails((await options.hooks?.(call, decision.behavior)) ?? []),
  };
}

/** What holds path rules matters to a command that may run. */
function isHeldByRules({ behavior }: Decision, { name }: Tool): boolean {
  return behavior !== 'deny' && name === 'Bash';
}

function hookDetails(hooks: string[]): Pick<Explanation, 'hooks'> {
  return hooks.length === 0 ? {} : { hooks };
}

/** A rule that names the whole tool removes the tool, so that no further decision is needed. */
function explainMissing(toolName: string, { tools, policy }: ExplainOptions): Explanation {
  const name = canonicalToolName(toolName);
  const rule = policy.deny.find((each) => each.ruleContent === undefined && canonicalToolName(each.toolName) === name);
  if (rule) {
    const reason = `The rule ${formatRule(rule)} takes the tool away: the model does not get to see it.`;
    return { behavior: 'deny', layer: 'deny-rule', reason, ...ruleDetails(rule) };
  }
  const near = nearestWord(
    toolName,
    tools.all().map((tool) => tool.name),
  );
  const hint = near === null ? '' : `. Did you mean ${near}?`;
  throw new HeddleError('invalid_option', `There is no tool ${toolName} here${hint}`);
}

function reasonOf(decision: Decision, { mode }: Policy): string {
  if (decision.behavior !== 'allow') return decision.reason;
  if (decision.rule) return `The rule ${formatRule(decision.rule)} allows it.`;
  if (decision.layer === 'sandbox') return 'It runs inside of the sandbox.';
  if (decision.layer === 'mode') return `The mode ${mode} allows it.`;
  if (decision.layer === 'allow-rule') return 'Rules allow every part of it.';
  return 'It changes nothing, or stays inside of the directories of this session.';
}

function ruleDetails(rule: Rule): Pick<Explanation, 'rule' | 'where'> {
  return { rule: formatRule(rule), where: ruleOrigin(rule) };
}
