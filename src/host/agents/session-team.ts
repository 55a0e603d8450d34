import type { LeaderMail } from '../../agent/team/leader-inbox.ts';
import { LEADER, RUNTIME } from '../../agent/team/mail.ts';
import type { Member } from '../../agent/team/member.ts';
import { spawnedOutput } from '../../agent/team/spawned-output.ts';
import { hasEnded } from '../../agent/team/states.ts';
import { createTeamService, type TeamService } from '../../agent/team/team-service.ts';
import type { AgentCall } from '../../tools/agents/agents-port.ts';
import type { TeamPort } from '../../tools/agents/team-port.ts';
import { refusal, type ToolContext, ToolError, type ToolOutput } from '../../tools/tool.ts';
import { messageOf } from '../../util/message-of.ts';
import type { MessageOrigin } from '../../wire/messages/common.ts';
import type { TurnTrigger } from '../background/turn-triggers.ts';
import { agentTypes } from '../extensions/agent-kinds.ts';
import type { SessionTeam } from '../thread/team.ts';
import type { Thread } from '../thread/thread.ts';
import { noteTogether } from './agent-isolation.ts';
import { parseModes } from './agent-permissions.ts';
import { checkRoom, findType, modelOf } from './start-agent.ts';
import { TeamMembers } from './team-members.ts';

/**
 * Opens the team of a session. Its members are agents that live on between their turns, and their messages to the leader
 * become turns of the session.
 */
export function openSessionTeam(leader: Thread, home: string): SessionTeam {
  return new OpenTeam(leader, home);
}

class OpenTeam implements SessionTeam {
  readonly #leader: Thread;
  readonly #members: TeamMembers;
  readonly #service: TeamService;
  #restored: Promise<unknown> | null = null;
  #hasInputEnded = false;
  /** Whether the session no longer waits for messages of members. */
  #isSpent = false;
  /** Whether all members wait for messages, and there are none. */
  #isQuiet = false;
  /** Whether a message could not be recorded. Waiting would not help. */
  #isStuck = false;
  /** Whether a recorded message is still marked as unread. */
  #hasUnmarked = false;

