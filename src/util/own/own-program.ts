import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { arch, homedir, platform } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { otherNames, storesOf } from '../files/other-names.ts';
import { isInside } from '../files/path-inside.ts';
import { smallText } from '../files/small-file.ts';
import { isObject, type JsonObject, tryParseJson } from '../json.ts';
import { installedPackage, ownFile, sourcesRoot } from './own-files.ts';
import { userCodeCache } from './user-code-cache.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface InstalledProgram {
  /** Real paths of files and directories; some may not exist. */
  paths(): readonly string[];
  /** Whether a path is another name of one of its files. */
  isOtherName(path: string): boolean;
}

/** Searches on first use. `env` determines the directory of the code cache. */
export function findOwnProgram(env: Env): InstalledProgram {
  let places: readonly string[] | null = null;
  let all: readonly string[] | null = null;
  const ownPlaces = () => {
    places ??= candidatePaths(env);
    return places;
  };
  return {
    paths() {
      all ??= [...ownPlaces(), ...storesOf(ownPlaces())];
      return all;
    },
    isOtherName: otherNames(ownPlaces),
  };
}

/**
 * The paths of this program: its package, its code cache in the package or the user's cache folder, every package that
 * it may load, ripgrep included, and its runtime. Code that loads late would run outside of the sandbox and of every
 * rule, so the agent must not write to these paths. They are real paths; some do not exist, but a package at them would
 * be loaded instead of the right one.
 */
function candidatePaths(env: Env): string[] {
  const file = ownFile();
  const folder = packageFolder(file);
  const places = [
    ...(file === null ? [] : [real(file)]),
    ...(folder === null ? [] : [...codeIn(folder), ...dependenciesOf(folder, needsOfProgram(folder))]),
    ...(file === null ? [] : besideBundle(file, folder)),
    ...codeCaches(env),
    ...interpreter(),
  ];
  return outermost([...new Set(places)]);
}

/** Null for a program's bundle that runs without the installed package. */
function packageFolder(file: string | null): string | null {
  const known = sourcesRoot() ?? installedPackage() ?? builtFolder(file);
  return known && real(known);
}

/**
 * A copy of the package without its manifest still has its folder; the `dist` of another program is not the package.
 */
function builtFolder(file: string | null): string | null {
  for (let folder = file && dirname(file); folder !== null && folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === 'dist' && existsSync(join(folder, 'heddle.cjs'))) return dirname(folder);
  }
  return null;
}

/** A checkout of Heddle is a working directory: only the code that runs is protected. */
function codeIn(folder: string): string[] {
  if (folder.split(sep).includes('node_modules')) return [folder];
  return ['dist', 'package.json', ...(sourcesRoot() === null ? [] : ['src'])].map((name) => join(folder, name));
}

/** All packages that code in a folder may load, if it loads these packages itself. */
function dependenciesOf(folder: string, needs: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (from: string, names: readonly string[]): string[] => {
    if (seen.has(from)) return [];
    seen.add(from);
    return names.flatMap((name) => {
      const { found, closed } = lookUp(name, from);
      return found === null ? closed : [...closed, found, ...visit(found, needsOf(found))];
    });
  };
  return visit(folder, needs);
}

/** The paths that a program's bundle searches next to itself, before the installed package. */
function besideBundle(file: string, folder: string | null): string[] {
  const lies = real(file);
  if (lies === null || (folder !== null && isInside(folder, lies))) return [];
  const files = NEEDED_FILES.flatMap((name) => [name, `../${name}`].map((place) => join(dirname(lies), place)));
  return [...files, ...dependenciesOf(dirname(lies), NEEDED_PACKAGES)];
}

/** Files of `dist` that are found by their names. */
const NEEDED_FILES = ['heddle.cjs', 'web-tree-sitter.wasm.gz', 'tree-sitter-bash.wasm.gz'];

/**
 * The packages that Heddle may load by name. A test compares the list with the manifest, which a bundle does not have.
 */
