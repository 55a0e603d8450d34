import { join, relative, resolve } from 'node:path';
import type { NameTest, PathPattern } from '../tools/path-guard/path-finder.ts';
import { isInside } from '../util/files/path-inside.ts';
import { namesMatcher } from './glob-names.ts';
import { anchorsOf, type PathRuleContext, pathMatcher, pathRuleKind } from './path-rules.ts';
import type { Rule } from './rules.ts';

export interface PatternContext extends PathRuleContext {
  roots: readonly string[];
}

export interface DeniedPatterns {
  read: PathPattern[];
  edit: PathPattern[];
  /** Rules that this version cannot evaluate. They cover every path, and no list of paths says that. */
  unread: Rule[];
}

/** Whether deny rules name paths: only then does anything have to hold them. */
export function hasPathRules(deny: readonly Rule[]): boolean {
  return deny.some((rule) => rule.ruleContent !== undefined && pathRuleKind(rule) !== null);
}

/**
 * The deny rules as patterns that can be looked up in the file system. A rule that means every directory of the machine
 * (`Read(.env)`, or a pattern that begins with two stars) is looked up below the directories of the session only.
 */
export function deniedPatterns(rules: readonly Rule[], context: PatternContext): DeniedPatterns {
  const found: DeniedPatterns = { read: [], edit: [], unread: [] };
  for (const rule of rules) {
    const kind = pathRuleKind(rule);
    if (kind === null || rule.ruleContent === undefined) continue;
    if (pathMatcher(rule.ruleContent, context, 'forbid') === null) found.unread.push(rule);
    else found[kind].push(...patternsOf(rule.ruleContent, context));
  }
  return found;
}

function patternsOf(spec: string, context: PatternContext): PathPattern[] {
  const { cwd, checkouts = [], roots } = context;
  const places = [...new Set([cwd, ...roots, ...checkouts])];
  return (anchorsOf(spec, context, 'forbid') ?? []).flatMap(({ directory, glob }) => {
    const segments = glob.split('/').filter((segment) => segment !== '' && segment !== '.');
    const isEverywhere = directory === '/' && segments[0] === '**';
    const firstGlob = segments.findIndex((segment) => /[*?]/.test(segment));
    const fixed = firstGlob === -1 ? segments : segments.slice(0, firstGlob);
    const rest = firstGlob === -1 ? [] : segments.slice(firstGlob);
    const bases = isEverywhere ? places : withCopies(resolve(directory, ...fixed), context);
    return bases.map((base) => ({ ...patternAt(base, rest), rule: spec }));
  });
}

/** A worktree has a copy of each path that a rule names in the checkout. */
function withCopies(path: string, { cwd, checkouts = [] }: PatternContext): string[] {
  if (isInside(cwd, path)) return [path];
  const copies = checkouts.flatMap((checkout) => (isInside(checkout, path) ? join(cwd, relative(checkout, path)) : []));
  return [path, ...copies];
}

/** `dir/**` means the directory. */
function patternAt(base: string, segments: readonly string[]): Omit<PathPattern, 'rule'> {
  const isDirectory = segments.at(-1) === '**';
  const names = isDirectory ? segments.slice(0, -1) : segments;
  return { id: [base, ...segments].join('/'), base, isDirectory, names: names.map(testOf) };
}

function testOf(segment: string): NameTest | 'any' {
  return segment === '**' ? 'any' : namesMatcher([segment], { ignoreCase: true });
}
