import { callOf, judge } from '../agent/judge.ts';
import type { Decision, Policy } from '../permissions/decide.ts';
import { canonicalToolName, formatRule, type Rule } from '../permissions/rules.ts';
import type { Tool } from '../tools/tool.ts';
import type { Workspace } from '../tools/workspace.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { nearestWord } from '../util/nearest.ts';
import { HeddleError } from '../wire/errors.ts';
import { ruleOrigin } from './rule-origin.ts';

/** What would become of a tool call, and why. */
export interface Explanation {
  behavior: Decision['behavior'];
  /** What decided: `deny-rule`, `mode`, `default` … */
  layer: string;
  reason: string;
  /** The rule that decided, as it is written. */
  rule?: string;
  /** The file or the flag in which that rule stands. */
  where?: string;
  /** The hooks that would be asked before it runs, as `Event: command (where it stands)`. What they say is not known. */
  hooks?: string[];
}

export interface ExplainOptions {
  tools: { all(): readonly Tool[]; get(name: string): Tool | undefined };
  workspace: Workspace;
  policy: Policy;
  /** The hooks that would be asked about a call. */
  hooks?: (call: { toolName: string; input: JsonObject }, behavior: Decision['behavior']) => Promise<string[]>;
}

/**
 * Judges a call as the gate would, without running it or asking anybody. Throws `invalid_option` for a tool that does not
 * exist and for an input that is not valid for it.
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
    ...(decision.rule && ruleFacts(decision.rule)),
    ...hookFacts((await options.hooks?.(call, decision.behavior)) ?? []),
  };
}

function hookFacts(hooks: string[]): Pick<Explanation, 'hooks'> {
  return hooks.length === 0 ? {} : { hooks };
}

/** A rule that names the whole tool takes it away: then there is nothing to judge any more. */
function explainMissing(toolName: string, { tools, policy }: ExplainOptions): Explanation {
  const name = canonicalToolName(toolName);
  const rule = policy.deny.find((each) => each.ruleContent === undefined && canonicalToolName(each.toolName) === name);
  if (rule) {
    const reason = `The rule ${formatRule(rule)} takes the tool away: the model does not get to see it.`;
    return { behavior: 'deny', layer: 'deny-rule', reason, ...ruleFacts(rule) };
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

function ruleFacts(rule: Rule): Pick<Explanation, 'rule' | 'where'> {
  return { rule: formatRule(rule), where: ruleOrigin(rule) };
}
