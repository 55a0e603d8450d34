import type { ActionGroup } from './action-group.ts';

/**
 * What each command says to `--help`, by the words that call it; `heddle` alone is a run. Loaded after a mistake, by the
 * generated reference and by tests: nothing of it is on the way of a run.
 */
export const COMMAND_HELP: Readonly<Record<string, () => Promise<string>>> = {
  heddle: async () => (await import('../help.ts')).helpText(),
  ...groupHelp(
    'heddle sessions',
    [
      ...['list', 'show', 'tree', 'search', 'export', 'rename', 'tag', 'fork', 'switch'],
      ...['archive', 'unarchive', 'delete', 'restore', 'fsck'],
    ],
    async () => (await import('./sessions.ts')).SESSIONS,
  ),
  ...groupHelp('heddle tasks', ['list', 'show', 'stop'], async () => (await import('./tasks.ts')).TASKS),
  'heddle rewind': async () => (await import('./rewind.ts')).REWIND_HELP,
  'heddle config': async () => (await import('./config.ts')).CONFIG_HELP,
  'heddle trust': async () => (await import('./trust.ts')).TRUST_HELP,
  'heddle permissions': async () => (await import('./permissions.ts')).PERMISSIONS_HELP,
  ...groupHelp(
    'heddle mcp',
    ['add', 'add-json', 'list', 'get', 'remove', 'test', 'login', 'logout'],
    async () => (await import('./mcp.ts')).MCP,
  ),
  ...groupHelp('heddle auth', ['status', 'login', 'logout'], async () => (await import('./auth.ts')).AUTH),
  'heddle doctor': async () => (await import('./doctor.ts')).DOCTOR_HELP,
  'heddle shim': async () => (await import('./shim.ts')).SHIM_HELP,
  'heddle hooks': async () => (await import('./hooks.ts')).HOOKS_HELP,
};

/** The names stand here once more, so that asking for one help does not load every group; a test holds them equal. */
function groupHelp(
  command: string,
  names: readonly string[],
  load: () => Promise<ActionGroup<{ help: string }>>,
): Record<string, () => Promise<string>> {
  const ofAction = (name: string) => async () => {
    const { actions, help } = await load();
    return (await actions[name]?.())?.help ?? help;
  };
  return {
    [command]: async () => (await load()).help,
    ...Object.fromEntries(names.map((name) => [`${command} ${name}`, ofAction(name)])),
  };
}
