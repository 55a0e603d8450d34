import { basename, relative, resolve } from 'node:path';
import { isInside } from '../util/files/path-inside.ts';
import { namesMatcher } from './glob-names.ts';
import type { Policy } from './policy.ts';
import type { RealPath } from './real-path.ts';
import { canonicalToolName, coversTool, type Rule } from './rules.ts';
import { patternsMeet } from './shell/program-patterns.ts';
import type { Part } from './shell/shell-script.ts';

export interface PathRuleContext {
  cwd: string;
  /** The meaning of `~`; without it, rules that begin with `~` cannot be evaluated. */
  home?: string;
  realPath: RealPath;
  /** The checkouts that a worktree is a copy of: rules that forbid a path there also forbid its copy here. */
  checkouts?: readonly string[];
}

export interface PathMatcher {
  matches(path: string): boolean;
  /** `matches`, for a path that many matchers are asked about. */
  matchesOne(named: NamedPath): boolean;
  /** Whether a path below this directory could match, so that a search of it could show what the rule hides. */
  mayMatchBelow(directory: string): boolean;
  /**
   * Whether the path that the rule names lies in this directory, so that moving or removing the directory affects it.
   */
  startsBelow(directory: string): boolean;
  /** Whether the files that the rule names may have such a name; those below a directory that it names are left out. */
  mayBeNamed(name: readonly Part[]): boolean;
  /** Whether a path that is known only as a pattern could match. */
  mayMatch(pattern: readonly Part[]): boolean;
}

/**
 * Parses the path in `Read(path)` or `Edit(path)`; null when this version cannot. `//x` is absolute, `~/x` below the
 * home, `/x`, `./x` and `a/x` below the working directory, a single name at any depth; `*`, `?` and `**` are globs; a
 * directory means everything below it.
 *
 * `reading` says which way to err. `forbid`: both the path as written and its target count, case is ignored,
 * `/x` is also taken as absolute, a single name counts everywhere. `allow`: only the real path counts, exactly.
 */
export function pathMatcher(spec: string, context: PathRuleContext, reading: 'forbid' | 'allow'): PathMatcher | null {
  if (UNSUPPORTED.test(spec) || (spec.length > MAX_GLOB_CHARS && /[*?]/.test(spec))) return null;
  const anchors = anchorsOf(spec, context, reading);
  if (anchors === null) return null;
  const patterns = anchors.flatMap((anchor) => compile(anchor, context, reading));

  const candidates = (path: string) => candidatesOf(path, context, reading);
  const matchesOne = ({ length, couldBeAny, candidates: all }: NamedPath) => {
    if (length > MAX_PATH_CHARS) return reading === 'forbid';
    return couldBeAny || all.some((candidate) => patterns.some((pattern) => pattern.matches(candidate)));
  };
  return {
    matches: (path) => matchesOne(namedPath(path, context, reading)),
    matchesOne,
    mayMatchBelow: (directory) =>
      candidates(directory).some((candidate) =>
        patterns.some(({ base }) => isInside(candidate, base) || isInside(base, candidate)),
      ),
    startsBelow: (directory) =>
      candidates(directory).some((candidate) => patterns.some(({ base }) => isInside(candidate, base))),
    mayBeNamed: (name) => patterns.some(({ lastName }) => patternsMeet(name, lastName)),
    mayMatch: (pattern) => {
      if (lettersIn(pattern) > MAX_PATH_CHARS) return true;
      const [start, ...rest] = pattern;
      const copied = reading === 'forbid' && typeof start === 'string' ? originals(start, context) : [];
      const meant = [pattern, ...copied.map((each) => [each, ...rest])];
      return patterns.some(({ shapes }) => shapes().some((shape) => meant.some((each) => patternsMeet(each, shape))));
    },
  };
}

/** A path with all that does not depend on a rule. */
export interface NamedPath {
  length: number;
  /** It cannot be determined where it leads. */
  couldBeAny: boolean;
  candidates: readonly Candidate[];
}

