import type { SendMessageOutput, TeamMessage } from '../../tools/agents/team-port.ts';
import { ToolError } from '../../tools/tool.ts';
import { Aborted, raceAbort } from '../../util/abort.ts';
import { createLeaderInbox, type LeaderMail } from './leader-inbox.ts';
import type { TeamFiles } from './locked-files.ts';
import { LEADER, type Mail } from './mail.ts';
import { createMailbox } from './mailbox.ts';
import type { Member } from './member.ts';
import type { TeamRuntimePort } from './member-loop.ts';
import { createTeamMembers, type NewMember } from './members.ts';
import { createRoster, type TeamRecord, teamDirOf, teamFileOf } from './roster.ts';
import { sendMessage } from './send.ts';
import { hasEnded, isActive } from './states.ts';

/** A team, as the session that leads it sees it. Errors that the model should read are thrown as ToolError. */
export interface Team {
  readonly name: string;
  /** `config.json` of the team. */
  readonly file: string;
  members(): readonly Member[];
  /** The members of which a turn runs, or begins at once. */
  active(): readonly Member[];
  /** Resolves when the member and its prompt are on disk; its first turn begins by itself. */
  spawn(member: NewMember): Promise<Member>;
  /** Starts a stopped or crashed member again with its old transcript. */
  resume(nameOrId: string, prompt: string): Promise<Member>;
  /** `sender` is the name of a member, or `team-lead`. Resolves when the message is on disk. */
  send(sender: string, message: TeamMessage): Promise<SendMessageOutput>;
  /**
   * All unread mail of the leader as one prompt; null when there is no unread mail, or when some is handed out already.
   */
  leaderMail(): Promise<LeaderMail | null>;
  /** Marks mail that the leader's transcript holds as read. */
  skipSeen(): Promise<void>;
  /** True when no turn runs or is about to, and no running member has unread mail. */
  isSettled(): Promise<boolean>;
  /**
   * Call it when the user's input has ended and no turn of the leader runs, and again after every turn. Once the team
   * has settled and still has members, it returns the prompt that asks the leader to shut the team down; it returns the
   * prompt once, and null otherwise. It stops no member.
   */
  inputEnded(): Promise<LeaderMail | null>;
  /** Call it when the user sends a message: at the next end of input the leader may be asked again. */
  inputArrived(): Promise<void>;
  /** Stops a member, or all, in the middle of whatever they do. Resolves when they have stopped. */
  abort(who: string | 'all', reason?: string): Promise<void>;
  /**
   * Removes the team and its files, and resolves with a report of unread mail. Waits for members that agreed to stop
   * and finish their last turn; throws while other members are left.
   */
  delete(signal?: AbortSignal): Promise<string>;
  /** Ends with the process: turns are cut off, and what is on disk stays for `restoreTeam`. */
  close(): Promise<void>;
}

export interface TeamParts {
  /** The config home. */
  home: string;
  files: TeamFiles;
  port: TeamRuntimePort;
}

/** Starts a team whose record is on disk. Call `restore` for a team that another process has led before. */
export function startTeam(
  record: TeamRecord,
  { home, files, port }: TeamParts,
): { team: Team; restore(): Promise<void> } {
  const { name } = record;
  const { runtime } = port;
  const dir = teamDirOf(home, name);
  const file = teamFileOf(home, name);
  let isClosed = false;
  const roster = createRoster(record, { files, path: file });
  const mailbox = createMailbox({ dir, files, runtime });
  const parts = { roster, mailbox, port, isClosed: () => isClosed };
  const teamMembers = createTeamMembers(parts);
  const inbox = createLeaderInbox(parts);
  const members = () => roster.record().members;

  function refuseIfOver(): void {
    if (isClosed || roster.record().state === 'deleted') throw new ToolError(`The team ${name} is no more.`);
  }

  async function close(): Promise<void> {
    isClosed = true;
    inbox.close();
    await teamMembers.abort('all', new Aborted('shutdown'));
  }

  const team: Team = {
    name,
    file,
    members,
    active: () => members().filter(({ state }) => isActive(state)),
    async spawn(member) {
      refuseIfOver();
      return teamMembers.spawn(member);
    },
    async resume(nameOrId, prompt) {
      refuseIfOver();
      return teamMembers.resume(nameOrId, prompt);
    },
    async send(sender, message) {
      refuseIfOver();
      return sendMessage(sender, message, { roster, mailbox, runtime });
    },
    leaderMail: inbox.leaderMail,
    skipSeen: inbox.skipSeen,
    isSettled: inbox.isSettled,
    inputEnded: inbox.inputEnded,
    inputArrived: inbox.inputArrived,
    abort: (who, reason) => teamMembers.abort(who, new Aborted('interrupt', reason)),
    async delete(signal = new AbortController().signal) {
      refuseIfOver();
      await raceAbort(teamMembers.left(), signal);
      const forLeader = await mailbox.unread(LEADER);
      const unread = await Promise.all(members().map(async (each) => leftOver(each, await mailbox.unread(each.name))));
      refuseIfOver(); // it may be a second call
      refuseDelete(members(), forLeader.length);
      await roster.moveTeam('deleted');
      await close();
      await files.remove(dir);
      return [`The team ${name} is removed.`, ...unread.flat()].join('\n');
    },
    close,
  };
  return {
    team,
    async restore() {
      await inbox.skipSeen();
      await roster.moveTeam('restored');
      await teamMembers.restore();
      await inbox.wakeIfUnread();
    },
  };
}

function refuseDelete(members: readonly Member[], unread: number): void {
  const left = members.filter(({ state }) => !hasEnded(state));
  if (left.length > 0) {
    const names = left.map(({ name, state }) => `${name} (${state})`).join(', ');
    throw new ToolError(
      `The team cannot be removed yet: still in it are ${names}. Ask each with SendMessage, type "shutdown_request", \
and wait for the answers.`,
    );
  }
  if (unread === 0) return;
  throw new ToolError(
    `The team cannot be removed yet: there is mail for you that you have not read. It comes when you end your turn.`,
  );
}

function leftOver({ name }: Member, mails: readonly Mail[]): string[] {
  return mails.map(({ from, text, summary }) => `Never read by ${name}, from ${from}: ${summary ?? text}`);
}
