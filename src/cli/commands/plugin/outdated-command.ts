import { isEmpty } from '../../../plugins/acts.ts';
import { catalogOf, entryOf } from '../../../plugins/catalog.ts';
import { listInstalled } from '../../../plugins/installed-list.ts';
import { knownMarketplace, peekMarketplace } from '../../../plugins/marketplaces.ts';
import { splitId } from '../../../plugins/plugin-error.ts';
import { preparePlugin } from '../../../plugins/prepare-install.ts';
import { messageOf } from '../../../util/message-of.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printJson, printLines, printRemark } from '../../terminal/terminal.ts';
import type { PluginAction } from './plugin-action.ts';

const HELP = `Usage: heddle plugin outdated [--json]

Asks the marketplaces whether there is something newer than what is installed here, and changes
nothing. It also says whether an update would have to be accepted.

  --json   as JSON: an array of {id, scope, version, latest, mustAccept}

Examples:
  heddle plugin outdated
  heddle plugin outdated --json

Exit codes: 0 asked, 1 one of them could not be asked.
`;

export const outdated: PluginAction = {
  help: HELP,
  flags: { '--json': 'switch' },
  async act(args, store) {
    takeWords(args.words, []);
    const rows: { id: string; scope: string; version: string; latest: string; mustAccept: boolean }[] = [];
    let failed = 0;
    for (const { id, scope, version } of listInstalled(store.home)) {
      const { name, marketplace } = splitId(id);
      try {
        const found = await peekMarketplace(store, knownMarketplace(store.home, marketplace ?? ''), async (known) => {
          const prepared = await preparePlugin(
            store,
            { id, name, known, entry: entryOf(catalogOf(known), name) },
            scope,
          );
          prepared.drop();
          return prepared;
        });
        if (found.isSame) continue;
        rows.push({
          id,
          scope,
          version,
          latest: found.version,
          mustAccept: found.fresh !== null && !isEmpty(found.examined.acts),
        });
      } catch (error) {
        failed++;
        printRemark(printable(`${id}: ${messageOf(error)}`));
      }
    }
    if (args.has('--json')) printJson(rows);
    else
      printLines(
        rows.map((row) =>
          printable(
            `${row.id} (${row.scope}): ${row.version} -> ${row.latest}${row.mustAccept ? ', something new acts' : ''}`,
          ),
        ),
      );
    if (rows.length === 0 && failed === 0 && !args.has('--json')) printLines(['Everything is at the latest version.']);
    return failed === 0 ? 0 : 1;
  },
};
