import { archiveSession, findStored, type SessionsLocation, type StoredSessionFile } from '../../../admin/sessions.ts';
import { missingWord } from '../../flags/command-args.ts';
import { printLines } from '../../terminal/terminal.ts';
import type { SessionsAction } from './sessions-action.ts';

export const archive: SessionsAction = {
  help: `Usage: heddle sessions archive [--home DIR] SESSION…

Archives sessions: heddle sessions list leaves them out. Nothing else changes; they can be shown,
searched and resumed, and a prompt that is sent in one takes it out of the archive again.

  --home DIR   of another config home, which is written to

Examples:
  heddle sessions archive 3f2a91c0
  heddle sessions list --archived
`,
  flags: {},
  run: ({ words }, location) => mark(words, location, { archived: true }),
};

export const unarchive: SessionsAction = {
  help: `Usage: heddle sessions unarchive [--home DIR] SESSION…

Takes sessions out of the archive: heddle sessions list has them again.

  --home DIR   of another config home, which is written to

Examples:
  heddle sessions unarchive 3f2a91c0
  heddle sessions unarchive "the big refactoring"
`,
  flags: {},
  run: ({ words }, location) => mark(words, location, { archived: false }),
};

async function mark(
  words: readonly string[],
  location: SessionsLocation,
  { archived }: { archived: boolean },
): Promise<number> {
  if (words.length === 0) throw missingWord('SESSION');
  // All names are looked up first, so that a mistyped one stops the command before any change.
  const found: StoredSessionFile[] = [];
  for (const name of words) found.push(await findStored(name, location));
  for (const session of found) {
    await archiveSession(session, { archived, now: () => Date.now() });
    printLines([`${session.sessionId} is ${archived ? 'archived' : 'not archived'}`]);
  }
  return 0;
}
