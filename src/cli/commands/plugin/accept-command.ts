import { acceptable, acceptPlugin } from '../../../plugins/accept-plugin.ts';
import { isEmpty } from '../../../plugins/acts.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printLines } from '../../terminal/terminal.ts';
import { printRemarks } from './install-command.ts';
import { agreed, type PluginAction, report } from './plugin-action.ts';
import { actLines, contentLines } from './show-plugin.ts';

const HELP = `Usage: heddle plugin accept [-y] [--json] PLUGIN@MARKET

Shows what acts of a plugin that another program has installed, or that has changed since you
accepted it, and asks. Until then only its texts act. It counts for the content as it is now.

  -y, --yes   does not ask
  --json      one line of JSON

Examples:
  heddle plugin accept formatter@acme
  heddle plugin accept --yes formatter@acme

Exit codes: 0 accepted, 1 not accepted, or an error.
`;

export const accept: PluginAction = {
  help: HELP,
  flags: { '--yes': 'switch', '--json': 'switch' },
  short: { '-y': '--yes' },
  async act(args, { home }) {
    const [id = ''] = takeWords(args.words, ['PLUGIN']);
    const found = acceptable(home, id);
    const { scope, folder, examined, before, fresh, isAccepted } = found;
    const fields = { command: 'accept', pluginId: id, scope, integrity: examined.integrity };
    if (isAccepted) return report(args, { ...fields, message: `${id} is accepted as it is` });
    const show = args.has('--json') ? printRemarks : printLines;
    show([
      `${printable(id)} in ${printable(folder)}`,
      `  content: ${examined.integrity}`,
      ...contentLines({ examined }),
      ...(isEmpty(examined.acts) ? ['  It has only texts: nothing of it acts by itself.'] : ['', 'This acts:']),
      ...actLines(examined.acts),
      ...(before && fresh ? ['', 'Of this, you have not accepted before:', ...actLines(fresh)] : []),
      ...(before && fresh?.code !== undefined ? ['  files that it may run have changed'] : []),
      '',
    ]);
    const otherwise = 'nothing was accepted: there is no terminal to ask on; --yes accepts it';
    if (!args.has('--yes') && !(await agreed('Accept it as it is now?', otherwise))) return 1;
    await acceptPlugin(home, found);
    return report(args, { ...fields, message: `Accepted ${id}: it acts from the next start of a session` });
  },
};
