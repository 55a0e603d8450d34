import type { Stage } from './stage.ts';

/** A command that the terminal answers itself. All of them work while a turn runs, or say why not. */
export interface TerminalCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly argumentHint?: string;
  readonly description: string;
  /** Lines for the scrollback; none where it opens something. Rejects with what to tell the person. */
  run(argument: string, stage: Stage): Promise<readonly string[]> | readonly string[];
  /** Values of its argument, for the menu. */
  values?(stage: Stage): Promise<readonly ArgumentValue[]>;
}

export interface ArgumentValue {
  readonly value: string;
  readonly detail?: string;
}
