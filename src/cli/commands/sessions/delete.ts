import { firstWords } from '../../host/session-views.ts';
import { deleteStored, type FoundStored, findStored, sessionSummary } from '../../host/stored-sessions.ts';
import { messageOf } from '../../util/message-of.ts';
import { HeddleError } from '../../wire/errors.ts';
import { missingWord } from '../command-args.ts';
import type { SessionsAction } from './sessions-action.ts';
import { isAgreed, sayLines, tell } from './terminal.ts';

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
  async run(args, place) {
    if (args.words.length === 0) throw missingWord('SESSION');
    // All names are looked up first: a mistyped one should not be noticed when half of them are gone.
    const found: FoundStored[] = [];
    for (const name of args.words) found.push(await findStored(name, place));
    const sessions = [...new Map(found.map((each) => [each.path, each])).values()];
    if (!args.has('--yes') && !(await isAgreed(`${sessions.map(described).join('\n')}\nMove to the trash?`))) {
      tell('nothing was moved');
      return 1;
    }
    let code = 0;
    for (const session of sessions) {
      try {
        const movedTo = await deleteStored(session, { ...place, now: () => Date.now() });
        sayLines([`${session.sessionId} is in the trash: ${movedTo}`]);
        if (process.stdout.isTTY) tell(`heddle sessions restore ${session.sessionId.slice(0, 8)} brings it back`);
      } catch (error) {
        if (!HeddleError.isInstance(error)) throw error;
        tell(`${session.sessionId} was not moved: ${messageOf(error)}`);
        code = 1;
      }
    }
    return code;
  },
};

function described({ sessionId, path }: FoundStored): string {
  return `${sessionId}  ${firstWords(sessionSummary(path)?.summary ?? '', 60)}`;
}
