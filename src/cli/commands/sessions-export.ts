import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { jsonOf, markdownOf, printableLines } from '../../host/session-views.ts';
import { openStored } from '../../host/stored-sessions.ts';
import { errorCode } from '../../util/error-code.ts';
import { systemReason } from '../../util/system-reason.ts';
import { HeddleError } from '../../wire/errors.ts';
import { usage } from '../args.ts';
import { takeWords } from '../command-args.ts';
import type { SessionsAction } from './sessions-action.ts';
import { sayLines, tell } from './terminal.ts';

const HELP = `Usage: heddle sessions export [--md | --json] [--leaf MESSAGE | --all-branches]
                              [--output FILE [--force]] [--home DIR] [SESSION]

Writes a session to stdout or into a file: its conversation from the very beginning, and its
subagents. Without SESSION: the newest of this directory.

  --md             as Markdown (default)
  --json           as JSON, with messages as on the wire
  --leaf MESSAGE   the branch up to that message instead of the active one
  --all-branches   every branch, the active one first
  --output FILE    into a file, private to you; one that is there already is an error
  --force          overwrites it
  --home DIR       of another config home; nothing is written there

Examples:
  heddle sessions export 3f2a91c0 --output notes.md
  heddle sessions export --json --all-branches 3f2a91c0 > session.json
`;

export const exportSession: SessionsAction = {
  help: HELP,
  flags: {
    '--md': 'switch',
    '--json': 'switch',
    '--leaf': 'text',
    '--all-branches': 'switch',
    '--output': 'text',
    '--force': 'switch',
  },
  async run(args, place) {
    const [name] = takeWords(args.words, ['SESSION'], 0);
    if (args.has('--md') && args.has('--json')) throw usage('--md and --json exclude each other');
    if (args.has('--leaf') && args.has('--all-branches')) {
      throw usage('--leaf and --all-branches exclude each other');
    }
    const session = await openStored(name, place);
    const choice = { leaf: args.text('--leaf'), allBranches: args.has('--all-branches') };
    const document = args.has('--json')
      ? `${JSON.stringify(await jsonOf(session, choice), null, 2)}\n`
      : await markdownOf(session, choice);
    const output = args.text('--output');
    if (output !== undefined) writeDocument(resolve(process.cwd(), output), document, { force: args.has('--force') });
    // A stored text must not act on the terminal; in a pipe it stays as it is.
    else sayLines(process.stdout.isTTY ? printableLines(document.trimEnd()) : [document.trimEnd()]);
    return 0;
  },
};

function writeDocument(path: string, document: string, { force }: { force: boolean }): void {
  try {
    writeFileSync(path, document, { mode: 0o600, flag: force ? 'w' : 'wx' });
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') throw usage(`${path} exists already: --force overwrites it`);
    throw new HeddleError('storage_failed', `${path} cannot be written: ${systemReason(cause)}`, { cause });
  }
  tell(`written to ${path}`);
}
