import type { ViewTracker } from '../../view/changes.ts';
import type { SessionInfo } from '../../view/view.ts';
import type { Transport } from '../../wire/link/transport.ts';
import type { SessionTarget } from '../stage/stage.ts';
import type { ProjectTrust } from '../stage/trust-decision.ts';
import type { Terminal } from '../term/terminal.ts';

export interface TuiOptions {
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  version: string;
  tracker: ViewTracker;
  /**
   * Opens the session of the launch, after the first frame, or another one. `stderr` takes its warnings. Rejects with
   * what to tell the person.
   */
  connect: (stderr: (text: string) => void, target?: SessionTarget) => Promise<Transport>;
  /** Looks at the project's files before the session opens; absent: there is nothing to ask. */
  trust?: ProjectTrust;
  newId: () => string;
  now: () => number;
  /** The config home, for history, drafts and keys; null: there is none. */
  home: string | null;
  /** False: no history and no draft on disk. */
  isKept: boolean;
  /** The id of a new session; null where the session to continue is not known yet. */
  sessionId: string | null;
  /** Whether the session of the launch has a conversation already: its last turns are shown. */
  isContinued?: boolean;
  /** A command of the terminal, to begin with. */
  command?: string;
  /** Sent as soon as the session is open. */
  prompt?: string;
  /** Keeps what is known of an exception in the terminal's own code; returns lines for the person. */
  report?: (error: unknown) => readonly string[];
  /** The session is another process's: leaving it does not end it, and no signal to this process interrupts it. */
  isGuest?: boolean;
  /** Asks for a key in the terminal, which it has for itself, and stores it. */
  signIn?: () => Promise<void>;
}

/** How the terminal was left. */
export interface TuiEnd {
  exitCode: number;
  /** Lines for the person, below what was shown. */
  lines: string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Terminals that draw a sequence of code points as one character without being asked. */
export function knowsGraphemes({ TERM = '', TERM_PROGRAM = '', WT_SESSION, TMUX }: Env): boolean {
  if (TMUX) return false;
  return WT_SESSION !== undefined || /kitty|ghostty/.test(TERM) || /^(WezTerm|iTerm\.app|ghostty)$/.test(TERM_PROGRAM);
}

/** What stands above a session. */
export function startLine(
  { version, cwd, env }: Pick<TuiOptions, 'version' | 'cwd' | 'env'>,
  { model, mode }: SessionInfo,
): string {
  return [`heddle ${version}`, model, shortPath(cwd, env), mode].filter((part) => part !== '').join(' \u00b7 ');
}

/** A path as people write it. */
function shortPath(cwd: string, { HOME }: Env): string {
  return HOME && (cwd === HOME || cwd.startsWith(`${HOME}/`)) ? `~${cwd.slice(HOME.length)}` : cwd;
}
