import { definePort } from '../port.ts';
import type { ShellGuard, ShellSandbox } from '../shell-sandbox.ts';
import type { BackgroundShells } from './background-shells.ts';
import type { DetachedShells } from './detached-shells.ts';
import type { ForegroundCalls } from './foreground-calls.ts';
import type { ShellDirectory } from './shell-directory.ts';

/** Where and how the commands of one thread run. */
export interface ShellPort {
  readonly directory: ShellDirectory;
  readonly background: BackgroundShells;
  /** Starts commands that outlive the session; absent when they could not be found again. */
  readonly detached?: DetachedShells | undefined;
  /** The calls that can move to the background while they run: commands and agents. */
  readonly foreground: ForegroundCalls;
  /** The sandbox of commands; null: no sandbox. */
  readonly sandbox: ShellSandbox | null;
  /** Holds path rules for commands outside of a sandbox; absent: nothing but the decision about the call does. */
  readonly guard?: ShellGuard;
}

export const shellPort = definePort<ShellPort>('shell');
