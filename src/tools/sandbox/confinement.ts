import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isInsideAny } from '../../util/files/path-inside.ts';
import { HeddleError } from '../../wire/errors.ts';
import { ToolError } from '../tool.ts';
import { closed, type ProtectedPath } from './protected-path.ts';
import { protectedPaths } from './protected-paths.ts';

/** The access of one command. All paths are real ones. */
export interface Confinement {
  /** Directories in which everything except protected paths may be changed. */
  readonly writable: readonly string[];
  readonly protectedPaths: readonly ProtectedPath[];
  /** Files and directories whose content must not be seen. */
  readonly hidden: readonly string[];
  /** Unix sockets that may be connected to: these, and those in these directories. */
  readonly unixSockets: 'all' | readonly string[];
}

/** The paths of the session and of its rules. Read for every command, because both change. */
export interface SandboxPaths {
  /** The directories of the session, as real paths. */
  roots(): readonly string[];
  /** The absolute paths that rules forbid to read or to write; patterns are looked up. */
  denied(): Promise<{ reads: readonly string[]; writes: readonly string[] }>;
  /** The config home, or null. */
  configHome: string | null;
  /** The files of Heddle itself and of the programs that make the sandbox: they run outside of it. */
  ownProgram: readonly string[];
  /** The user's home, or empty. */
  home: string;
  /** The real path, symlinks resolved, also for a path that does not exist; null when it cannot be determined. */
  realPath(path: string): string | null;
}

/** Paths that the settings name, absolute. */
export interface NamedPaths {
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly unixSockets: 'all' | readonly string[];
}

/**
 * Makes the confinement of each command. Paths in the settings are resolved once, now: later a command could have put a
 * link there that leads outside. For the same reason a path that was hidden once stays hidden.
 */
export function createConfinement(
  places: SandboxPaths,
  named: NamedPaths,
  own: readonly string[],
): () => Promise<Confinement> {
  const real = (paths: readonly string[]) => paths.map((path) => places.realPath(path) ?? path);
  const allowWrite = real(named.allowWrite);
  const denyWrite = [...named.denyWrite, ...real(named.denyWrite)];
  // A process that joins a session may answer its questions.
  const sockets = places.configHome === null ? [] : [join(places.configHome, SOCKETS)];
  const hidden = new Set(real([...named.denyRead, ...sockets]));
  const unixSockets = named.unixSockets === 'all' ? 'all' : real(named.unixSockets);
  const ours = real([...(places.configHome === null ? [] : [places.configHome]), ...places.ownProgram, ...own]);

  return async () => {
    const { reads, writes } = await places.denied();
    const roots = places.roots().filter((root) => existsSync(root));
    for (const root of roots) refuseUnsafe(root, places);
    const others = allowWrite.filter((path) => places.realPath(path) === path && existsSync(path));
    for (const path of real(reads)) hidden.add(path);
    const denied = [...denyWrite, ...writes];
    return {
      writable: unique([...roots, ...others]),
      protectedPaths: [
        ...protectedPaths({ roots, others, own: ours, home: places.home }),
        ...denied.map(closed),
      ].flatMap((each) => atPath(each, places)),
      hidden: [...hidden],
      unixSockets,
    };
  };
}

/** The folder of the config home in which sessions listen for hosts (`src/sessions/running`). */
const SOCKETS = 'run';

/** Throws `invalid_settings` when the settings open a directory that must stay closed. */
export function checkNamed({ allowWrite }: NamedPaths, { realPath }: SandboxPaths): void {
  const path = allowWrite.find((each) => isOfSystem(realPath(each) ?? each));
  if (path === undefined) return;
  throw new HeddleError('invalid_settings', `Settings: sandbox.filesystem.allowWrite cannot open ${path}`);
}

/** True for directories that can never be writable, because the sandbox itself depends on them. */
function isOfSystem(path: string): boolean {
  return path === '/' || isInsideAny(['/proc', '/sys', '/dev'], path);
}

function refuseUnsafe(root: string, { realPath }: SandboxPaths): void {
  if (isOfSystem(root)) {
    throw new ToolError(`The sandbox cannot open ${root} for writing. Work in another directory.`);
  }
  if (realPath(root) !== root) {
    throw new ToolError(`The sandbox cannot open ${root}: it, or something above it, has become a symbolic link.`);
  }
}

/** The path of the name itself, and its target if that is another path: both are protected. */
function atPath(each: ProtectedPath, { realPath }: SandboxPaths): ProtectedPath[] {
  const directory = realPath(dirname(each.path)) ?? dirname(each.path);
  const place = join(directory, basename(each.path));
  return unique([place, realPath(each.path) ?? place]).map((path) => ({ ...each, path }));
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
