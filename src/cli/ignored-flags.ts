import type { FlagKind } from '../wire/flags.ts';

interface IgnoredFlag {
  names: readonly string[];
  arity: FlagKind;
  /** What is said in the place of the usual note: why nothing has to be done for it. */
  note?: string;
}

const STATIC_PROMPT = 'the system prompt here is the same in every place and on every day';

/**
 * Flags of the reference that hosts may pass and that have no effect here: its cloud, its editors, its appearance.
 * They are accepted with one note on stderr each (ruling K38); a flag that is in neither table is an error.
 */
export const IGNORED_FLAGS: readonly IgnoredFlag[] = [
  { names: ['--mcp-debug'], arity: 'switch' },
  { names: ['--file'], arity: 'words' },
  { names: ['--from-pr'], arity: 'optional' },
  { names: ['--ide'], arity: 'switch' },
  { names: ['--chrome'], arity: 'switch' },
  { names: ['--no-chrome'], arity: 'switch' },
  { names: ['--ax-screen-reader'], arity: 'switch' },
  { names: ['--background', '--bg'], arity: 'switch' },
  { names: ['--brief'], arity: 'switch' },
  { names: ['--cloud'], arity: 'optional' },
  { names: ['--desktop'], arity: 'switch' },
  { names: ['--environment'], arity: 'text' },
  { names: ['--exclude-dynamic-system-prompt-sections'], arity: 'switch', note: `is always so: ${STATIC_PROMPT}` },
  { names: ['--plugin-url'], arity: 'text' },
  { names: ['--project-config-root'], arity: 'text' },
  { names: ['--prompt-suggestions'], arity: 'optional' },
  { names: ['--remote-control'], arity: 'optional' },
  { names: ['--remote-control-session-name-prefix'], arity: 'text' },
  { names: ['--restricted'], arity: 'switch' },
  { names: ['--system-prompt-snapshot'], arity: 'text', note: `is not needed: ${STATIC_PROMPT}` },
  { names: ['--task-budget'], arity: 'number' },
  { names: ['--teleport'], arity: 'optional' },
  { names: ['--tmux'], arity: 'switch' },
];

/** What is said of one that was given, by its long name. */
export function ignoredNote(flag: string): string {
  return IGNORED_FLAGS.find(({ names }) => names.includes(flag))?.note ?? 'has no effect here and was ignored';
}
