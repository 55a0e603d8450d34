import { shownSource, sourceText, typedSource } from '../../../plugins/marketplace-source.ts';
import {
  addMarketplace,
  forgetMarketplace,
  knownMarketplace,
  type PluginStore,
  updateMarketplace,
} from '../../../plugins/marketplaces.ts';
import { installedPlugins, isOfScope, knownMarketplaces } from '../../../plugins/plugin-home.ts';
import { removePlugin } from '../../../plugins/remove-plugin.ts';
import { isTexts } from '../../../util/json.ts';
import { messageOf } from '../../../util/message-of.ts';
import { printable } from '../../../util/text/printable.ts';
import { type CommandArgs, takeWords } from '../../flags/command-args.ts';
import { printJson, printLines, printRemark } from '../../terminal/terminal.ts';
import { unknownCommand } from '../choose-command.ts';
import { type PluginAction, report, SCOPE_SHORT, scopeOption } from './plugin-action.ts';

const HELP = `Usage: heddle plugin marketplace add [-s SCOPE] [--sparse FOLDER]… [--json] SOURCE
       heddle plugin marketplace list [--json]
       heddle plugin marketplace update [--json] [NAME]
       heddle plugin marketplace remove [--json] NAME

A marketplace is a list of plugins: .claude-plugin/marketplace.json in a repository, a folder or at
an address. Adding one fetches the list, and nothing of it acts.

  add      SOURCE is owner/repo of GitHub, https://… or git@HOST:PATH of a git repository (a branch,
           tag or commit after # ), https://….json, npm:PACKAGE, or a path that begins with ./
  list     the marketplaces that were added
  update   fetches their lists again; plugins stay as they are (heddle plugin update)
  remove   forgets one, and uninstalls what came from it

  -s, --scope SCOPE   the settings that name it: user (the default), project or local
  --sparse FOLDER     only these folders of a large repository; may be repeated
  --json              as JSON

Examples:
  heddle plugin marketplace add acme/plugins
  heddle plugin marketplace add https://git.example.com/tools.git#v2
  heddle plugin marketplace add ./my-plugins

Exit codes: 0 done, 1 an error.
`;

export const marketplace: PluginAction = {
  help: HELP,
  flags: { '--scope': 'text', '--sparse': 'texts', '--json': 'switch' },
  short: SCOPE_SHORT,
  async act(args, store) {
    const [name = '', ...words] = args.words;
    const act = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (!act) throw unknownCommand('plugin marketplace', name, Object.keys(ACTIONS));
    return act(words, args, store);
  },
};

type Action = (words: readonly string[], args: CommandArgs, store: PluginStore) => Promise<number>;

const ACTIONS: Record<string, Action> = { add, list, update, remove, rm: remove };

async function add(words: readonly string[], args: CommandArgs, store: PluginStore): Promise<number> {
  const [text = ''] = takeWords(words, ['SOURCE']);
  const sparsePaths = args.texts('--sparse');
  const source = {
    ...typedSource(text, store.home),
    ...(isTexts(sparsePaths) && sparsePaths.length > 0 && { sparsePaths }),
  };
  const { name, catalog, isKnown } = await addMarketplace(store, source, scopeOption(args) ?? 'user');
  for (const problem of catalog.problems) printRemark(printable(`${name}: ${problem}`));
  const count = `${catalog.entries.length} plugin${catalog.entries.length === 1 ? '' : 's'}`;
  const message = isKnown
    ? `The marketplace ${name} was there, and was fetched again: ${count}`
    : `Added the marketplace ${name}: ${count}`;
  return report(args, { command: 'marketplace-add', marketplace: name, plugins: catalog.entries.length, message });
}

async function list(words: readonly string[], args: CommandArgs, { home }: PluginStore): Promise<number> {
  takeWords(words, []);
  const all = knownMarketplaces(home);
  if (args.has('--json')) {
    printJson(all.map(({ name, source, installLocation }) => ({ name, ...shownSource(source), installLocation })));
    return 0;
  }
  if (all.length === 0) printRemark('no marketplace was added: heddle plugin marketplace add SOURCE');
  printLines(all.map(({ name, source }) => printable(`${name}: ${source.source} ${sourceText(source)}`)));
  return 0;
}

async function update(words: readonly string[], args: CommandArgs, store: PluginStore): Promise<number> {
  const [name] = takeWords(words, ['NAME'], 0);
  const all = name === undefined ? knownMarketplaces(store.home) : [knownMarketplace(store.home, name)];
  let failed = 0;
  for (const known of all) {
    try {
      const { entries } = await updateMarketplace(store, known);
      report(args, {
        command: 'marketplace-update',
        marketplace: known.name,
        message: `${known.name}: ${entries.length} plugins`,
      });
    } catch (error) {
      if (name !== undefined) throw error;
      failed++;
      printRemark(printable(`${known.name}: ${messageOf(error)}`));
    }
  }
  return failed === 0 ? 0 : 1;
}

async function remove(words: readonly string[], args: CommandArgs, store: PluginStore): Promise<number> {
  const [name = ''] = takeWords(words, ['NAME']);
  const known = knownMarketplace(store.home, name);
  const removed: string[] = [];
  for (const [id, records] of installedPlugins(store.home)) {
    if (!id.endsWith(`@${name}`)) continue;
    for (const record of records.filter((each) => isOfScope(store.home, each.scope, each))) {
      await removePlugin(store, { id, record }, { withData: false });
      removed.push(id);
    }
  }
  await forgetMarketplace(store, known);
  const more = removed.length === 0 ? '' : `, and uninstalled ${removed.join(', ')}`;
  return report(args, {
    command: 'marketplace-remove',
    marketplace: name,
    uninstalled: removed,
    message: `Removed the marketplace ${name}${more}`,
  });
}
