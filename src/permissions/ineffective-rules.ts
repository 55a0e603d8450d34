import { domainMatcher } from './domain-rules.ts';
import { pathMatcher, pathRuleKind } from './path-rules.ts';
import type { Policy } from './policy.ts';
import { canonicalToolName, type Rule } from './rules.ts';
import { canAllow, shellSpec } from './shell/shell-spec.ts';

/**
 * Why the content of an allow rule's parentheses keeps it from ever allowing anything, in words; null when it can allow
 * something. A rule that forbids always has an effect: where its content cannot be parsed, it catches every call of its
 * tool.
 */
export function whyIneffective(rule: Rule, policy: Policy): string | null {
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

/** Tools whose rules name an agent, a skill or a command. */
const NAMED = new Set(['Task', 'Skill', 'SlashCommand']);