interface Candidate {
  /** As rules of this reading compare it. */
  folded: string;
  /** Whether no part of it is `.`, `..` or empty: then it lies in a directory whose path it begins with. */
  isPlain: boolean;
}

export function namedPath(path: string, context: PathRuleContext, reading: 'forbid' | 'allow'): NamedPath {
  const { length } = path;
  if (length > MAX_PATH_CHARS) return { length, couldBeAny: false, candidates: [] };
  const couldBeAny = reading === 'forbid' && context.realPath(path) === null && mayLeadAnywhere(path);
  const candidates = candidatesOf(path, context, reading).map((each) => ({
    folded: reading === 'forbid' ? each.toLowerCase() : each,
    isPlain: each.startsWith('/') && !/\/\.{0,2}(?:\/|$)/.test(each),
  }));
  return { length, couldBeAny, candidates };
}

function candidatesOf(path: string, context: PathRuleContext, reading: 'forbid' | 'allow'): string[] {
  const real = context.realPath(path);
  if (reading === 'allow') return real === null ? [] : [real];
  const own = real === null || real === path ? [path] : [real, path];
  return context.checkouts === undefined ? own : [...own, ...own.flatMap((each) => originals(each, context))];
}

function lettersIn(pattern: readonly Part[]): number {
  return pattern.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 1), 0);
}

/**
 * The paths in the checkout that a path in a worktree is a copy of; a rule may name them by their whole path. The path
 * may also be the start of a pattern, as in `/loom/..` of `/loom/..*`, so its text is compared: `isInside` takes whole
 * paths.
 */
function originals(path: string, { cwd, checkouts = [] }: PathRuleContext): string[] {
  if (path !== cwd && !path.startsWith(`${cwd}/`)) return [];
  return checkouts.map((checkout) => `${checkout}${path.slice(cwd.length)}`);
}

/**
 * A path whose target cannot be determined may be one that a rule forbids. Exceptions are the files that a process has
 * open already, and files below /proc that are not reached through its links.
 */
function mayLeadAnywhere(path: string): boolean {
  if (/^\/dev\/(?:stdin|stdout|stderr|fd\/\d+)$/.test(path)) return false;
  return !path.startsWith('/proc/') || /\/(?:\.\.|cwd|root|exe|fd|map_files|task)(?:\/|$)/.test(path);
}

/** A path rule on any tool that edits means `Edit(path)`, and one on any tool that reads means `Read(path)`. */
const EDIT_TOOLS = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);
const READ_TOOLS = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead']);
const SEARCH_TOOLS = new Set(['Glob', 'Grep', 'LS']);

export function isSearch(toolName: string): boolean {
  return SEARCH_TOOLS.has(toolName);
}

export function pathRuleKind(rule: Rule): 'read' | 'edit' | null {
  const name = canonicalToolName(rule.toolName);
  if (EDIT_TOOLS.has(name)) return 'edit';
  return READ_TOOLS.has(name) ? 'read' : null;
}

/** Whether an allow rule covers a path for reading or editing it. */
export function allowsPath(rule: Rule, kind: 'read' | 'edit', path: string, context: PathRuleContext): boolean {
  if (rule.ruleContent === undefined) return coversTool(rule, kind === 'edit' ? 'Edit' : 'Read', 'allow');
  if (pathRuleKind(rule) !== kind) return false;
  return pathMatcher(rule.ruleContent, context, 'allow')?.matches(path) ?? false;
}

/** Negation, classes, alternatives and escapes. */
const UNSUPPORTED = /^!|[[\]{}\\\0]/;
/** Longer than any file name, and than any pattern that a person would write. */
const MAX_PATH_CHARS = 8192;
const MAX_GLOB_CHARS = 1024;

interface Anchor {
  directory: string;
  glob: string;
}

