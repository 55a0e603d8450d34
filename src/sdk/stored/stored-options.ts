import { type Check, count, countOrNone, flag, record, text, word } from '../../util/checks.ts';
import { checkNamed } from '../../wire/check-named.ts';
import type {
  ForkSessionOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  SessionMessagesOptions,
} from './sessions.ts';

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
