import type { FlagKind } from '../wire/flags.ts';

/**
 * Flags of the reference that hosts may pass and that have no effect here: its cloud, its editors, its appearance.
 * They are accepted with one note on stderr each (ruling K38); a flag that is in neither table is an error.
 */
export const IGNORED_FLAGS: readonly { names: readonly string[]; arity: FlagKind }[] = [
  { names: ['--mcp-debug'], arity: 'switch' },
  { names: ['--file'], arity: 'words' },
  { names: ['--from-pr'], arity: 'optional' },
  { names: ['--ide'], arity: 'switch' },
  { names: ['--chrome'], arity: 'switch' },
  { names: ['--no-chrome'], arity: 'switch' },
  { names: ['--await-initialize'], arity: 'switch' },
  { names: ['--ax-screen-reader'], arity: 'switch' },
  { names: ['--background', '--bg'], arity: 'switch' },
  { names: ['--brief'], arity: 'switch' },
  { names: ['--cloud'], arity: 'optional' },
  { names: ['--desktop'], arity: 'switch' },
  { names: ['--environment'], arity: 'text' },
  { names: ['--exclude-dynamic-system-prompt-sections'], arity: 'switch' },
  { names: ['--plugin-url'], arity: 'text' },
  { names: ['--project-config-root'], arity: 'text' },
  { names: ['--prompt-suggestions'], arity: 'optional' },
  { names: ['--remote-control'], arity: 'optional' },
  { names: ['--remote-control-session-name-prefix'], arity: 'text' },
  { names: ['--restricted'], arity: 'switch' },
  { names: ['--session-mirror'], arity: 'switch' },
  { names: ['--system-prompt-snapshot'], arity: 'text' },
  { names: ['--task-budget'], arity: 'number' },
  { names: ['--teleport'], arity: 'optional' },
  { names: ['--tmux'], arity: 'switch' },
];