  constructor(leader: Thread, home: string) {
    const { services, workplace } = leader;
    this.#leader = leader;
    this.#members = new TeamMembers(leader, () => this.#service.team());
    this.#service = createTeamService({
      home,
      leadSessionId: services.id,
      leadModel: () => leader.model.selected.id,
      cwd: workplace.workspace.cwd,
      port: {
        runtime: services.runtime,
        runTurn: (member, prompt, how) => this.#members.runTurn(member, prompt, how),
        wakeLeader: () => this.#wakeLeader(),
        onIdle: (member) => this.#members.mayIdle(member),
        onGone: (name) => this.#members.disconnect(name),
        seenIds: (member) => this.#members.seenIds(member),
      },
      async sendToAgent(name, { from, content }) {
        const box = services.agents.mailboxes.get(name);
        box?.push(`Message from ${from}:\n${content}`);
        return box !== undefined;
      },
    });
  }

  portOf(member: string | undefined): TeamPort {
    return this.#service.port(member ?? LEADER);
  }

  name(): string | null {
    return this.#service.team()?.name ?? null;
  }

  spawn(call: AgentCall, context: ToolContext): Promise<ToolOutput> {
    return spawnTeammate(this.#service, this.#leader, call, context);
  }

  async begin({ isLast }: { isLast: boolean }): Promise<void> {
    const { isResumed } = this.#leader.conversation.transcript;
    this.#restored ??= isResumed ? this.#service.restore() : Promise.resolve();
    await this.#restored;
    this.#isSpent = false;
    this.#isQuiet = false;
    this.#isStuck = false;
    if (!isLast) await this.#service.team()?.inputArrived();
  }

  active() {
    const members = this.#service.team()?.active() ?? [];
    return members.map(({ name, transcriptId }) => ({ id: transcriptId ?? name, name }));
  }

  inputEnded(): void {
    this.#hasInputEnded = true;
  }

  isOpen(): boolean {
    const members = this.#service.team()?.members() ?? [];
    return !this.#isSpent && !this.#isStuck && members.some(({ state }) => !hasEnded(state));
  }

  isQuiet(): boolean {
    return this.#isQuiet;
  }

  async take(): Promise<TurnTrigger | null> {
    const team = this.#service.team();
    if (!team) return null;
    if (this.#hasUnmarked) await team.skipSeen();
    this.#hasUnmarked = false;
    const mail = (await team.leaderMail()) ?? (this.#hasInputEnded ? await team.inputEnded() : null);
    if (mail) return this.#triggerOf(mail);
    this.#isQuiet = await team.isSettled();
    // All members wait for messages that cannot come. The files of the team stay, but the session waits for no member.
    this.#isSpent = this.#hasInputEnded && this.#isQuiet;
    return null;
  }

  close(): Promise<void> {
    return this.#service.close();
  }

  #wakeLeader(): void {
    this.#isQuiet = false;
    this.#leader.services.triggers.wake();
  }

  /** Until it is recorded, a message stays unread on disk, for the next turn or for a resumed session. */
  #triggerOf(mail: LeaderMail): TurnTrigger {
    return {
      text: mail.prompt,
      lines: [],
      origin: mailOrigin(mail.from),
      recorded: async () => {
        try {
          await mail.acknowledge();
        } catch (error) {
          const { log } = this.#leader.services.runtime;
          log('warn', `Mail of the team could not be marked as read: ${messageOf(error)}`);
          this.#hasUnmarked = true; // the transcript has it, so that `skipSeen` recognizes it
          mail.giveBack();
        }
      },
      notRecorded: () => {
        this.#isStuck = true;
        mail.giveBack();
      },
    };
  }
}

/** Mail of teammates has them as its origin, even if the runtime has added a text. */
function mailOrigin(from: readonly string[]): MessageOrigin {
  const peers = from.filter((name) => name !== RUNTIME);
  return peers.length > 0 ? { kind: 'peer', from: peers.join(', ') } : { kind: 'auto-continuation' };
}

async function spawnTeammate(
  service: TeamService,
  leader: Thread,
  call: AgentCall,
  context: ToolContext,
): Promise<ToolOutput> {
  const team = service.team();
  if (!team) throw refusal('There is no team. TeamCreate starts one.');
  if (call.team_name !== undefined && team.name !== call.team_name) throw refusal(`Your team is called ${team.name}.`);
  if (leader.identity.agent) throw new ToolError('Only the one who leads the session starts teammates.');
  if (call.resume !== undefined) return joined(await team.resume(call.resume, call.prompt), team.name, 'goes on');
  if (call.name === undefined) throw refusal('How shall others call the teammate? Give its name.');
  const idle = team.members().filter(({ state }) => state === 'idle');
  checkRoom(leader, idle.length);
  parseModes(call.mode);
  const type = findType(agentTypes(leader.services.agents.sources), call.subagent_type);
  noteTogether(leader.services, type, 'as a teammate: it works beside its leader');
  const selected = await modelOf(leader, call.model ?? type.definition.model);
  const member = await team.spawn({
    name: call.name,
    agentType: type.name,
    model: selected.id,
    prompt: call.prompt,
    summary: call.description,
    cwd: context.workspace.cwd,
    planModeRequired: call.mode === 'plan',
    ...(call.mode !== undefined && { mode: call.mode }),
    transcriptId: leader.services.background.tasks.freshId('a'),
  });
  return joined(member, team.name, 'has joined the team and begins to work');
}

function joined(member: Member, team: string, what: string): ToolOutput {
  const text = `${member.name} ${what} (agent_id: ${member.agentId}). What it has to say comes to you by itself, as a message.`;
  return { content: [{ type: 'text', text }], data: spawnedOutput(member, team) };
}
