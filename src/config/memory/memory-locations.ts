import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { isInside } from '../../util/files/path-inside.ts';

/** The owner of the instructions in a memory file. The settings source of the same name enables it. */
export type MemoryKind = 'user' | 'project' | 'local';

/** A possible path of a memory file. */
export interface MemoryLocation {
  path: string;
  kind: MemoryKind;
  /** A folder of rules: every Markdown file below it is a memory file. */
  isFolder?: true;
  /** Below the working directory: read when the session works on a file there. */
  isNested?: true;
}

export interface MemoryScope {
  /** A real path. */
  cwd: string;
  /** Additional directories whose memory files are read. */
  additional: readonly string[];
  /** Null: there is no file of the user. */
  configHome: string | null;
  /** The directory that `~` means; empty when there is none. */
  userHome: string;
  reads(kind: MemoryKind): boolean;
}

/**
 * Every location of a session's memory files, the most general first; later files win. The user's come first, then
 * those of each directory from the root down to the working directory. In a directory AGENTS.md comes first, then the
 * files for agents like this one with their rules, then the files only for this user.
 */
export function memoryLocations(scope: MemoryScope): MemoryLocation[] {
  const { cwd, additional, configHome, userHome } = scope;
  const ofUser = configHome === null ? [] : locationsOfUser(configHome);
  const directories = [...upwards(cwd).reverse(), ...additional];
  const ofProject = directories.flatMap((directory) => locationsIn(directory, directory === userHome));
  const copied = copiedLocations(cwd);
  return [...ofUser, ...ofProject].filter(
    ({ kind, path }) => scope.reads(kind) && !(kind === 'project' && copied(path)),
  );
}

/** For a worktree inside of its main checkout: the locations in the checkout whose files the worktree has, too. */
function copiedLocations(cwd: string): (path: string) => boolean {
  const found = /^(.+)\/\.claude\/worktrees\/[^/]+/.exec(cwd);
  if (!found) return () => false;
  const [worktree, checkout = ''] = found;
  return (path) => isInside(checkout, path) && !isInside(worktree, path);
}

/**
 * The locations that a file below the working directory adds: those of the directories between, the outer ones first.
 */
export function nestedLocations(path: string, root: string, reads: MemoryScope['reads']): MemoryLocation[] {
  if (path === root || !isInside(root, path)) return [];
  const below = relative(root, path).split(sep);
  // Installed packages belong to other people; their files are not instructions.
  if (below.some((name) => NOT_OURS.has(name))) return [];
  const directories = below.map((_, at) => join(root, ...below.slice(0, at + 1)));
  return directories
    .flatMap((directory) => locationsIn(directory, false))
    .filter(({ kind }) => reads(kind))
    .map((each) => ({ ...each, isNested: true }));
}

/** Called with every turn; the only cost for a session without memory files. */
export function isAnyThere(locations: readonly MemoryLocation[]): boolean {
  return locations.some(({ path }) => existsSync(path));
}

const NAMES = ['AGENTS.md', 'CLAUDE.md'];
const NOT_OURS: ReadonlySet<string> = new Set(['node_modules', '.git']);

function locationsOfUser(home: string): MemoryLocation[] {
  return [
    ...NAMES.map((name) => locationAt(home, name, 'user')),
    { ...locationAt(home, 'rules', 'user'), isFolder: true },
  ];
}

/** A `.claude` in the user's home belongs to a program, not to a project. */
function locationsIn(directory: string, isUserHome: boolean): MemoryLocation[] {
  return [
    ...NAMES.map((name) => locationAt(directory, name, 'project')),
    ...(isUserHome ? [] : locationsInClaude(join(directory, '.claude'))),
    locationAt(directory, 'CLAUDE.local.md', 'local'),
  ];
}

function locationsInClaude(folder: string): MemoryLocation[] {
  return [locationAt(folder, 'CLAUDE.md', 'project'), { ...locationAt(folder, 'rules', 'project'), isFolder: true }];
}

function locationAt(directory: string, name: string, kind: MemoryKind): MemoryLocation {
  return { path: join(directory, name), kind };
}

/** The directory and all its parents, without the root of the file system unless it is the directory itself. */
function upwards(directory: string): string[] {
  const above = dirname(directory);
  return above === directory || dirname(above) === above ? [directory] : [directory, ...upwards(above)];
}