export const NEEDED_PACKAGES: readonly string[] = [
  'heddle',
  ...['@aws-sdk/credential-provider-node', 'google-auth-library', '@opentelemetry/api', 'sharp', 'unpdf'],
  ...['@vscode/ripgrep', `@vscode/ripgrep-${platform()}-${arch()}`],
  ...['diff', 'https-proxy-agent', 'turndown', 'zod', 'zod-to-json-schema'],
];

/** The needs of a copy that may have no manifest. */
function needsOfProgram(folder: string): readonly string[] {
  const needs = needsOf(folder);
  return needs.length > 0 ? needs : NEEDED_PACKAGES;
}

/** The packages that a package may load, by its manifest, optional ones included. */
function needsOf(folder: string): string[] {
  const manifest = readManifest(folder);
  const named = (key: string) => Object.keys(isObject(manifest[key]) ? manifest[key] : {});
  return [...named('dependencies'), ...named('peerDependencies'), ...named('optionalDependencies').filter(isForHere)];
}

const MAX_MANIFEST = 1024 * 1024;

function readManifest(folder: string): JsonObject {
  const manifest = tryParseJson(smallText(join(folder, 'package.json'), MAX_MANIFEST) ?? '');
  return isObject(manifest) ? manifest : {};
}

/** The manifest also lists programs for other machines, which are never loaded. */
function isForHere(name: string): boolean {
  const isForSome = /(?:^|[-/])(?:darwin|linux|win32|freebsd|android|aix|sunos|openbsd)/.test(name);
  return !isForSome || (name.includes(platform()) && name.includes(arch()));
}

interface LookedUp {
  /** The folder of the package; null: it is missing. */
  found: string | null;
  /** The paths that must not change, so that this package is found. */
  closed: string[];
}

/** Searches as Node does: in every `node_modules` up to the root. */
function lookUp(name: string, from: string): LookedUp {
  const moduleFolders = ancestors(from)
    .filter((folder) => basename(folder) !== 'node_modules')
    .map((folder) => join(folder, 'node_modules'));
  const at = moduleFolders.findIndex((moduleFolder) => real(join(moduleFolder, name)) !== null);
  const moduleFolder = moduleFolders[at];
  const found = moduleFolder === undefined ? null : real(join(moduleFolder, name));
  if (moduleFolder === undefined || found === null)
    return { found: null, closed: moduleFolders.map((each) => join(each, name)) };
  // The earlier `node_modules` must not contain this package; and no link may be exchanged.
  const names = name.split('/');
  const isLinked = [0, ...names.keys()].some((_, depth) => isLink(join(moduleFolder, ...names.slice(0, depth))));
  return { found, closed: [...moduleFolders.slice(0, at), isLinked ? moduleFolder : join(moduleFolder, name)] };
}

function ancestors(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}

/** The code caches of this process, and of the next one without the variable for it. */
function codeCaches(env: Env): string[] {
  const home = real(homedir()) ?? homedir();
  const folders = new Set([env, {}].map((each) => userCodeCache(each, home)));
  return [...folders].map((folder) => real(folder) ?? join(real(dirname(folder)) ?? dirname(folder), basename(folder)));
}

/** The runtime of the program, where the system reports it. */
function interpreter(): string[] {
  try {
    return [readlinkSync('/proc/self/exe')];
  } catch {
    return [];
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function real(path: string): string | null {
  // Most paths are missing, and an error costs more than a check.
  if (!existsSync(path)) return null;
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Leaves out paths inside of a directory that is protected as a whole. */
function outermost(paths: readonly (string | null)[]): string[] {
  const all = paths.filter((path) => path !== null);
  // A comparison of the first letters is cheaper and excludes most pairs.
  const isBelow = (path: string, other: string) => path !== other && path.startsWith(other) && isInside(other, path);
  return all.filter((path) => !all.some((other) => isBelow(path, other) && !isMissing(other)));
}

function isMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}
