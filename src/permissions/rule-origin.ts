import type { Rule } from './rules.ts';

/** Where a rule comes from, for people: its file or flag, or an update of the session. */
export function ruleOrigin({ where, source = '' }: Rule): string {
  return where ?? UPDATES[source.replace(KEPT, '')] ?? 'unknown';
}

/** The source of rules that were written to a file of this scope, but apply only because the session remembers them. */
export function savedSource(scope: string): string {
  return `kept:${scope}`;
}

const KEPT = /^kept:/;

const UPDATES: Record<string, string> = {
  session: 'an update of this session',
  cliArg: 'an update of this session',
  userSettings: 'an update of this session, kept in the settings of the user',
  projectSettings: 'an update of this session, kept in the settings of the project',
  localSettings: 'an update of this session, kept in the local settings of the project',
};
