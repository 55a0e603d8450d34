import { HeddleError } from '../wire/errors.ts';
import type { Decision } from './decision.ts';
import type { Call } from './match-rule.ts';
import type { Policy } from './policy.ts';
import { plainArgv, plainSequence } from './shell/plain-words.ts';

/** A command that leaves the sandbox is always asked about, even if a mode or rule would let it run. */
export function byLeavingSandbox({ access }: Call, { sandbox }: Policy): Decision | null {
  if (!sandbox || access.kind !== 'execute' || !access.leavesSandbox) return null;
  const reason = 'The command asks to run outside of the sandbox, which is asked for in every mode.';
  return { behavior: 'ask', layer: 'sandbox', reason, suggestions: [] };
}

/** Only for commands that really run inside. */
export function bySandbox({ access }: Call, { sandbox }: Policy): Decision | null {
  if (!sandbox?.autoAllow || access.kind !== 'execute' || access.leavesSandbox) return null;
  return sandbox.confines(access.command) ? { behavior: 'allow', layer: 'sandbox' } : null;
}

/**
 * Makes the test for commands that run outside of the sandbox: plain sequences in which each command begins with the
 * words of a pattern (`docker`, `docker *`). Throws `invalid_settings` for a pattern that is more than words.
 */
export function excludedCommands(patterns: readonly string[]): (command: string) => boolean {
  const excluded = patterns.map((pattern) => {
    const words = plainArgv(pattern.replace(/(?::\*| \*)$/, ''));
    if (words !== null) return words;
    const message = `Settings: sandbox.excludedCommands takes the first words of commands, not '${pattern}'`;
    throw new HeddleError('invalid_settings', message, { facts: { pattern } });
  });
  const isExcluded = (argv: readonly string[]) =>
    excluded.some((words) => words.every((word, at) => argv[at] === word));
  return (command) => excluded.length > 0 && (plainSequence(command)?.every(isExcluded) ?? false);
}
