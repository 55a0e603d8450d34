import { type CommandArgs, parseCommandArgs } from '../../flags/command-args.ts';
import { printHelp } from '../../terminal/terminal.ts';
import { chooseCommand } from '../choose-command.ts';
import { defineGroup } from '../command-group.ts';
import { openSessionsLocation } from '../sessions-location.ts';
import { archive, unarchive } from './archive.ts';
import { fork, rename, switchLeaf, tag } from './change.ts';
import { deleteSessions } from './delete.ts';
import { diff } from './diff.ts';
import { exportSession } from './export.ts';
import { fsck } from './fsck.ts';
import { list } from './list-sessions.ts';
import { restore } from './restore.ts';
import { search } from './search.ts';
import type { SessionsAction } from './sessions-action.ts';
import { show } from './show-session.ts';
import { tree } from './tree.ts';

export const SESSIONS = defineGroup<SessionsAction>({
  group: 'sessions',
  about: `Shows and changes stored sessions. SESSION is an id, the beginning of one, a title, or a path to a
session file; MESSAGE and LEAF are the uuid of a message, or the beginning of one.`,
  commands: {
    list: { does: 'the sessions of this directory, newest first', action: list },
    show: { does: 'a conversation', action: show },
    tree: { does: 'the branches of a session, and where it goes on', action: tree },
    diff: { does: 'what two branches have in common, and what each has alone', action: diff },
    search: { does: 'a text in what was said', action: search },
    export: { does: 'a session as Markdown, JSON or an HTML page', action: exportSession },
    rename: { does: 'give a session a title', action: rename },
    tag: { does: 'give a session a tag, or take it away', action: tag },
    fork: { does: 'copy a branch into a new session', action: fork },
    switch: { does: 'choose the message that a session goes on from', action: switchLeaf },
    archive: { does: 'leave sessions out of the list', action: archive },
    unarchive: { does: 'have them in the list again', action: unarchive },
    delete: { does: 'move sessions to the trash', action: deleteSessions },
    restore: { does: 'bring deleted sessions back', action: restore },
    fsck: {
      does: 'check session files for damage, and repair them',
      action: fsck,
    },
  },
  notes: `Each takes --help, and --home DIR for another config home than $HEDDLE_HOME, else
$CLAUDE_CONFIG_DIR, else ~/.heddle. Reading another home (list, show, tree, diff, search, export,
fsck) writes nothing there.`,
  examples: ['sessions list', 'sessions show 3f2a91c0', 'sessions search "rate limit"'],
  exitCodes: '0 done, 1 an error; search: 1 when nothing was found; fsck: 1 when something is wrong.',
});

/** `heddle sessions …`; resolves with the exit code. */
export async function runSessions(argv: readonly string[]): Promise<number> {
  const chosen = await chooseCommand(argv, SESSIONS);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  return runAction(`heddle sessions ${name}`, action, rest);
}

async function runAction(command: string, action: SessionsAction, argv: readonly string[]): Promise<number> {
  const own = { '--home': 'text', ...action.flags } as const;
  const args: CommandArgs | null = parseCommandArgs(argv, { command, own, run: [] });
  if (!args) {
    printHelp(action.help);
    return 0;
  }
  return action.run(args, openSessionsLocation(args));
}
