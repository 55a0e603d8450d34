import { conversationLines } from '../../../admin/session-views.ts';
import { openLean } from '../../../admin/sessions.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printPieces, printRemark, terminalOf } from '../../terminal/terminal.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions show [--leaf MESSAGE] [--full] [--all] [--home DIR] [SESSION]

Shows a conversation: the branch that goes on, from its last compaction on. Long outputs of tools
are shortened. Without SESSION: of the newest session of this directory.

  --leaf MESSAGE   the branch up to that message (heddle sessions tree shows them)
  --full           also what compactions have replaced
  --all            outputs, inputs and thoughts in full length
  --home DIR       of another config home; nothing is written there

Examples:
  heddle sessions show
  heddle sessions show --full --all "the big refactoring" | less
`;

export const show: SessionsAction = {
  help: HELP,
  flags: { '--leaf': 'text', '--full': 'switch', '--all': 'switch' },
  async run(args, location) {
    const [name] = takeWords(args.words, ['SESSION'], 0);
    const session = await openLean(name, location);
    const options = { leaf: args.text('--leaf'), full: args.has('--full'), everything: args.has('--all') };
    let isEmpty = true;
    async function* pieces() {
      const parts = conversationLines(session, { ...options, ...terminalOf(process.stdout, process.env) });
      for await (const lines of parts) {
        isEmpty = false;
        if (lines.length > 0) yield `${lines.join('\n')}\n`;
      }
    }
    await printPieces(pieces()).finally(() => session.close());
    if (isEmpty) printRemark('this session holds no messages');
    const { findings } = session.tree;
    if (findings.length > 0) {
      printRemark(
        `the file has ${findings.length} damaged places (heddle sessions fsck ${session.sessionId} lists them)`,
      );
    }
    return 0;
  },
};
