import type { Size } from '../screen/screen.ts';
import type { Reply } from './probes.ts';

/** The events of a terminal. `gone`: nobody looks at it any more, and nothing may be written to it. */
export interface TerminalEvents {
  input: (bytes: Uint8Array) => void;
  resize: () => void;
  drain: () => void;
  gone: () => void;
  /** Another process, not a key, asks this process to stop. */
  stopping: () => void;
  /** The process was stopped without `suspend`, and the terminal is its own again. */
  returned: () => void;
}

export interface ExtraMode {
  readonly on: string;
  readonly off: string;
  readonly now?: string;
}

/** A terminal that a program has taken over, until it gives it back. */
export interface Terminal {
  readonly size: Size;
  /** Never throws. False: wait for `drain`. */
  write(text: string): boolean;
  on<Name extends keyof TerminalEvents>(event: Name, listener: TerminalEvents[Name]): void;
  /** Keys come one by one from here on, and pastes in brackets. */
  enter(): void;
  /** As it was before `enter`. May be called at any time, and more than once. */
  leave(): void;
  /**
   * A mode beyond those of keys and pastes, until it is called with null: `on` is written now and whenever the terminal is
   * entered again, `off` whenever it is left. `now` is written instead of `on` where the terminal has it already.
   */
  keep(name: string, mode: ExtraMode | null): void;
  /** An answer of the terminal has come with the keys. */
  replied(reply: Reply): void;
  /** Stops the process, as Ctrl+Z does, and resolves when it continues: false where no shell could stop it. */
  suspend(): Promise<boolean>;
  /** No more events; the process may end. */
  close(): void;
}
