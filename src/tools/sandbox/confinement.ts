import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HeddleError } from '../../wire/errors.ts';
import { ToolError } from '../tool.ts';
import { isInsideAny } from './inside.ts';
import { closed, type ProtectedPath } from './protected-path.ts';
import { protectedPaths } from './protected-paths.ts';

/** What one command may touch. All paths are real ones. */
export interface Confinement {
  /** Directories in which everything may be changed but what is protected. */
  readonly writable: readonly string[];
  readonly protectedPaths: readonly ProtectedPath[];
  /** Files and directories whose content must not be seen. */
  readonly hidden: readonly string[];
  /** Unix sockets that may be connected to: these, and those in these directories. */
  readonly unixSockets: 'all' | readonly string[];
}

/** Where the session and its rules are. Asked for every command: both change. */
export interface SandboxPlaces {
  /** The directories of the session, as real paths. */
  roots(): readonly string[];
  /** What rules forbid to read or to write, as absolute paths. */
  deniedReads(): readonly string[];
  deniedWrites(): readonly string[];
  /** The config home, or null. */
  configHome: string | null;
  /** This program, and those that make the sandbox: they run outside (ruling G12). */
  ownProgram: readonly string[];
  /** The user's home, or empty. */
  home: string;
  /** Where a path leads, symlinks resolved, also for what does not exist; null when that cannot be told. */
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
 * Makes the confinement of each command. What the settings name is resolved now and not again: later a command could have
 * put a link there that leads out. What was hidden once stays hidden for the same reason.
 */
export function createConfinement(places: SandboxPlaces, named: NamedPaths, own: readonly string[]): () => Confinement {
  const real = (paths: readonly string[]) => paths.map((path) => places.realPath(path) ?? path);
  const allowWrite = real(named.allowWrite);
  const denyWrite = [...named.denyWrite, ...real(named.denyWrite)];
  const hidden = new Set(real(named.denyRead));
  const unixSockets = named.unixSockets === 'all' ? 'all' : real(named.unixSockets);
  const ours = real([...(places.configHome === null ? [] : [places.configHome]), ...places.ownProgram, ...own]);

  return () => {
    const roots = places.roots().filter((root) => existsSync(root));
    for (const root of roots) refuseUnsafe(root, places);
    const others = allowWrite.filter((path) => places.realPath(path) === path && existsSync(path));
    for (const path of real(places.deniedReads())) hidden.add(path);
    const denied = [...denyWrite, ...places.deniedWrites()];
    return {
      writable: unique([...roots, ...others]),
      protectedPaths: [
        ...protectedPaths({ roots, others, own: ours, home: places.home }),
        ...denied.map(closed),
      ].flatMap((each) => inPlace(each, places)),
      hidden: [...hidden],
      unixSockets,
    };
  };
}

/** Throws `invalid_settings` when the settings want to open what cannot be opened. */
export function checkNamed({ allowWrite }: NamedPaths, { realPath }: SandboxPlaces): void {
  const path = allowWrite.find((each) => isOfSystem(realPath(each) ?? each));
  if (path === undefined) return;
  throw new HeddleError('invalid_settings', `Settings: sandbox.filesystem.allowWrite cannot open ${path}`);
}

/** Directories that can never be opened for writing: walls are in them. */
function isOfSystem(path: string): boolean {
  return path === '/' || isInsideAny(['/proc', '/sys', '/dev'], path);
}

function refuseUnsafe(root: string, { realPath }: SandboxPlaces): void {
  if (isOfSystem(root)) {
    throw new ToolError(`The sandbox cannot open ${root} for writing. Work in another directory.`);
  }
  if (realPath(root) !== root) {
    throw new ToolError(`The sandbox cannot open ${root}: it, or something above it, has become a symbolic link.`);
  }
}

/** Where the name itself lies, and what it leads to if that is another place: both are protected. */
function inPlace(each: ProtectedPath, { realPath }: SandboxPlaces): ProtectedPath[] {
  const directory = realPath(dirname(each.path)) ?? dirname(each.path);
  const place = join(directory, basename(each.path));
  return unique([place, realPath(each.path) ?? place]).map((path) => ({ ...each, path }));
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
