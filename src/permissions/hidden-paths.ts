import { namedPath, pathMatcher, pathRuleKind } from './path-rules.ts';
import type { Policy } from './policy.ts';

/** Returns a test for the files that a deny rule hides from reading. Search tools must leave such files out. */
export function hiddenPaths(policy: Policy, realPath = policy.realPath): (path: string) => boolean {
  const context = { ...policy, realPath };
  const matchers = policy.deny.flatMap((rule) =>
    rule.ruleContent === undefined || pathRuleKind(rule) !== 'read'
      ? []
      : [pathMatcher(rule.ruleContent, context, 'forbid')],
  );
  if (matchers.length === 0) return () => false;
  return (path) => {
    const named = namedPath(path, context, 'forbid');
    return matchers.some((matcher) => matcher?.matchesOne(named) ?? true);
  };
}
