import type { SendMessageOutput, TeamMessage } from '../../tools/team-port.ts';
import { ToolError } from '../../tools/tool.ts';
import { Aborted, raceAbort } from '../../util/abort.ts';
import { createCrew, type NewMember } from './crew.ts';
import { createLeaderDesk, type LeaderMail } from './leader-desk.ts';
import type { TeamFiles } from './locked-files.ts';
import { LEADER, type Mail } from './mail.ts';
import { createMailbox } from './mailbox.ts';
import type { Member } from './member.ts';
import type { TeamSeams } from './member-loop.ts';
import { createRoster, type TeamRecord, teamDirOf, teamFileOf } from './roster.ts';
import { sendMessage } from './send.ts';
import { hasEnded, isActive } from './states.ts';

/** A team, as the session that leads it sees it. What the model should read is thrown as ToolError. */
export interface Team {
  readonly name: string;
  /** `config.json` of the team. */
  readonly file: string;
  members(): readonly Member[];
  /** Those of whom a turn runs, or begins at once. */
  active(): readonly Member[];
  /** Resolves when the member and its prompt are on disk; its first turn begins by itself. */
  spawn(member: NewMember): Promise<Member>;
  /** One that has stopped or crashed goes on with its old transcript. */
  resume(nameOrId: string, prompt: string): Promise<Member>;
  /** `sender` is the name of a member, or `team-lead`. Resolves when the message is on disk. */
  send(sender: string, message: TeamMessage): Promise<SendMessageOutput>;
  /** All unread mail of the leader as one prompt; null when there is none, or when some is handed out already. */
  leaderMail(): Promise<LeaderMail | null>;
  /** Marks what the leader's transcript holds as read. */
  skipSeen(): Promise<void>;
  /** No turn runs or is about to, and nobody who could read it has unread mail. */
  isSettled(): Promise<boolean>;
  /**
   * The user will say no more. To be called when no turn of the leader runs, and again after every turn: once the team
   * has settled and somebody is left in it, gives the prompt that tells the leader to shut it down; once, and else null.
   * Stops nobody.
   */
  inputEnded(): Promise<LeaderMail | null>;
  /** The user has said something: at the next end of input the leader may be told again. */
  inputArrived(): Promise<void>;
  /** Stops a member, or all, in the middle of whatever they do. Resolves when they have stopped. */
  abort(who: string | 'all', reason?: string): Promise<void>;
  /**
   * Removes the team and its files; tells what nobody has read. Waits for those who have agreed to stop and say their
   * last words; refused while somebody else is left.
   */
  delete(signal?: AbortSignal): Promise<string>;
  /** Ends with the process: turns are cut off, and what is on disk stays for `restoreTeam`. */
  close(): Promise<void>;
}

export interface TeamParts {
  /** The config home. */
  home: string;
  files: TeamFiles;
  seams: TeamSeams;
}

/** A team of which the record is on disk. `restore` is for one that another process has led before. */
export function startTeam(
  record: TeamRecord,
  { home, files, seams }: TeamParts,
): { team: Team; restore(): Promise<void> } {
  const { name } = record;
  const { runtime } = seams;
  const dir = teamDirOf(home, name);
  const file = teamFileOf(home, name);
  let isClosed = false;
  const roster = createRoster(record, { files, path: file });
  const mailbox = createMailbox({ dir, files, runtime });
  const parts = { roster, mailbox, seams, isClosed: () => isClosed };
  const crew = createCrew(parts);
  const desk = createLeaderDesk(parts);
  const members = () => roster.record().members;

  function refuseIfOver(): void {
    if (isClosed || roster.record().state === 'deleted') throw new ToolError(`The team ${name} is no more.`);
  }

  async function close(): Promise<void> {
    isClosed = true;
    desk.close();
    await crew.abort('all', new Aborted('shutdown'));
  }

  const team: Team = {
    name,
    file,
    members,
    active: () => members().filter(({ state }) => isActive(state)),
    async spawn(member) {
      refuseIfOver();
      return crew.spawn(member);
    },
    async resume(nameOrId, prompt) {
      refuseIfOver();
      return crew.resume(nameOrId, prompt);
    },
    async send(sender, message) {
      refuseIfOver();
      return sendMessage(sender, message, { roster, mailbox, runtime });
    },
    leaderMail: desk.leaderMail,
    skipSeen: desk.skipSeen,
    isSettled: desk.isSettled,
    inputEnded: desk.inputEnded,
    inputArrived: desk.inputArrived,
    abort: (who, reason) => crew.abort(who, new Aborted('interrupt', reason)),
    async delete(signal = new AbortController().signal) {
      refuseIfOver();
      await raceAbort(crew.left(), signal);
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
      await desk.skipSeen();
      await roster.moveTeam('restored');
      await crew.restore();
      await desk.wakeIfUnread();
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
