import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** Whose instructions a memory file holds. The source of settings of the same name lets it be read. */
export type MemoryKind = 'user' | 'project' | 'local';

/** Where a memory file may be. */
export interface MemoryPlace {
  path: string;
  kind: MemoryKind;
  /** A folder of rules: every Markdown file below it is a memory file. */
  isFolder?: true;
  /** Below the working directory: read once something there is worked on. */
  isNested?: true;
}

export interface MemoryScope {
  /** A real path. */
  cwd: string;
  /** Directories beside it that are to have a say, too. */
  additional: readonly string[];
  /** Null: there is no user's file. */
  configHome: string | null;
  /** The directory that `~` stands for; empty when there is none. */
  userHome: string;
  reads(kind: MemoryKind): boolean;
}

/**
 * Every place of a session's memory files, the most general first: the user's, then those of each directory from the top
 * down to the working directory. Who comes later wins. In a directory AGENTS.md comes first, then what is only for agents
 * like this one, its rules behind it, then what is only for this user.
 */
export function memoryPlaces(scope: MemoryScope): MemoryPlace[] {
  const { cwd, additional, configHome, userHome } = scope;
  const ofUser = configHome === null ? [] : placesOfUser(configHome);
  const directories = [...upwards(cwd).reverse(), ...additional];
  const ofProject = directories.flatMap((directory) => placesIn(directory, directory === userHome));
  const copied = copiedPlaces(cwd);
  return [...ofUser, ...ofProject].filter(
    ({ kind, path }) => scope.reads(kind) && !(kind === 'project' && copied(path)),
  );
}

/** In a worktree below the checkout that it is a copy of: what lies in that one, and so a second time in the worktree. */
function copiedPlaces(cwd: string): (path: string) => boolean {
  const found = /^(.+)\/\.claude\/worktrees\/[^/]+/.exec(cwd);
  if (!found) return () => false;
  const [worktree, checkout] = found;
  return (path) => path.startsWith(`${checkout}/`) && !path.startsWith(`${worktree}/`);
}

/** The places that a file below the working directory adds: those of the directories between, the outer ones first. */
export function nestedPlaces(path: string, root: string, reads: MemoryScope['reads']): MemoryPlace[] {
  const below = relative(root, path).split(sep);
  // What is installed there is other people's, and nobody's instructions.
  if (below[0] === '' || below[0] === '..' || below.some((name) => NOT_OURS.has(name))) return [];
  const directories = below.map((_, at) => join(root, ...below.slice(0, at + 1)));
  return directories
    .flatMap((directory) => placesIn(directory, false))
    .filter(({ kind }) => reads(kind))
    .map((each) => ({ ...each, isNested: true }));
}

/** Asked with every turn, and all that a session without memory files costs. */
export function isAnyThere(places: readonly MemoryPlace[]): boolean {
  return places.some(({ path }) => existsSync(path));
}

const NAMES = ['AGENTS.md', 'CLAUDE.md'];
const NOT_OURS: ReadonlySet<string> = new Set(['node_modules', '.git']);

function placesOfUser(home: string): MemoryPlace[] {
  return [...NAMES.map((name) => place(home, name, 'user')), { ...place(home, 'rules', 'user'), isFolder: true }];
}

/** A `.claude` in the user's home is the home of a program, not a part of a project. */
function placesIn(directory: string, isUserHome: boolean): MemoryPlace[] {
  return [
    ...NAMES.map((name) => place(directory, name, 'project')),
    ...(isUserHome ? [] : placesInClaude(join(directory, '.claude'))),
    place(directory, 'CLAUDE.local.md', 'local'),
  ];
}

function placesInClaude(folder: string): MemoryPlace[] {
  return [place(folder, 'CLAUDE.md', 'project'), { ...place(folder, 'rules', 'project'), isFolder: true }];
}

function place(directory: string, name: string, kind: MemoryKind): MemoryPlace {
  return { path: join(directory, name), kind };
}

/** The directory and all above it; the root of the file system only when it is the directory itself. */
function upwards(directory: string): string[] {
  const above = dirname(directory);
  return above === directory || dirname(above) === above ? [directory] : [directory, ...upwards(above)];
}
