import { existsSync } from 'node:fs';
import { installPlugin } from '../../../plugins/install-plugin.ts';
import { readScope } from '../../../plugins/installed-list.ts';
import { sourceText, typedSource } from '../../../plugins/marketplace-source.ts';
import { addMarketplace, type PluginStore } from '../../../plugins/marketplaces.ts';
import { pluginError } from '../../../plugins/plugin-error.ts';
import { knownMarketplaces } from '../../../plugins/plugin-home.ts';
import { type LockLine, projectLockFile, readLock } from '../../../plugins/plugin-lock.ts';
import { findListed, installedIn, type PreparedPlugin, preparePlugin } from '../../../plugins/prepare-install.ts';
import { isObject, type JsonObject, stringField } from '../../../util/json.ts';
import { printable } from '../../../util/text/printable.ts';
import { type CommandArgs, takeWords } from '../../flags/command-args.ts';
import { canAsk, printLines } from '../../terminal/terminal.ts';
import { printRemarks } from './install-command.ts';
import { agreed, type PluginAction, report } from './plugin-action.ts';
import { preparedLines } from './show-plugin.ts';

const HELP = `Usage: heddle plugin sync [--frozen] [-y] [--json]

Installs what the settings of this project enable and is missing here: enabledPlugins, from the
marketplaces of extraKnownMarketplaces. Shows them first, and asks. A run never does this by itself.

  --frozen    exactly the contents of .claude/plugins-lock.json, and nothing else: for CI. It asks
              nothing; whatever differs from the file ends it, before anything is installed
  -y, --yes   does not ask
  --json      one line of JSON

Examples:
  heddle plugin sync
  heddle plugin sync --frozen

Exit codes: 0 all are installed; 1 not all are, or an error.
`;

export const sync: PluginAction = {
  help: HELP,
  flags: { '--frozen': 'switch', '--yes': 'switch', '--json': 'switch' },
  short: { '-y': '--yes' },
  async act(args, store) {
    takeWords(args.words, []);
    const { home } = store;
    const settings = readScope(home, 'project');
    const wanted = Object.entries(isObject(settings.enabledPlugins) ? settings.enabledPlugins : {}).flatMap(
      ([id, on]) => (on === true ? id : []),
    );
    const lock = args.has('--frozen') ? frozenLock(home.cwd, wanted) : null;
    const missing = wanted.filter((id) => !isThere(store, id, lock?.get(id)?.[0]));
    const fields = { command: 'sync', plugins: wanted };
    if (missing.length === 0)
      return report(args, { ...fields, message: `All of the project's plugins are installed (${wanted.length})` });
    if (!(await addOffered(settings, missing, args, store))) return 1;
    const prepared: PreparedPlugin[] = [];
    try {
      for (const id of missing) prepared.push(await preparePlugin(store, findListed(home, id), 'project'));
      if (lock) for (const each of prepared) refuseOther(each, lock.get(each.id)?.[0]);
      const show = args.has('--json') ? printRemarks : printLines;
      show(prepared.flatMap((each) => [...preparedLines(each), '']));
      if (!lock && !(await isAgreed(args, prepared))) return 1;
      for (const each of prepared) await installPlugin(store, each);
    } finally {
      for (const each of prepared) each.drop();
    }
    return report(args, { ...fields, installed: missing, message: `Installed ${missing.join(', ')} (scope project)` });
  },
};

function frozenLock(cwd: string, wanted: readonly string[]): ReadonlyMap<string, LockLine[]> {
  const file = projectLockFile(cwd);
  if (!existsSync(file)) throw pluginError(`There is no ${file}: heddle plugin install -s project writes it`);
  const lock = readLock(file);
  const unknown = wanted.filter((id) => !lock.has(id));
  if (unknown.length === 0) return lock;
  throw pluginError(`${file} has no line for ${unknown.join(', ')}: nothing was installed`);
}

/** Installed here with what was accepted; for --frozen with what the file of the project says. */
function isThere({ home }: PluginStore, id: string, frozen: LockLine | undefined): boolean {
  const here = ['project', 'local', 'user'].flatMap((scope) => installedIn(home, id, scope) ?? []);
  return here.some(({ line }) => frozen === undefined || line?.integrity === frozen.integrity);
}

function refuseOther({ id, examined }: PreparedPlugin, line: LockLine | undefined): void {
  if (line?.integrity === examined.integrity) return;
  throw pluginError(
    `${id} is ${examined.integrity} now, and the lock file of the project says ${line?.integrity}: nothing was installed`,
  );
}

/** The marketplaces of the project that the missing plugins need. Their names alone do not tell whose they are. */
async function addOffered(
  settings: JsonObject,
  missing: readonly string[],
  args: CommandArgs,
  store: PluginStore,
): Promise<boolean> {
  const offers = isObject(settings.extraKnownMarketplaces) ? settings.extraKnownMarketplaces : {};
  const known = knownMarketplaces(store.home).map(({ name }) => name);
  for (const [name, offer] of Object.entries(offers)) {
    const isNeeded = missing.some((id) => id.endsWith(`@${name}`)) && !known.includes(name);
    if (!isNeeded || !isObject(offer) || !isObject(offer.source)) continue;
    const path = stringField(offer.source, 'path');
    const isLocal = path !== undefined && (offer.source.source === 'directory' || offer.source.source === 'file');
    const source = isLocal
      ? typedSource(path.startsWith('/') || path.startsWith('.') ? path : `./${path}`, store.home)
      : offer.source;
    const question = `The project takes plugins from ${printable(sourceText(source))}. Add this marketplace?`;
    const otherwise = `nothing was installed: there is no terminal to ask on, and --yes adds ${printable(sourceText(source))}`;
    if (!args.has('--yes') && !args.has('--frozen') && !(await agreed(question, otherwise))) return false;
    const added = await addMarketplace(store, source, 'user');
    if (added.name !== name)
      throw pluginError(`The marketplace that the project calls ${name} has the name ${added.name}`);
  }
  return true;
}

async function isAgreed(args: CommandArgs, prepared: readonly PreparedPlugin[]): Promise<boolean> {
  const acts = prepared.some(({ fresh }) => fresh !== null);
  if (args.has('--yes') || (!acts && !canAsk(process.stderr))) return true;
  return agreed('Install them?', 'nothing was installed: there is no terminal to ask on, and --yes accepts what acts');
}
