import { type Dirent, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { existingPath } from '../util/existing-path.ts';
import { globMatcher } from '../util/glob.ts';
import { readFrontMatter, textValue } from './front-matter.ts';
import type { MemoryKind } from './memory-places.ts';
import type { YamlProblem } from './yaml.ts';

/** A rule that holds for some files only: it is told once one of them is worked on. */
export interface ScopedRule {
  path: string;
  kind: MemoryKind;
  globs: readonly string[];
}

/** A folder of rules, and where links in it may lead. */
export interface RuleFolder {
  path: string;
  /** Asked for a link to a directory: whether what is behind it may be looked at. */
  mayEnter(link: string): boolean;
}

/** Deeper and more than anybody keeps; a folder of a stranger must not hold us up. */
const MAX_DEPTH = 8;
const MAX_FILES = 500;

/** The Markdown files below a folder, by name. A directory counts once, so that links that lead back end by themselves. */
export function ruleFiles(folder: RuleFolder): string[] {
  const seen = new Set<string>();
  const found: string[] = [];
  const walk = (directory: string, depth: number): void => {
    const real = existingPath(directory);
    if (real === null || seen.has(real) || depth > MAX_DEPTH) return;
    seen.add(real);
    for (const entry of entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (found.length >= MAX_FILES) return;
      if (isFolder(entry, path)) {
        if (!entry.isSymbolicLink() || folder.mayEnter(path)) walk(path, depth + 1);
      } else if (entry.name.endsWith('.md')) found.push(path);
    }
  };
  walk(folder.path, 0);
  return found;
}

export interface RuleText {
  body: string;
  /** Null: it holds for everything. */
  globs: string[] | null;
  problems: YamlProblem[];
}

/** Takes a rule apart: `paths` in its front matter says for which files it holds. */
export function readRule(text: string): RuleText {
  const matter = readFrontMatter(text);
  const { paths } = matter.values;
  const written = Array.isArray(paths) ? paths.map(String) : splitOutside(textValue(matter, 'paths') ?? '');
  const globs = written.map((glob) => glob.trim()).filter((glob) => glob !== '');
  return { body: matter.body, globs: globs.length > 0 ? globs : null, problems: matter.problems };
}

/** Whether a rule holds for a file: those of a project for what lies in it, the user's for what lies where we work. */
export function ruleHolds({ path, kind, globs }: ScopedRule, file: string, roots: readonly string[]): boolean {
  const bases = kind === 'user' ? roots : [projectOf(path)];
  const ways = bases.map((base) => relative(base, file)).filter((way) => way !== '..' && !way.startsWith(`..${sep}`));
  return globs.map(globMatcher).some((fits) => ways.some(fits));
}

/** What is in `.claude`, at any depth, speaks for the directory around it. */
export function projectOf(path: string): string {
  const names = dirname(path).split(sep);
  const at = names.lastIndexOf('.claude');
  return at < 1 ? dirname(path) : names.slice(0, at).join(sep) || sep;
}

/** At commas, except for those in braces: `src/*.{ts,tsx}, lib/**`. */
function splitOutside(text: string): string[] {
  return text.split(/,(?![^{]*\})/);
}

/** A folder that is not there, or not for us to read, has none. */
function entriesOf(directory: string): Dirent[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // leads nowhere, or around in a circle
  }
}