export function anchorsOf(spec: string, context: PathRuleContext, reading: 'forbid' | 'allow'): Anchor[] | null {
  const everywhere = reading === 'forbid' ? '/' : context.cwd;
  const bases = [context.cwd, ...((reading === 'forbid' && context.checkouts) || [])];
  const belowBases = (glob: string) => bases.map((directory) => ({ directory, glob }));
  if (spec.startsWith('//')) return [{ directory: '/', glob: spec.slice(2) }];
  if (spec.startsWith('~')) {
    const inHome = spec === '~' || spec.startsWith('~/');
    return inHome && context.home !== undefined ? [{ directory: context.home, glob: spec.slice(2) }] : null;
  }
  if (spec.startsWith('/')) {
    const below = belowBases(spec.slice(1));
    return reading === 'forbid' ? [...below, { directory: '/', glob: spec.slice(1) }] : below;
  }
  if (spec.startsWith('**/')) return [{ directory: everywhere, glob: spec }];
  if (spec === '**' || spec.replace(/\/$/, '').includes('/')) return belowBases(spec);
  return spec === '.' || spec === '..' ? belowBases(spec) : [{ directory: everywhere, glob: `**/${spec}` }];
}

interface Pattern {
  base: string;
  matches(candidate: Candidate): boolean;
  lastName: readonly Part[];
  /** The anchors as patterns; together they match at least as much. */
  shapes(): Part[][];
}

/** The segments before the first glob are a directory of their own, which may itself be reached through symlinks. */
function compile(anchor: Anchor, context: PathRuleContext, reading: 'forbid' | 'allow'): Pattern[] {
  const segments = anchor.glob.split('/').filter((segment) => segment !== '');
  const firstGlob = segments.findIndex((segment) => /[*?]/.test(segment));
  const fixed = firstGlob === -1 ? segments : segments.slice(0, firstGlob);
  const rest = firstGlob === -1 ? [] : segments.slice(firstGlob);
  const written = resolve(anchor.directory, ...fixed);
  const real = context.realPath(written);
  const bases = new Set(reading === 'forbid' ? [written, real ?? written] : real === null ? [] : [real]);

  const ignoreCase = reading === 'forbid';
  const fits = namesMatcher(rest, { ignoreCase });
  const fold = (path: string) => (ignoreCase ? path.toLowerCase() : path);
  const isEverything = rest.length === 0;
  return [...bases].map((base) => ({
    base,
    matches: insideOf(fold(base), (names) => isEverything || fits(names)),
    lastName: isEverything ? [basename(base)] : starParts(rest.at(-1) ?? '**'),
    shapes: () => shapesOf(base, rest).flatMap((shape) => [shape, [...shape, '/', { any: 'text' }]]),
  }));
}

/** Whether a path lies in a directory, and its names below that fit. */
function insideOf(base: string, fits: (names: string) => boolean): (candidate: Candidate) => boolean {
  const start = base === '/' ? '/' : `${base}/`;
  return ({ folded, isPlain }) => {
    if (!isPlain) return isInside(base, folded) && fits(relative(base, folded));
    if (folded === base) return fits('');
    return folded.startsWith(start) && fits(folded.slice(start.length));
  };
}

/** Each `**` doubles the shapes. With more of them the path below the base may be anything. */
const MAX_DOUBLE_STARS = 5;

function shapesOf(base: string, segments: readonly string[]): Part[][] {
  const start = base === '/' ? '' : base;
  if (segments.filter((segment) => segment === '**').length > MAX_DOUBLE_STARS) return [[start, { any: 'text' }]];
  return segments.reduce<Part[][]>(
    (shapes, segment) => {
      if (segment !== '**') return shapes.map((shape) => [...shape, '/', ...starParts(segment)]);
      // Any number of directories, including zero.
      return shapes.flatMap((shape) => [shape, [...shape, '/', { any: 'text' }]]);
    },
    [[start]],
  );
}

function starParts(segment: string): Part[] {
  const parts = segment.split(/(\*+|\?)/).map((piece): Part => {
    if (piece === '?') return { any: 'char' };
    return piece.startsWith('*') ? { any: 'name' } : piece;
  });
  return parts.filter((part) => part !== '');
}

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
