import { pathMatcher, pathRuleKind } from './path-rules.ts';
import type { Policy } from './policy.ts';

/** Returns a test for the files that a deny rule hides from reading. Search tools must leave such files out. */
export function hiddenPaths(policy: Policy, realPath = policy.realPath): (path: string) => boolean {
  const matchers = policy.deny.flatMap((rule) =>
    rule.ruleContent === undefined || pathRuleKind(rule) !== 'read'
      ? []
      : [pathMatcher(rule.ruleContent, { ...policy, realPath }, 'forbid')],
  );
  return (path) => matchers.some((matcher) => matcher?.matches(path) ?? true);
}
