import { join, relative, resolve } from 'node:path';
import { isInside } from '../util/files/path-inside.ts';
import { anchorsOf, type PathRuleContext, pathRuleKind } from './path-rules.ts';
import type { Rule } from './rules.ts';

/**
 * The paths that deny rules of one kind name without a pattern, for a sandbox, which can list paths but not match them.
 * `dir/**` names the directory. A single name, which a rule means at any depth, is taken in the working directory only.
 */
export function namedPaths(rules: readonly Rule[], kind: 'read' | 'edit', context: PathRuleContext): string[] {
  return rules.flatMap((rule) => {
    if (rule.ruleContent === undefined || pathRuleKind(rule) !== kind) return [];
    return pathsIn(rule.ruleContent, context);
  });
}

function pathsIn(spec: string, context: PathRuleContext): string[] {
  const anchors = anchorsOf(spec, context, 'forbid') ?? [];
  return anchors.flatMap(({ directory, glob }) => {
    const isAnywhere = glob.startsWith('**/');
    const path = glob.replace(/^\*\*\//, '').replace(/(?:^|\/)\*\*$/, '');
    if (/[*?![\]{}\\\0]/.test(path)) return [];
    const places = isAnywhere ? [context.cwd, ...(context.checkouts ?? [])] : [directory];
    return places.map((place) => resolve(place, path)).flatMap((each) => [each, ...copiesOf(each, context)]);
  });
}

/** A worktree has a copy of each path that a rule names in the checkout. */
function copiesOf(path: string, { cwd, checkouts = [] }: PathRuleContext): string[] {
  if (isInside(cwd, path)) return [];
  return checkouts.flatMap((checkout) => (isInside(checkout, path) ? join(cwd, relative(checkout, path)) : []));
}
