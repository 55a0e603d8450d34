import type { Logger } from '../../util/runtime.ts';
import type { FlagKind } from '../../wire/flags.ts';

interface IgnoredFlag {
  names: readonly string[];
  arity: FlagKind;
}

/**
 * Flags of the reference that hosts may pass and that have no effect here: its cloud, its editors, its appearance. Each
 * is accepted with one note on stderr; a flag that is in neither table is an error.
 */
const BY_ARITY: readonly [FlagKind, string][] = [
  ['switch', '--mcp-debug --ide --chrome --no-chrome --brief --desktop --restricted'],
  ['switch', '--exclude-dynamic-system-prompt-sections --tmux'],
  ['optional', '--from-pr --cloud --prompt-suggestions --remote-control --teleport'],
  ['text', '--environment --project-config-root --remote-control-session-name-prefix'],
  ['text', '--system-prompt-snapshot'],
  ['words', '--file'],
  ['number', '--task-budget'],
];

/** A flag with two names is written with an equals sign between them. */
export const IGNORED_FLAGS: readonly IgnoredFlag[] = BY_ARITY.flatMap(([arity, flags]) =>
  flags.split(' ').map((flag) => ({ names: flag.split('='), arity })),
);

/** Replaces the usual note: it says why the flag is not needed. */
const STATIC_PROMPT = 'the system prompt here is the same in every place and on every day';
const NOTES = new Map([
  ['--exclude-dynamic-system-prompt-sections', `is always so: ${STATIC_PROMPT}`],
  ['--system-prompt-snapshot', `is not needed: ${STATIC_PROMPT}`],
]);

/** Logs for each given flag, by its long name, that it was ignored. */
export function noteIgnored(flags: readonly string[], log: Logger): void {
  for (const flag of flags) log('warn', `${flag} ${NOTES.get(flag) ?? 'has no effect here and was ignored'}`);
}
