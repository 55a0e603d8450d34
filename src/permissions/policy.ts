import { resolve } from 'node:path';
import type { Access } from '../tools/tool.ts';
import { HeddleError } from '../wire/errors.ts';
import { type PermissionMode, parseMode } from './modes.ts';
import type { RealPath } from './real-path.ts';
import type { Rule } from './rules.ts';
import type { ReadCommand } from './shell/shell-script.ts';

/** Everything that a decision depends on in addition to the call. Immutable: a change makes a new policy. */
export interface Policy {
  readonly mode: PermissionMode;
  /**
   * For an agent: the modes of the threads that it works for, and of its kind. A call that one of them holds back is
   * held back.
   */
  readonly outerModes?: readonly PermissionMode[];
  /** For all tools of an MCP server (`mcp__server__*`): a mode in which their calls must also pass. */
  readonly serverModes?: ReadonlyMap<string, PermissionMode>;
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  /** The working directory, a real path. */
  readonly cwd: string;
  /**
   * The directory in which a command would run, a real path; its relative paths start here. Absent: the working
   * directory.
   */
  readonly shellCwd?: string;
  /**
   * For a worktree: the directories that it is a copy of, real paths. What rules forbid there is forbidden here, too.
   */
  readonly checkouts?: readonly string[];
  /** The working directory and the additional directories, as real paths. */
  readonly roots: readonly string[];
  /** Real paths that may be read but are not worked in, such as the folder for large tool outputs. */
  readonly readRoots: readonly string[];
  /** What `~` means in path rules. */
  readonly home?: string;
  /** Whether bypassPermissions was permitted at launch. */
  readonly bypassAllowed: boolean;
  /** Set when the tools that search directories leave out what `hiddenPaths` names; otherwise such searches are refused. */
  readonly searchesFiltered: boolean;
  protectedPath(path: string): boolean;
  /** Whether a file acts later: modes that accept edits ask for it. Absent: none does. */
  actsLater?(path: string): boolean;
  /** Loads the data that `protectedPath` needs: until then every path is protected. */
  ready?(): Promise<void>;
  /**
   * The file of the session's plan, a real path. It may always be read, and written in plan mode unless it belongs to
   * another thread.
   */
  planFile?(): string | null;
  /** For an agent: the plan belongs to the main thread. */
  readonly isPlanOfOther?: true;
  readonly realPath: RealPath;
  /** Whether git, started in this directory, runs no program by the settings of the repository. Absent: it does not. */
  readonly hasPlainRepository?: (directory: string) => boolean;
  /** The files that git tracks where a directory lies; null when that cannot be told. Absent: any file may be tracked. */
  readonly trackedFiles?: (directory: string) => readonly string[] | null;
  /** The names in a directory, for file patterns of commands; null when there are too many. Absent: patterns ask. */
  readonly namesIn?: (directory: string) => readonly string[] | null;
  /** The files below a directory; null when there are too many. Absent: any file may lie there. */
  readonly filesBelow?: FilesBelow;
  /** For an agent with a notes folder: how that folder affects a call; null when it does not. */
  notes?(call: { toolName: string; access: Access }, policy: Policy): NotesVerdict | null;
  /** Absent: no sandbox confines commands. */
  readonly sandbox?: SandboxPolicy;
  /** Reads a command with a parser before it is judged. Absent: only plain commands are understood. */
  readonly readCommand?: ReadCommand;
}

/** Lists what lies below a directory, or the file itself; null when that is too much, or lies behind linked directories. */
export type FilesBelow = (directory: string) => readonly FileBelow[] | null;

export interface FileBelow {
  path: string;
  kind: 'file' | 'link' | 'directory';
}

/** How a sandbox affects permissions. */
export interface SandboxPolicy {
  /** Commands that run inside need no permission. */
  readonly autoAllow: boolean;
  /** Whether this command line runs inside. */
  confines(command: string): boolean;
}

export type NotesVerdict =
  | { behavior: 'allow'; layer: 'default' }
  | { behavior: 'deny'; layer: 'default'; reason: string };

/** Every mode in which a call must pass. */
export function modesOf({ mode, outerModes = [] }: Policy): PermissionMode[] {
  return [...new Set([mode, ...outerModes])];
}

/** The directory that the paths of a command are relative to. */
export function commandCwd({ cwd, shellCwd }: Policy): string {
  return shellCwd ?? cwd;
}

/** Reads a mode and refuses bypassPermissions unless it was permitted at launch. */
export function permittedMode(text: string, policy: Pick<Policy, 'bypassAllowed'>): PermissionMode {
  const mode = parseMode(text);
  if (mode !== 'bypassPermissions' || policy.bypassAllowed) return mode;
  throw new HeddleError(
    'invalid_option',
    'bypassPermissions was not permitted when the session started; start it with --allow-dangerously-skip-permissions.',
    { facts: { mode } },
  );
}

/**
 * The absolute path of a directory that an update or a setting names: `~` is the home, and the rest is relative to
 * `cwd`.
 */
export function directoryPath(text: string, { cwd, home, realPath }: Policy): string {
  const isBelowHome = home !== undefined && (text === '~' || text.startsWith('~/'));
  const path = isBelowHome ? resolve(home, `.${text.slice(1)}`) : resolve(cwd, text);
  return realPath(path) ?? path;
}
