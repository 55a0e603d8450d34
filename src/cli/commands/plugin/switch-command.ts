import { withPlugin } from '../../../plugins/install-plugin.ts';
import { listInstalled } from '../../../plugins/installed-list.ts';
import { type PluginStore, settingsScope } from '../../../plugins/marketplaces.ts';
import { findInstalled, removePlugin } from '../../../plugins/remove-plugin.ts';
import type { CommandArgs } from '../../flags/command-args.ts';
import { takeWords } from '../../flags/command-args.ts';
import { type PluginAction, report, SCOPE_SHORT, scopeOption } from './plugin-action.ts';

const SWITCH_OPTIONS = `  -s, --scope SCOPE   user, project or local; default: that of its installation
  --json              one line of JSON`;

const ENABLE_HELP = `Usage: heddle plugin enable [-s SCOPE] [--json] PLUGIN[@MARKET]

Uses a plugin again that is installed and was disabled.

${SWITCH_OPTIONS}

Examples:
  heddle plugin enable formatter
  heddle plugin enable -s local formatter@acme

Exit codes: 0 enabled, 1 an error.
`;

const DISABLE_HELP = `Usage: heddle plugin disable [-s SCOPE] [--json] PLUGIN[@MARKET]
       heddle plugin disable --all [--json]

Leaves a plugin installed and does not use it.

  -a, --all           every plugin that is enabled for this directory
${SWITCH_OPTIONS}

Examples:
  heddle plugin disable formatter
  heddle plugin disable --all

Exit codes: 0 disabled, 1 an error.
`;

const UNINSTALL_HELP = `Usage: heddle plugin uninstall [-s SCOPE] [--delete-data] [--json] PLUGIN[@MARKET]

Uninstalls a plugin, and forgets that it was accepted. What it has stored for itself stays.

  -s, --scope SCOPE   user, project or local, where it is installed in several
  --delete-data       deletes what it has stored, too (plugins/data in the config home)
  --keep-data         keeps it, which is the default
  --json              one line of JSON

Examples:
  heddle plugin uninstall formatter
  heddle plugin uninstall -s project --delete-data formatter@acme

Exit codes: 0 uninstalled, 1 it is not installed, or an error.
`;

export const enable: PluginAction = {
  help: ENABLE_HELP,
  flags: { '--scope': 'text', '--json': 'switch' },
  short: SCOPE_SHORT,
  act: (args, store) => turn(args, store, true),
};

export const disable: PluginAction = {
  help: DISABLE_HELP,
  flags: { '--scope': 'text', '--all': 'switch', '--json': 'switch' },
  short: { ...SCOPE_SHORT, '-a': '--all' },
  async act(args, store) {
    if (!args.has('--all')) return turn(args, store, false);
    takeWords(args.words, []);
    const rows = listInstalled(store.home).filter(({ enabled }) => enabled);
    for (const { id, scope } of rows) await store.changeSettings(settingsScope(scope), withPlugin(id, false));
    const names = rows.map(({ id }) => id);
    const message = names.length === 0 ? 'No plugin is enabled' : `Disabled ${names.join(', ')}`;
    return report(args, { command: 'disable', plugins: names, message });
  },
};

export const uninstall: PluginAction = {
  help: UNINSTALL_HELP,
  flags: { '--scope': 'text', '--delete-data': 'switch', '--keep-data': 'switch', '--json': 'switch' },
  short: SCOPE_SHORT,
  async act(args, store) {
    const [given = ''] = takeWords(args.words, ['PLUGIN']);
    const found = findInstalled(store.home, given, scopeOption(args));
    await removePlugin(store, found, { withData: args.has('--delete-data') });
    const { id, record } = found;
    const fields = {
      command: 'uninstall',
      plugin: given,
      pluginId: id,
      scope: record.scope,
      keptData: !args.has('--delete-data'),
    };
    return report(args, { ...fields, message: `Uninstalled ${id} (scope ${record.scope})` });
  },
};

async function turn(args: CommandArgs, store: PluginStore, on: boolean): Promise<number> {
  const [given = ''] = takeWords(args.words, ['PLUGIN']);
  const wanted = scopeOption(args);
  const { id, record } = findInstalled(store.home, given);
  const scope = wanted ?? record.scope;
  let isChanged = false;
  await store.changeSettings(settingsScope(scope), (values) => {
    const next = withPlugin(id, on)(values);
    isChanged = next !== null;
    return next;
  });
  const word = on ? 'enable' : 'disable';
  const fields = { command: word, plugin: given, pluginId: id, scope };
  const message = isChanged
    ? `${on ? 'Enabled' : 'Disabled'} ${id} (scope ${scope})`
    : `${id} is already ${word}d (scope ${scope})`;
  return report(args, { ...fields, message });
}
