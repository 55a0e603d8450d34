import type { InputEvent } from '../input/input-event.ts';
import type { Palette } from '../rows/row.ts';

/** What the terminal looks like, for the commands that show and change it. */
export interface LookView {
  readonly statusLine: StatusLineState;
  /** A key or a paste, once it has acted, or a change of the focus. */
  input(event: InputEvent): void;
  /** The name of the theme in force. */
  readonly theme: string;
  readonly themes: readonly { readonly name: string; readonly what: string }[];
  /** Files of themes may have changed. */
  readThemes(): void;
  /** What a theme looks like on this terminal. */
  paletteOf(theme: string): Palette;
  /** Reads the settings again, which have changed. */
  refresh(): Promise<void>;
  /** From now on; the settings stay as they are. False: there is no such theme. */
  useTheme(name: string): boolean;
}

/** What is known of the person's own status line. */
export interface StatusLineState {
  /** Whether the settings in force have one; null: not known yet. */
  readonly isConfigured: boolean | null;
  /** Why it shows nothing; null: it does. */
  readonly problem: string | null;
  /** It shows the mode of vim's keys itself. */
  readonly hidesVimMode: boolean;
  /** Milliseconds that the last run took. */
  readonly tookMs: number | null;
}
