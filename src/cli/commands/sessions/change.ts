import {
  findMessage,
  findStored,
  forkSession,
  openStored,
  renameSession,
  switchStored,
  tagSession,
} from '../../../admin/sessions.ts';
import { randomIds } from '../../../util/system-runtime.ts';
import { printable } from '../../../util/text/printable.ts';
import { takeWords } from '../../flags/command-args.ts';
import { printLines } from '../../terminal/terminal.ts';
import type { SessionsAction } from './sessions-action.ts';

const HOME_LINE = '  --home DIR   of another config home, which is written to';

/** Titles and tags are appended, and the last one counts: that does not disturb a running session. */
export const rename: SessionsAction = {
  help: `Usage: heddle sessions rename [--home DIR] SESSION TITLE

Gives a session a title, by which it is listed and can be resumed.

${HOME_LINE}

Examples:
  heddle sessions rename 3f2a91c0 "the big refactoring"
  heddle -p --resume "the big refactoring" "what is left to do?"
`,
  flags: {},
  async run({ words }, location) {
    const [name = '', title = ''] = takeWords(words, ['SESSION', 'TITLE']);
    const found = await findStored(name, location);
    await renameSession(found, title);
    printLines([`${found.sessionId} is called ${printable(title.trim())}`]);
    return 0;
  },
};

export const tag: SessionsAction = {
  help: `Usage: heddle sessions tag [--home DIR] SESSION TAG

Gives a session a tag; "" takes it away.

${HOME_LINE}

Examples:
  heddle sessions tag 3f2a91c0 release
  heddle sessions tag 3f2a91c0 ""
`,
  flags: {},
  async run({ words }, location) {
    const [name = '', given = ''] = takeWords(words, ['SESSION', 'TAG']);
    const found = await findStored(name, location);
    const word = given.trim();
    await tagSession(found, word === '' ? null : word);
    printLines([word === '' ? `${found.sessionId} has no tag` : `${found.sessionId} is tagged ${printable(word)}`]);
    return 0;
  },
};

export const fork: SessionsAction = {
  help: `Usage: heddle sessions fork [--at MESSAGE] [--title TITLE] [--home DIR] SESSION

Copies a branch into a new session and prints its id. The source is not touched.

  --at MESSAGE   the branch up to that message; without it the active one
  --title TITLE  the title of the new session
  --home DIR     of another config home, which is written to

Examples:
  heddle sessions fork 3f2a91c0 --title "the other way"
  heddle -p --resume "$(heddle sessions fork --at 9c1d 3f2a91c0)" "try it without the cache"
`,
  flags: { '--at': 'text', '--title': 'text' },
  async run({ words, text }, location) {
    const [name = ''] = takeWords(words, ['SESSION']);
    const session = await openStored(name, location);
    const [at, title] = [text('--at'), text('--title')];
    const { sessionId } = await forkSession(session, {
      ids: randomIds(),
      ...(at !== undefined && { upToMessageId: findMessage(session, at).id }),
      ...(title !== undefined && { title }),
    });
    printLines([sessionId]);
    return 0;
  },
};

export const switchLeaf: SessionsAction = {
  help: `Usage: heddle sessions switch [--home DIR] SESSION LEAF

Chooses the message that the session goes on from when it is next resumed: the end of another
branch, or any message. Nothing is removed. heddle sessions tree shows the branches.

${HOME_LINE}

Examples:
  heddle sessions tree 3f2a91c0
  heddle sessions switch 3f2a91c0 9c1d
`,
  flags: {},
  async run({ words }, location) {
    const [name = '', message = ''] = takeWords(words, ['SESSION', 'LEAF']);
    const { leaf, isChanged } = await switchStored(name, message, location);
    printLines([isChanged ? `The session goes on from ${leaf}` : `The session goes on from ${leaf} already`]);
    return 0;
  },
};
