import type { FlagKind } from '../wire/flags.ts';

interface IgnoredFlag {
  names: readonly string[];
  arity: FlagKind;
}

/**
 * Flags of the reference that hosts may pass and that have no effect here: its cloud, its editors, its appearance.
 * They are accepted with one note on stderr each (ruling K38); a flag that is in neither table is an error.
 */
const BY_ARITY: readonly [FlagKind, string][] = [
  [
    'switch',
    '--mcp-debug --ide --chrome --no-chrome --ax-screen-reader --background=--bg --brief --desktop --restricted',
  ],
  ['switch', '--exclude-dynamic-system-prompt-sections --tmux'],
  ['optional', '--from-pr --cloud --prompt-suggestions --remote-control --teleport'],
  ['text', '--environment --plugin-url --project-config-root --remote-control-session-name-prefix'],
  ['text', '--system-prompt-snapshot'],
  ['words', '--file'],
  ['number', '--task-budget'],
];

/** A flag with two names has both, with an equals sign between them. */
export const IGNORED_FLAGS: readonly IgnoredFlag[] = BY_ARITY.flatMap(([arity, flags]) =>
  flags.split(' ').map((flag) => ({ names: flag.split('='), arity })),
);
