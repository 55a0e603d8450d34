import type { SessionStore } from '../../sessions/store.ts';
import type { MessagesOptions } from '../../sessions/stored/messages.ts';
import type { ReferenceSessionStore } from '../../sessions/stores/reference-store-types.ts';
import { type Check, count, countOrNone, flag, record, text, word } from '../../util/checks.ts';
import { checkNamed } from '../../wire/check-named.ts';

/** Where the functions look for sessions. */
export interface SessionPlaceOptions {
  /** The directory of a project. Without it, all projects are searched. */
  dir?: string;
  /** The config home. Default: HEDDLE_HOME, else CLAUDE_CONFIG_DIR, else ~/.heddle. */
  home?: string;
  /**
   * The store that has the sessions instead of a config home: those of `dir`, by default the current directory.
   * Archives, and imports from a store, reject with `not_supported`.
   */
  sessionStore?: SessionStore | ReferenceSessionStore;
}

export interface ListSessionsOptions extends SessionPlaceOptions {
  limit?: number;
  offset?: number;
  /** With `dir`: also the sessions of the other worktrees of its git repository. Default true. */
  includeWorktrees?: boolean;
}

export interface ImportSessionToStoreOptions extends SessionPlaceOptions {
  /** Also copies the transcripts of its subagents. Default true. */
  includeSubagents?: boolean;
  /** The maximum number of entries in one `append`. Default 500. */
  batchSize?: number;
}

export interface SessionMessagesOptions extends SessionPlaceOptions, MessagesOptions {}

export interface ForkSessionOptions extends SessionPlaceOptions {
  /** Copies the branch that ends in this message. Default: the active one. */
  upToMessageId?: string;
  /** Default: the title of the source, with `(fork)`. */
  title?: string;
}

type StoredOptions = ForkSessionOptions & ImportSessionToStoreOptions & ListSessionsOptions & SessionMessagesOptions;

/** The checks of the options of all functions for stored sessions. */
const CHECKS: Record<keyof StoredOptions, Check> = {
  dir: word,
  home: word,
  sessionStore: record,
  limit: countOrNone,
  offset: countOrNone,
  includeWorktrees: flag,
  includeSubagents: flag,
  batchSize: count,
  upToMessageId: word,
  title: text,
  includeSystemMessages: flag,
  includeCompacted: flag,
};

/** Throws `invalid_option` that names the option. */
export function checkStoredOptions(options: object): void {
  checkNamed(options, CHECKS, {
    before: '',
    noObject: (kind) => `The options must be an object, got ${kind}`,
    unknown: (name, meant) =>
      `There is no option '${name}' for stored sessions${meant ? `; did you mean '${meant}'?` : `: there are ${Object.keys(CHECKS).join(', ')}`}`,
  });
}
