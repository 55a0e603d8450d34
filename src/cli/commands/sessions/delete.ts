import { firstWords } from '../../../admin/session-views.ts';
import { deleteStored, findStored, type StoredSessionFile, sessionSummary } from '../../../admin/sessions.ts';
import { messageOf } from '../../../util/message-of.ts';
import { HeddleError } from '../../../wire/errors.ts';
import { missingWord } from '../../flags/command-args.ts';
import { isAgreed, printLines, printRemark } from '../../terminal/terminal.ts';
import type { SessionsAction } from './sessions-action.ts';

const HELP = `Usage: heddle sessions delete [--yes] [--home DIR] SESSION…

Moves sessions to the trash, <home>/trash/sessions, with the transcripts of their subagents and
what is kept of their background tasks, and says where. On a terminal it asks before. A session
that another process has in use stays, and so does one whose tasks still run. heddle sessions
restore brings a session back.

  --yes        does not ask
  --home DIR   of another config home, which is written to

Examples:
  heddle sessions delete 3f2a91c0
  heddle sessions delete --yes 3f2a91c0 "the big refactoring"

Exit codes: 0 all are in the trash, 1 at least one is not.
`;

export const deleteSessions: SessionsAction = {
  help: HELP,
  flags: { '--yes': 'switch' },
  async run(args, location) {
    if (args.words.length === 0) throw missingWord('SESSION');
    // All names are looked up first, so that a mistyped one stops the command before any change.
    const found: StoredSessionFile[] = [];
    for (const name of args.words) found.push(await findStored(name, location));
    const sessions = [...new Map(found.map((each) => [each.path, each])).values()];
    if (!args.has('--yes') && !(await isAgreed(`${sessions.map(described).join('\n')}\nMove to the trash?`))) {
      printRemark('nothing was moved');
      return 1;
    }
    let code = 0;
    for (const session of sessions) {
      try {
        const movedTo = await deleteStored(session, { ...location, now: () => Date.now() });
        printLines([`${session.sessionId} is in the trash: ${movedTo}`]);
        if (process.stdout.isTTY)
          printRemark(`heddle sessions restore ${session.sessionId.slice(0, 8)} brings it back`);
      } catch (error) {
        if (!HeddleError.isInstance(error)) throw error;
        printRemark(`${session.sessionId} was not moved: ${messageOf(error)}`);
        code = 1;
      }
    }
    return code;
  },
};

function described({ sessionId, path }: StoredSessionFile): string {
  return `${sessionId}  ${firstWords(sessionSummary(path)?.summary ?? '', 60)}`;
}
