import { type Dirent, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { existingPath } from '../../util/files/existing-path.ts';
import { isInside } from '../../util/files/path-inside.ts';
import { globMatcher } from '../../util/text/glob.ts';
import { readFrontMatter, textValue } from '../extensions/front-matter.ts';
import type { YamlProblem } from '../extensions/yaml.ts';
import type { MemoryKind } from './memory-locations.ts';

/** A rule for certain files only. The model gets it when the session works on one of them. */
export interface ScopedRule {
  path: string;
  kind: MemoryKind;
  globs: readonly string[];
}

/** A folder of rules, and a check for links in it. */
export interface RuleFolder {
  path: string;
  /** Called for a link to a directory: whether its target may be read. */
  mayEnter(link: string): boolean;
}

/** Deeper and larger than any real folder; a stranger's folder must not block the session. */
const MAX_DEPTH = 8;
const MAX_FILES = 500;

/** The Markdown files below a folder, by name. Each directory counts once, so that circular links end. */
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
  /** Null: the rule applies to all files. */
  globs: string[] | null;
  problems: YamlProblem[];
}

/** Parses a rule: `paths` in its front matter names the files that it applies to. */
export function readRule(text: string): RuleText {
  const matter = readFrontMatter(text);
  const { paths } = matter.values;
  const written = Array.isArray(paths) ? paths.map(String) : splitOutside(textValue(matter, 'paths') ?? '');
  const globs = written.map((glob) => glob.trim()).filter((glob) => glob !== '');
  return { body: matter.body, globs: globs.length > 0 ? globs : null, problems: matter.problems };
}

/**
 * Whether a rule applies to a file: a rule of a project to files in the project, a rule of the user to files in the
 * working directories.
 */
export function ruleHolds({ path, kind, globs }: ScopedRule, file: string, roots: readonly string[]): boolean {
  const bases = kind === 'user' ? roots : [projectOf(path)];
  const ways = bases.filter((base) => isInside(base, file)).map((base) => relative(base, file));
  return globs.map(globMatcher).some((fits) => ways.some(fits));
}

/** The directory that contains `.claude`, for a path inside of it at any depth. */
export function projectOf(path: string): string {
  const names = dirname(path).split(sep);
  const at = names.lastIndexOf('.claude');
  return at < 1 ? dirname(path) : names.slice(0, at).join(sep) || sep;
}

/** Splits at commas, except in braces: `src/*.{ts,tsx}, lib/**`. */
function splitOutside(text: string): string[] {
  return text.split(/,(?![^{]*\})/);
}

/** Empty for a folder that is missing or cannot be read. */
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
    return false; // leads nowhere, or in a circle
  }
}
