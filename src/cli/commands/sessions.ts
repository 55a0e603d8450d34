import { type CommandArgs, parseCommandArgs } from '../command-args.ts';
import { type ActionGroup, chooseAction } from './choose-action.ts';
import type { SessionsAction } from './sessions-action.ts';
import { openSessionsPlace } from './sessions-place.ts';
import { sayLines } from './terminal.ts';

const HELP = `Usage: heddle sessions COMMAND …

Shows and changes stored sessions. SESSION is an id, the beginning of one, a title, or a path to a
session file; MESSAGE and LEAF are the uuid of a message, or the beginning of one.

  list      the sessions of this directory, newest first
  show      a conversation
  tree      the branches of a session, and where it goes on
  search    a text in what was said
  export    a session as Markdown or JSON
  rename    give a session a title
  tag       give a session a tag, or take it away
  fork      copy a branch into a new session
  switch    choose the message that a session goes on from
  delete    move sessions to the trash
  fsck      check session files for damage, and repair them

Each takes --help, and --home DIR for another config home than $HEDDLE_HOME, else
$CLAUDE_CONFIG_DIR, else ~/.heddle. Reading another home (list, show, tree, search, export, fsck)
writes nothing there.

Examples:
  heddle sessions list
  heddle sessions show 3f2a91c0
  heddle sessions search "rate limit"

Exit codes: 0 done, 1 an error; search: 1 when nothing was found; fsck: 1 when something is wrong.
`;

export const SESSIONS: ActionGroup<SessionsAction> = {
  group: 'sessions',
  help: HELP,
  actions: {
    list: async () => (await import('./sessions-list.ts')).list,
    show: async () => (await import('./sessions-show.ts')).show,
    tree: async () => (await import('./sessions-tree.ts')).tree,
    search: async () => (await import('./sessions-search.ts')).search,
    export: async () => (await import('./sessions-export.ts')).exportSession,
    rename: async () => (await import('./sessions-change.ts')).rename,
    tag: async () => (await import('./sessions-change.ts')).tag,
    fork: async () => (await import('./sessions-change.ts')).fork,
    switch: async () => (await import('./sessions-change.ts')).switchLeaf,
    delete: async () => (await import('./sessions-delete.ts')).deleteSessions,
    fsck: async () => (await import('./sessions-fsck.ts')).fsck,
  },
};

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
    sayLines([action.help.trimEnd()]);
    return 0;
  }
  return action.run(args, openSessionsPlace(args));
}
