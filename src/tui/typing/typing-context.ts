import type { FocusState } from '../focus/focus-state.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';

/** Where the person types, and what is stored of it. */
export interface TypingContext {
  /** The config home; null where there is none: then nothing is stored. */
  readonly home: string | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** False: no history and no draft on disk, neither read nor written. */
  readonly isKept: boolean;
  /** The id of a new session; null until the lines of the session tell it. */
  readonly sessionId: string | null;
}

/** The state of keys and text, which several parts change. */
export interface TypingInbox {
  readonly state: FocusState;
  set(state: FocusState): void;
  /** Texts that were not sent stand before the draft. */
  giveBack(texts: readonly string[]): void;
}

/** The terminal's own commands: their code is loaded when the person begins to write one. */
export type LoadCommands = () => Promise<readonly TerminalCommand[]>;
