import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { isObject, type JsonObject, tryParseJson } from './json.ts';
import { otherNames, storesOf } from './other-names.ts';
import { installedPackage, ownFile, sourcesRoot } from './own-place.ts';
import { smallText } from './small-file.ts';

export interface FoundProgram {
  /** Real paths of files and directories, also of some that do not exist. */
  paths(): readonly string[];
  /** Whether a path is another name of one of its files. */
  isOtherName(path: string): boolean;
}

/** Looks for what it is asked for when it is asked first. */
export function findOwnProgram(): FoundProgram {
  let places: readonly string[] | null = null;
  let all: readonly string[] | null = null;
  const ownPlaces = () => {
    places ??= placesOf();
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
 * Where the program lies that this is: its package with the code that it keeps, every package that it may load, ripgrep
 * among them, and what runs it (ruling G12). What of it is read late would run outside of a sandbox and past every rule,
 * so that nobody whom it watches may write there. Real paths, of files and directories; also of some that do not exist,
 * in which a package would be found before the right one, or at all.
 */
function placesOf(): string[] {
  const file = ownFile();
  const folder = packageFolder(file);
  const places = [
    ...(file === null ? [] : [real(file)]),
    ...(folder === null ? [] : [...codeIn(folder), ...dependenciesOf(folder, needsOfProgram(folder))]),
    ...(file === null ? [] : besideBundle(file, folder)),
    ...interpreter(),
  ];
  return outermost([...new Set(places)]);
}

/** Null for a bundle of somebody's program that runs where the package is not installed. */
function packageFolder(file: string | null): string | null {
  const known = sourcesRoot() ?? installedPackage() ?? builtFolder(file);
  return known && real(known);
}

/** A copy of the package without its manifest still has its folder; `dist` of another program is none. */
function builtFolder(file: string | null): string | null {
  for (let folder = file && dirname(file); folder !== null && folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === 'dist' && existsSync(join(folder, 'heddle.cjs'))) return dirname(folder);
  }
  return null;
}

/** A checkout of the program is somebody's work: there only what runs is closed. */
function codeIn(folder: string): string[] {
  if (folder.split(sep).includes('node_modules')) return [folder];
  return ['dist', 'package.json', ...(sourcesRoot() === null ? [] : ['src'])].map((name) => join(folder, name));
}

/** All that code in a folder may load, when it loads these packages itself. */
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

/** What a bundle of somebody's program looks for where it lies itself, before it looks where the package is installed. */
function besideBundle(file: string, folder: string | null): string[] {
  const lies = real(file);
  if (lies === null || (folder !== null && lies.startsWith(`${folder}${sep}`))) return [];
  const files = NEEDED_FILES.flatMap((name) => [name, `../${name}`].map((place) => join(dirname(lies), place)));
  return [...files, ...dependenciesOf(dirname(lies), NEEDED_PACKAGES)];
}

/** Files of `dist` that are found by their names. */
const NEEDED_FILES = ['heddle.cjs', 'web-tree-sitter.wasm', 'tree-sitter-bash.wasm'];

/** What this program may load by its name. A test compares it with the manifest, which a bundle does not have. */
export const NEEDED_PACKAGES: readonly string[] = [
  'heddle',
  ...['@opentelemetry/api', 'sharp', 'unpdf'],
  ...['@vscode/ripgrep', `@vscode/ripgrep-${platform()}-${arch()}`],
  ...['diff', 'https-proxy-agent', 'turndown', 'zod', 'zod-to-json-schema'],
];

/** A copy may have no manifest. */
function needsOfProgram(folder: string): readonly string[] {
  const needs = needsOf(folder);
  return needs.length > 0 ? needs : NEEDED_PACKAGES;
}

/** What a package may load, by its manifest: also what it need not have. */
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

/** Programs for other machines are listed beside ours; they are never loaded. */
function isForHere(name: string): boolean {
  const isForSome = /(?:^|[-/])(?:darwin|linux|win32|freebsd|android|aix|sunos|openbsd)/.test(name);
  return !isForSome || (name.includes(platform()) && name.includes(arch()));
}

interface LookedUp {
  /** The folder of the package; null: it is nowhere. */
  found: string | null;
  /** What must stay as it is, so that this is what is found. */
  closed: string[];
}

/** As Node looks for a package: in every `node_modules` on the way to the root. */
function lookUp(name: string, from: string): LookedUp {
  const shelves = ancestors(from)
    .filter((folder) => basename(folder) !== 'node_modules')
    .map((folder) => join(folder, 'node_modules'));
  const at = shelves.findIndex((shelf) => real(join(shelf, name)) !== null);
  const shelf = shelves[at];
  const found = shelf === undefined ? null : real(join(shelf, name));
  if (shelf === undefined || found === null) return { found: null, closed: shelves.map((each) => join(each, name)) };
  // On the shelves before it there must be no package of that name; nor may a link be exchanged.
  const names = name.split('/');
  const isLinked = [0, ...names.keys()].some((_, depth) => isLink(join(shelf, ...names.slice(0, depth))));
  return { found, closed: [...shelves.slice(0, at), isLinked ? shelf : join(shelf, name)] };
}

function ancestors(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}

/** What runs the program, where the system tells. */
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
  // Most are not there, and an error costs more than a look.
  if (!existsSync(path)) return null;
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** What lies in a directory that is closed as a whole need not be said. */
function outermost(paths: readonly (string | null)[]): string[] {
  const all = paths.filter((path) => path !== null);
  const isBelow = (path: string, other: string) => path !== other && path.startsWith(`${other}${sep}`);
  return all.filter((path) => !all.some((other) => isBelow(path, other) && !isMissing(other)));
}

function isMissing(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined;
}
