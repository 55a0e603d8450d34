/** What the terminal looks like, for the commands that show and change it. */
export interface LookView {
  readonly statusLine: StatusLineState;
}

/** What is known of the person's own status line. */
export interface StatusLineState {
  /** Whether the settings in force have one; null: not known yet. */
  readonly isConfigured: boolean | null;
  /** Why it shows nothing; null: it does. */
  readonly problem: string | null;
  /** Milliseconds that the last run took. */
  readonly tookMs: number | null;
}
