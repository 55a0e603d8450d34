import { treeLines, treeView } from '../../../admin/session-views.ts';
import { openLean } from '../../../admin/sessions.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printJson, printLines, terminalOf } from '../../terminal/terminal.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions tree [--messages] [--json] [--home DIR] [SESSION]

Draws the branches of a session: the summary or the first prompt of each stretch, its turns, what
it has cost (or used, where the cost is not known), and the message it ends in. ● leads to where
the conversation goes on, ◀ active. Without SESSION: of the newest of this directory.

  --messages   a line for every prompt and every answer
  --json       as JSON: nodes with their parents, leaves, branches, leaf_uuid (the active one)
  --home DIR   of another config home; nothing is written there

heddle sessions switch SESSION LEAF goes on from another message.

Examples:
  heddle sessions tree
  heddle sessions tree --messages 3f2a91c0
`;

export const tree: SessionsAction = {
  help: HELP,
  flags: { '--messages': 'switch', '--json': 'switch' },
  async run(args, location) {
    const [name] = takeWords(args.words, ['SESSION'], 0);
    const session = await openLean(name, location);
    await session.close();
    if (args.has('--json')) printJson(treeView(session));
    else {
      const terminal = terminalOf(process.stdout, process.env);
      printLines(treeLines(session, { ...terminal, messages: args.has('--messages') }));
    }
    return 0;
  },
};
