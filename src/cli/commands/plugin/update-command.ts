import { changedCode, changedFiles } from '../../../plugins/changed-files.ts';
import { installPlugin } from '../../../plugins/install-plugin.ts';
import { knownMarketplace, type PluginStore, updateMarketplace } from '../../../plugins/marketplaces.ts';
import { pluginError, splitId } from '../../../plugins/plugin-error.ts';
import { findListed, type PreparedPlugin, preparePlugin } from '../../../plugins/prepare-install.ts';
import { findInstalled } from '../../../plugins/remove-plugin.ts';
import { printable } from '../../../util/text/printable.ts';
import { type CommandArgs, takeWords } from '../../flags/command-args.ts';
import { printLines } from '../../terminal/terminal.ts';
import { printRemarks } from './install-command.ts';
import { agreed, type PluginAction, report, SCOPE_SHORT, scopeOption } from './plugin-action.ts';
import { actLines } from './show-plugin.ts';

const HELP = `Usage: heddle plugin update [-s SCOPE] [--accept HASH] [--json] PLUGIN[@MARKET]

Fetches the list of its marketplace and the plugin again, and compares: version, commit, files, and
what acts. If nothing new acts, the new content is installed. If something does, it is shown and you
are asked; without a terminal nothing changes. A commit that moved is an update, also where the
version is the same.

  -s, --scope SCOPE   user, project or local, where it is installed in several
  --accept HASH       accepts exactly this content without a question: the sha256-… that the refused
                      update has shown
  --json              one line of JSON

Examples:
  heddle plugin update formatter@acme
  heddle plugin update --accept sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= formatter

Exit codes: 0 updated, or there is nothing new; 1 not updated, or an error.
`;

export const update: PluginAction = {
  help: HELP,
  flags: { '--scope': 'text', '--accept': 'text', '--json': 'switch' },
  short: SCOPE_SHORT,
  async act(args, store) {
    const [given = ''] = takeWords(args.words, ['PLUGIN']);
    const { id, record } = findInstalled(store.home, given, scopeOption(args));
    const { marketplace } = splitId(id);
    await updateMarketplace(store, knownMarketplace(store.home, marketplace ?? ''));
    const prepared = await preparePlugin(store, findListed(store.home, id), record.scope);
    try {
      return await updateTo(prepared, args, store);
    } finally {
      prepared.drop();
    }
  },
};

async function updateTo(prepared: PreparedPlugin, args: CommandArgs, store: PluginStore): Promise<number> {
  const { id, scope, version, before, examined, fresh } = prepared;
  const was = before?.record.version ?? '';
  const fields = {
    command: 'update',
    plugin: args.words[0],
    pluginId: id,
    scope,
    oldVersion: was,
    newVersion: version,
  };
  if (prepared.isSame)
    return report(args, {
      ...fields,
      updateOutcome: 'up_to_date',
      message: `${id} is already at the latest version (${was})`,
    });
  const show = args.has('--json') ? printRemarks : printLines;
  show([...differenceLines(prepared), '']);
  const isNamed = args.text('--accept') === examined.integrity;
  if (args.has('--accept') && !isNamed) {
    throw pluginError(`What is there now is ${examined.integrity}, and not what --accept names: nothing was changed`);
  }
  if (fresh !== null && !isNamed) {
    const otherwise = `nothing was changed: there is no terminal to ask on. --accept ${examined.integrity} accepts this content`;
    if (!(await agreed('Accept it and update?', otherwise))) return 1;
  }
  await installPlugin(store, prepared);
  const message = `Updated ${id} from ${was} to ${version} (scope ${scope}). Sessions use it from their next start`;
  return report(args, { ...fields, updateOutcome: 'updated', message });
}

/** What a person compares: versions, files, and what acts that did not act before. */
export function differenceLines({ id, version, commit, before, examined, fresh }: PreparedPlugin): string[] {
  const files = changedFiles(before?.record.installPath ?? '', examined.files);
  const code = fresh?.code === undefined ? [] : changedCode(files, examined.acts);
  const old = before?.line?.commit;
  return [
    `${printable(id)}: ${printable(before?.record.version ?? 'not installed')} -> ${printable(version)}`,
    ...(commit === undefined ? [] : [`  commit: ${old === undefined ? '' : `${old} -> `}${commit}`]),
    `  content: ${examined.integrity}`,
    `  files: ${files.added.length} new, ${files.changed.length} changed, ${files.removed.length} removed`,
    ...(fresh === null
      ? ['  Nothing acts that did not act before.']
      : ['', 'This is new and acts:', ...actLines(fresh)]),
    ...(code.length === 0 ? [] : ['  files that the above, or what acts already, may run:']),
    ...code.slice(0, MAX_FILES).map((path) => `    ${printable(path)}`),
    ...(code.length > MAX_FILES ? [`    and ${code.length - MAX_FILES} more`] : []),
  ];
}

const MAX_FILES = 50;
