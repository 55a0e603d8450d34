import { pathMatcher, pathRuleKind } from './path-rules.ts';
import type { Policy } from './policy.ts';

/** Whether a deny rule hides this file from reading; for tools that search, which must leave such files out. */
export function hidesPath(policy: Policy, path: string): boolean {
  return hiddenPaths(policy)(path);
}

/** The same for many paths: the rules are read once. */
export function hiddenPaths(policy: Policy, realPath = policy.realPath): (path: string) => boolean {
  const matchers = policy.deny.flatMap((rule) =>
    rule.ruleContent === undefined || pathRuleKind(rule) !== 'read'
      ? []
      : [pathMatcher(rule.ruleContent, { ...policy, realPath }, 'forbid')],
  );
  return (path) => matchers.some((matcher) => matcher?.matches(path) ?? true);
}
