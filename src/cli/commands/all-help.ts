import { printable } from '../../util/text/printable.ts';
import { usage } from '../flags/args.ts';
import { helpText } from '../flags/help-text.ts';
import { printHelp } from '../terminal/terminal.ts';
import type { ActionGroup } from './command-group.ts';
import { CONFIG_HELP } from './config.ts';
import { SHIM_HELP } from './shim.ts';
import { TRUST_HELP } from './trust.ts';

/** `heddle help [COMMAND…]`; resolves with the exit code. */
export async function runHelp(argv: readonly string[]): Promise<number> {
  const words = argv.filter((word) => !word.startsWith('-') && word !== 'help');
  const load = helpOf(words) ?? helpOfWhole(words);
  if (!load) {
    const known = Object.keys(COMMAND_HELP).map((each) => each.slice('heddle '.length));
    const unknown = words.join(' ');
    throw usage(`unknown command '${printable(unknown)}' (heddle --help lists the commands)`, { unknown, known });
  }
  printHelp(await load());
  return 0;
}

function helpOf(words: readonly string[]): (() => Promise<string>) | undefined {
  const name = ['heddle', ...words].join(' ');
  return Object.hasOwn(COMMAND_HELP, name) ? COMMAND_HELP[name] : undefined;
}

/** `config set`, `hooks list`: the help of the first word covers these, because the second has no help of its own. */
function helpOfWhole([first = '']: readonly string[]): (() => Promise<string>) | undefined {
  const isSplit = Object.keys(COMMAND_HELP).some((name) => name.startsWith(`heddle ${first} `));
  return isSplit ? undefined : helpOf([first]);
}

/**
 * The help text of each command, by the words that call it; `heddle` alone is a run. A command is loaded when its text
 * is requested.
 */
export const COMMAND_HELP: Readonly<Record<string, () => Promise<string>>> = {
  heddle: async () => helpText(),
  ...groupHelp(
    'heddle sessions',
    [
      ...['list', 'show', 'tree', 'diff', 'search', 'export', 'rename', 'tag', 'fork', 'switch'],
      ...['archive', 'unarchive', 'delete', 'restore', 'fsck'],
    ],
    async () => (await import('./sessions/sessions-command.ts')).SESSIONS,
  ),
  ...groupHelp('heddle tasks', ['list', 'show', 'stop'], async () => (await import('./tasks/tasks-command.ts')).TASKS),
  'heddle attach': async () => (await import('./attach.ts')).ATTACH_HELP,
  'heddle rewind': async () => (await import('./rewind.ts')).REWIND_HELP,
  'heddle config': async () => CONFIG_HELP,
  'heddle trust': async () => TRUST_HELP,
  'heddle permissions': async () => (await import('./permissions.ts')).PERMISSIONS_HELP,
  ...groupHelp(
    'heddle mcp',
    ['add', 'add-json', 'list', 'get', 'remove', 'test', 'login', 'logout'],
    async () => (await import('./mcp/mcp.ts')).MCP,
  ),
  ...groupHelp(
    'heddle plugin',
    [
      ...['marketplace', 'install', 'uninstall', 'update', 'outdated', 'list', 'details'],
      ...['enable', 'disable', 'configure', 'accept', 'sync', 'validate'],
    ],
    async () => (await import('./plugin/plugin.ts')).PLUGIN,
  ),
  ...groupHelp('heddle auth', ['status', 'login', 'logout'], async () => (await import('./auth/auth.ts')).AUTH),
  'heddle acp': async () => (await import('./acp.ts')).ACP_HELP,
  'heddle serve': async () => (await import('./serve.ts')).SERVE_HELP,
  'heddle serve token': async () => (await import('./serve.ts')).SERVE_TOKEN_HELP,
  'heddle web': async () => (await import('./web.ts')).WEB_HELP,
  'heddle stats': async () => (await import('./stats/stats-command.ts')).STATS_HELP,
  'heddle models': async () => (await import('./models.ts')).MODELS_HELP,
  'heddle doctor': async () => (await import('./doctor.ts')).DOCTOR_HELP,
  'heddle completion': async () => (await import('./completion/completion-command.ts')).COMPLETION_HELP,
  'heddle shim': async () => SHIM_HELP,
  'heddle hooks': async () => (await import('./hooks.ts')).HOOKS_HELP,
};

/** The names are repeated here, so that one help text does not load every group; a test compares them. */
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
