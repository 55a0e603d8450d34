import { type CommandArgs, parseCommandArgs } from '../command-args.ts';
import { defineGroup } from './action-group.ts';
import { chooseAction } from './choose-action.ts';
import type { SessionsAction } from './sessions-action.ts';
import { openSessionsPlace } from './sessions-place.ts';
import { sayHelp } from './terminal.ts';

export const SESSIONS = defineGroup<SessionsAction>({
  group: 'sessions',
  about: `Shows and changes stored sessions. SESSION is an id, the beginning of one, a title, or a path to a
session file; MESSAGE and LEAF are the uuid of a message, or the beginning of one.`,
  commands: {
    list: {
      does: 'the sessions of this directory, newest first',
      load: async () => (await import('./sessions-list.ts')).list,
    },
    show: { does: 'a conversation', load: async () => (await import('./sessions-show.ts')).show },
    tree: {
      does: 'the branches of a session, and where it goes on',
      load: async () => (await import('./sessions-tree.ts')).tree,
    },
    search: { does: 'a text in what was said', load: async () => (await import('./sessions-search.ts')).search },
    export: {
      does: 'a session as Markdown or JSON',
      load: async () => (await import('./sessions-export.ts')).exportSession,
    },
    rename: { does: 'give a session a title', load: async () => (await import('./sessions-change.ts')).rename },
    tag: {
      does: 'give a session a tag, or take it away',
      load: async () => (await import('./sessions-change.ts')).tag,
    },
    fork: { does: 'copy a branch into a new session', load: async () => (await import('./sessions-change.ts')).fork },
    switch: {
      does: 'choose the message that a session goes on from',
      load: async () => (await import('./sessions-change.ts')).switchLeaf,
    },
    archive: {
      does: 'leave sessions out of the list',
      load: async () => (await import('./sessions-archive.ts')).archive,
    },
    unarchive: {
      does: 'have them in the list again',
      load: async () => (await import('./sessions-archive.ts')).unarchive,
    },
    delete: {
      does: 'move sessions to the trash',
      load: async () => (await import('./sessions-delete.ts')).deleteSessions,
    },
    restore: {
      does: 'bring deleted sessions back',
      load: async () => (await import('./sessions-restore.ts')).restore,
    },
    fsck: {
      does: 'check session files for damage, and repair them',
      load: async () => (await import('./sessions-fsck.ts')).fsck,
    },
  },
  notes: `Each takes --help, and --home DIR for another config home than $HEDDLE_HOME, else
$CLAUDE_CONFIG_DIR, else ~/.heddle. Reading another home (list, show, tree, search, export, fsck)
writes nothing there.`,
  examples: ['sessions list', 'sessions show 3f2a91c0', 'sessions search "rate limit"'],
  exitCodes: '0 done, 1 an error; search: 1 when nothing was found; fsck: 1 when something is wrong.',
});

/** `heddle sessions …`; resolves with the exit code. */
export async function runSessions(argv: readonly string[]): Promise<number> {
  const chosen = await chooseAction(argv, SESSIONS);
  if (!chosen) return 0;
  const { name, action, rest } = chosen;
  return runAction(`heddle sessions ${name}`, action, rest);
}

async function runAction(command: string, action: SessionsAction, argv: readonly string[]): Promise<number> {
  const own = { '--home': 'text', ...action.flags } as const;
  const args: CommandArgs | null = parseCommandArgs(argv, { command, own, run: [] });
  if (!args) {
    await sayHelp(action.help);
    return 0;
  }
  return action.run(args, openSessionsPlace(args));
}
