import { domainMatcher } from './domain-rules.ts';
import { pathMatcher, pathRuleKind } from './path-rules.ts';
import type { Policy } from './policy.ts';
import { canonicalToolName, type Rule } from './rules.ts';
import { canAllow, shellSpec } from './shell-spec.ts';

/**
 * Why an allow rule can never allow anything because of what stands in its parentheses, in words; null when it can. A rule
 * that forbids is never idle for that reason: where its content cannot be understood it catches every call of its tool.
 */
export function whyIdle(rule: Rule, policy: Policy): string | null {
  const { ruleContent } = rule;
  if (ruleContent === undefined) return null;
  const name = canonicalToolName(rule.toolName);
  if (pathRuleKind(rule) !== null) {
    return pathMatcher(ruleContent, policy, 'allow') === null ? 'its path cannot be understood' : null;
  }
  if (name === 'Bash') {
    return canAllow(shellSpec(ruleContent, 'allow')) ? null : 'its wildcard needs plain words in front of it';
  }
  if (name === 'WebFetch') {
    return domainMatcher(ruleContent, 'allow') === null ? 'it must read domain:HOST' : null;
  }
  return NAMED.has(name) ? null : `${name} takes nothing in parentheses`;
}

/** Tools whose rules name what is called: an agent, a skill, a command. */
const NAMED = new Set(['Task', 'Skill', 'SlashCommand']);
