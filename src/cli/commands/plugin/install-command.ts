import { enableUnlessSet, installPlugin } from '../../../plugins/install-plugin.ts';
import { typedSource } from '../../../plugins/marketplace-source.ts';
import { addMarketplace, type PluginStore } from '../../../plugins/marketplaces.ts';
import { pluginError } from '../../../plugins/plugin-error.ts';
import { installedPlugins, isOfScope } from '../../../plugins/plugin-home.ts';
import { askedValues, typedValue } from '../../../plugins/plugin-values.ts';
import { dependenciesOf, findListed, type PreparedPlugin, preparePlugin } from '../../../plugins/prepare-install.ts';
import { type CommandArgs, takeWords } from '../../flags/command-args.ts';
import { canAsk, printLines, printRemark } from '../../terminal/terminal.ts';
import { setValues } from './configure-command.ts';
import { agreed, type PluginAction, report, SCOPE_HELP, SCOPE_SHORT, scopeOption } from './plugin-action.ts';
import { preparedLines } from './show-plugin.ts';

const HELP = `Usage: heddle plugin install [-s SCOPE] [--marketplace SOURCE] [--config KEY=VALUE]… [-y] [--json]
                             PLUGIN[@MARKET]

Fetches a plugin and shows where it comes from, what it brings and what of it acts: hooks, servers,
programs, shell commands, and tools that it may use without a question. Then it asks. What you
accept is what runs: a content that changes later acts only after you have accepted it again.

${SCOPE_HELP}
  --marketplace SOURCE   adds this marketplace first, where it is not there yet
  --config KEY=VALUE     a value that the plugin asks for; may be repeated (heddle plugin configure)
  -y, --yes              does not ask. Without a terminal it is needed for a plugin that acts

Examples:
  heddle plugin install formatter@acme
  heddle plugin install -s project --yes formatter@acme
  heddle plugin install --marketplace acme/plugins formatter

Exit codes: 0 installed, or it was already; 1 not installed, or an error.
`;

export const install: PluginAction = {
  help: HELP,
  flags: { '--scope': 'text', '--marketplace': 'text', '--config': 'texts', '--yes': 'switch', '--json': 'switch' },
  short: { ...SCOPE_SHORT, '-y': '--yes' },
  async act(args, store) {
    const [given = ''] = takeWords(args.words, ['PLUGIN']);
    const scope = scopeOption(args) ?? 'user';
    const found = findListed(store.home, await withMarketplace(given, args, store));
    const needed = dependenciesOf(store.home, found).filter(({ id }) => !isInstalled(store, id));
    const prepared: PreparedPlugin[] = [];
    try {
      for (const each of [...needed, found]) prepared.push(await preparePlugin(store, each, scope));
      return await installPrepared(prepared, args, store);
    } finally {
      for (const each of prepared) each.drop();
    }
  },
};

async function installPrepared(
  prepared: readonly PreparedPlugin[],
  args: CommandArgs,
  store: PluginStore,
): Promise<number> {
  const last = prepared.at(-1);
  if (!last) return 1;
  const { id, scope, version } = last;
  const fields = { command: 'install', plugin: args.words[0], pluginId: id, scope };
  if (last.isSame && prepared.length === 1) {
    await enableUnlessSet(store, id, scope);
    return report(args, { ...fields, message: `${id} ${version} is already installed (scope ${scope})` });
  }
  if (last.before?.line) {
    throw pluginError(
      `${id} is installed (${last.before.record.version}): heddle plugin update ${id} brings ${version}`,
    );
  }
  const show = args.has('--json') ? printRemarks : printLines;
  show(prepared.flatMap((each) => [...preparedLines(each), '']));
  const acts = prepared.some(({ fresh }) => fresh !== null);
  const asks = !args.has('--yes') && (acts || canAsk(process.stderr));
  if (
    asks &&
    !(await agreed('Install it?', `nothing was installed: there is no terminal to ask on, and --yes accepts what acts`))
  ) {
    return 1;
  }
  const { asked } = askedValues(last.examined.plugin);
  const texts = args.texts('--config');
  for (const text of texts) typedValue(asked, text);
  for (const each of prepared) await installPlugin(store, each);
  await setValues(store, id, { asked, texts });
  const names = prepared.map((each) => `${each.id} ${each.version}`).join(', ');
  return report(args, { ...fields, version, message: `Installed ${names} (scope ${scope})` });
}

async function withMarketplace(given: string, args: CommandArgs, store: PluginStore): Promise<string> {
  const text = args.text('--marketplace');
  if (text === undefined) return given;
  const { name } = await addMarketplace(store, typedSource(text, store.home), scopeOption(args) ?? 'user');
  return given.includes('@') ? given : `${given}@${name}`;
}

function isInstalled({ home }: PluginStore, id: string): boolean {
  return (installedPlugins(home).get(id) ?? []).some((record) => isOfScope(home, record.scope, record));
}

/** With --json, stdout has the outcome and nothing else. */
export function printRemarks(lines: readonly string[]): void {
  for (const line of lines) if (line !== '') printRemark(line);
}
