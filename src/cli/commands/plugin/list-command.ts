import { isEmpty } from '../../../plugins/acts.ts';
import { examine } from '../../../plugins/examine.ts';
import { type InstalledRow, listAvailable, listInstalled, pluginAsRead } from '../../../plugins/installed-list.ts';
import { splitId } from '../../../plugins/plugin-error.ts';
import { findInstalled } from '../../../plugins/remove-plugin.ts';
import { cutText } from '../../../util/text/cut-text.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { columns } from '../../terminal/show-value.ts';
import { printJson, printLines, printRemark, terminalOf } from '../../terminal/terminal.ts';
import type { PluginAction } from './plugin-action.ts';
import { actLines, contentLines } from './show-plugin.ts';

const LIST_HELP = `Usage: heddle plugin list [--available] [--json]

Lists the plugins that are installed for this directory: version, scope, whether settings enable
them, and whether all of it acts or only its texts.

  --available   also what the marketplaces have
  --json        as JSON: an array; with --available {installed, available}

Examples:
  heddle plugin list
  heddle plugin list --json --available

Exit codes: 0 listed, 1 an error.
`;

const STATES: Record<InstalledRow['state'], string> = {
  accepted: '',
  unknown: 'only its texts act (heddle plugin accept)',
  changed: 'changed: only its texts act (heddle plugin accept)',
};

export const list: PluginAction = {
  help: LIST_HELP,
  flags: { '--available': 'switch', '--json': 'switch' },
  async act(args, { home }) {
    takeWords(args.words, []);
    const installed = listInstalled(home);
    const offered = args.has('--available') ? listAvailable(home) : null;
    for (const problem of offered?.problems ?? []) printRemark(printable(problem));
    if (args.has('--json')) {
      printJson(offered ? { installed, available: offered.available } : installed);
      return 0;
    }
    const terminal = terminalOf(process.stdout, process.env);
    const rows = installed.map(({ id, version, scope, enabled, state }) => [
      printable(id),
      printable(version),
      `${scope}, ${enabled ? 'enabled' : 'disabled'}`,
      STATES[state],
    ]);
    printLines(columns(rows, terminal));
    if (installed.length === 0)
      printRemark('no plugin is installed: heddle plugin list --available shows what there is');
    if (!offered) return 0;
    const more = offered.available.map(({ pluginId, description }) => [
      printable(pluginId),
      printable(cutText(description, MAX_TEXT)),
    ]);
    printLines(['', 'Available:', ...columns(more, terminal)]);
    return 0;
  },
};

const MAX_TEXT = 100;

const DETAILS_HELP = `Usage: heddle plugin details [--json] PLUGIN[@MARKET]

Shows an installed plugin: where it lies, its content, what it brings, and what of it acts.

  --json   as JSON

Examples:
  heddle plugin details formatter
  heddle plugin details --json formatter@acme

Exit codes: 0 shown, 1 it is not installed, or an error.
`;

export const details: PluginAction = {
  help: DETAILS_HELP,
  flags: { '--json': 'switch' },
  async act(args, { home }) {
    const [given = ''] = takeWords(args.words, ['PLUGIN']);
    const { id } = findInstalled(home, given);
    const rows = listInstalled(home).filter((row) => row.id === id);
    const { folder, entry } = pluginAsRead(home, id);
    const examined = examine(folder, { name: splitId(id).name, entry });
    const { plugin, acts, integrity, problems } = examined;
    if (args.has('--json')) {
      const names = (all: readonly { name: string }[]) => all.map(({ name }) => name);
      const { prompts, agents, styles } = plugin;
      const contents = { prompts: names(prompts), agents: names(agents), outputStyles: names(styles) };
      printJson({ id, folder, integrity, installations: rows, contents, acts, problems });
      return 0;
    }
    printLines([
      `${printable(id)} ${printable(rows[0]?.version ?? '')}`,
      `  in: ${printable(folder)}`,
      `  content: ${integrity}`,
      ...rows.map(
        ({ scope, enabled, state }) =>
          `  ${scope}: ${enabled ? 'enabled' : 'disabled'}${STATES[state] && `, ${STATES[state]}`}`,
      ),
      ...contentLines({ examined }),
      ...(isEmpty(acts) ? ['  It has only texts.'] : ['', 'This acts:', ...actLines(acts)]),
    ]);
    return 0;
  },
};
