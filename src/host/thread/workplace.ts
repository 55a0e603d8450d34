import type { Policy } from '../../permissions/policy.ts';
import type { FileStates } from '../../tools/file-states.ts';
import type { ShellDirectory } from '../../tools/shell/shell-directory.ts';
import type { Workspace } from '../../tools/workspace.ts';
import type { Processes } from '../../util/process/process.ts';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { Env } from '../engine/environment.ts';
import type { SessionWorktree } from '../launch/launch-context.ts';
import type { PlanFile } from '../permissions/plan-file.ts';
import type { SessionPathGuard } from '../permissions/session-path-guard.ts';
import type { SessionSandbox } from '../permissions/session-sandbox.ts';

/** The directory in which the tools of a thread work, and its files. */
export interface Workplace {
  readonly workspace: Workspace;
  /** The files that the model has seen, by path. */
  readonly files: FileStates;
  /** The sandbox of commands, if there is one. */
  readonly sandbox: SessionSandbox;
  /** Lets the kernel hold path rules; one for all threads of the session. */
  readonly guard: SessionPathGuard;
  /** The directory of the next command. */
  readonly shell: ShellDirectory;
  /** Null unless versions of files are saved for rewinds. */
  readonly checkpoints: Checkpoints | null;
  readonly plan: PlanFile;
  readonly gitBranch: string | null;
  /** The worktree that the session runs in; null: there is none. */
  readonly worktree: SessionWorktree | null;
  /** Directories that the host has added with `register_repo_root`. */
  readonly registeredRoots: Set<string>;
  /** The directory of the launch: its settings apply, also where the session works in a worktree. */
  readonly project: string;
  /** Runs a command of the settings: outside of the sandbox, and without checkpoints. */
  runOutside: Processes['run'];
  /** The environment of commands: without credentials, with the variables that hooks have set. */
  environment(): Env;
  /** A sandbox for another workspace. The caller closes it. */
  sandboxIn(workspace: Workspace, policy: () => Policy): Promise<SessionSandbox>;
}
