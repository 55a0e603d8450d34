import { relative, resolve } from 'node:path';
import { namesMatcher } from './glob-names.ts';
import { isInside } from './paths.ts';
import type { RealPath } from './real-path.ts';
import { canonicalToolName, type Rule } from './rules.ts';
import { patternsMeet } from './shell-pattern.ts';
import type { Part } from './shell-script.ts';

export interface PathRuleContext {
  cwd: string;
  /** What `~` stands for; without it rules that begin with `~` cannot be evaluated. */
  home?: string;
  realPath: RealPath;
  /** What the working directory is a copy of, where it is a worktree: what rules forbid here is forbidden there, too. */
  checkouts?: readonly string[];
}

export interface PathMatcher {
  matches(path: string): boolean;
  /** Whether something below this directory could match, so that searching it could show what the rule hides. */
  mayMatchBelow(directory: string): boolean;
  /** Whether the place that the rule names lies in this directory, so that moving or removing it takes that along. */
  startsBelow(directory: string): boolean;
  /** Whether a path of which only a pattern is known could match. */
  mayMatch(pattern: readonly Part[]): boolean;
}

/**
 * Understands the path in `Read(path)` or `Edit(path)`; null when this version cannot. `//x` is absolute, `~/x` below
 * the home, `/x`, `./x` and `a/x` below the working directory, a single name at any depth; `*`, `?` and `**` are globs;
 * a directory means everything below it.
 *
 * `reading` says which way to err. `forbid`: the path as written counts as much as where it leads, case is ignored,
 * `/x` is also taken as absolute, a single name counts everywhere. `allow`: only the real path counts, exactly.
 */
export function pathMatcher(spec: string, context: PathRuleContext, reading: 'forbid' | 'allow'): PathMatcher | null {
  if (UNSUPPORTED.test(spec) || (spec.length > MAX_GLOB_CHARS && /[*?]/.test(spec))) return null;
  const anchors = anchorsOf(spec, context, reading);
  if (anchors === null) return null;
  const patterns = anchors.flatMap((anchor) => compile(anchor, context, reading));

  const candidates = (path: string) => {
    const real = context.realPath(path);
    if (reading === 'allow') return real === null ? [] : [real];
    const own = real === null ? [path] : [real, path];
    return [...own, ...own.flatMap((each) => originals(each, context))];
  };
  const couldBeAny = (path: string) => reading === 'forbid' && context.realPath(path) === null && mayLeadAnywhere(path);
  return {
    matches: (path) => {
      if (path.length > MAX_PATH_CHARS) return reading === 'forbid';
      return (
        couldBeAny(path) || candidates(path).some((candidate) => patterns.some((pattern) => pattern.matches(candidate)))
      );
    },
    mayMatchBelow: (directory) =>
      candidates(directory).some((candidate) =>
        patterns.some(({ base }) => isInside(candidate, base) || isInside(base, candidate)),
      ),
    startsBelow: (directory) =>
      candidates(directory).some((candidate) => patterns.some(({ base }) => isInside(candidate, base))),
    mayMatch: (pattern) => {
      if (lettersIn(pattern) > MAX_PATH_CHARS) return true;
      const [start, ...rest] = pattern;
      const copied = reading === 'forbid' && typeof start === 'string' ? originals(start, context) : [];
      const meant = [pattern, ...copied.map((each) => [each, ...rest])];
      return patterns.some(({ shapes }) => shapes().some((shape) => meant.some((each) => patternsMeet(each, shape))));
    },
  };
}

function lettersIn(pattern: readonly Part[]): number {
  return pattern.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 1), 0);
}

/** Of a path in a worktree: what it is a copy of. A rule may name that by its whole path. */
function originals(path: string, { cwd, checkouts = [] }: PathRuleContext): string[] {
  if (path !== cwd && !path.startsWith(`${cwd}/`)) return [];
  return checkouts.map((checkout) => `${checkout}${path.slice(cwd.length)}`);
}

/**
 * Where a path leads to that cannot be told, it may be what a rule forbids. Known are what a process has open already,
 * and those files below /proc that lie behind none of its links.
 */
function mayLeadAnywhere(path: string): boolean {
  if (/^\/dev\/(?:stdin|stdout|stderr|fd\/\d+)$/.test(path)) return false;
  return !path.startsWith('/proc/') || /\/(?:\.\.|cwd|root|exe|fd|map_files|task)(?:\/|$)/.test(path);
}

/** Ruling K33: a path rule on any tool that edits means `Edit(path)`; likewise for tools that read. */
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

/** Negation, classes, alternatives and escapes. */
const UNSUPPORTED = /^!|[[\]{}\\\0]/;
/** Longer than any file's name can be, and than a pattern that somebody has written. */
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
  matches(path: string): boolean;
  /** The same as patterns; together they mean at least as much. */
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
  return [...bases].map((base) => ({
    base,
    matches: (path) => isInside(fold(base), fold(path)) && fits(relative(fold(base), fold(path))),
    shapes: () => shapesOf(base, rest).flatMap((shape) => [shape, [...shape, '/', { any: 'text' }]]),
  }));
}

/** Each doubles the shapes. With more of them the path below the base may be anything. */
const MAX_DOUBLE_STARS = 5;

function shapesOf(base: string, segments: readonly string[]): Part[][] {
  const start = base === '/' ? '' : base;
  if (segments.filter((segment) => segment === '**').length > MAX_DOUBLE_STARS) return [[start, { any: 'text' }]];
  return segments.reduce<Part[][]>(
    (shapes, segment) => {
      if (segment !== '**') return shapes.map((shape) => [...shape, '/', ...starParts(segment)]);
      // Any number of directories, also none.
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
