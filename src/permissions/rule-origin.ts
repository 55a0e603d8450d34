import type { Rule } from '../permissions/rules.ts';

/** Where a rule stands, for people: its file or flag, or that it came with an update. */
export function ruleOrigin({ where, source = '' }: Rule): string {
  return where ?? UPDATES[source.replace(KEPT, '')] ?? 'unknown';
}

/** The source of rules that were written to a file of this scope, but hold only because the session remembers them. */
export function keptSource(scope: string): string {
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
