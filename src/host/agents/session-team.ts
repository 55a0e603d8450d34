import { teammatePrompt } from '../../agent/agent-prompts.ts';
import type { LeaderMail } from '../../agent/team/leader-desk.ts';
import { LEADER, messageIdsIn, RUNTIME } from '../../agent/team/mail.ts';
import type { Member } from '../../agent/team/member.ts';
import type { TeamSeams } from '../../agent/team/member-loop.ts';
import { createTeamRoom, type TeamRoom } from '../../agent/team/room.ts';
import { spawnedOutput } from '../../agent/team/spawned-output.ts';
import { hasEnded } from '../../agent/team/states.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { AgentCall } from '../../tools/agent.ts';
import type { TeamPort } from '../../tools/team-port.ts';
import { refusal, type ToolContext, ToolError, type ToolOutput } from '../../tools/tool.ts';
import { Aborted } from '../../util/abort.ts';
import { messageOf } from '../../util/message-of.ts';
import type { MessageOrigin } from '../../wire/messages/common.ts';
import type { Parts } from '../parts.ts';
import type { News } from '../session-tasks.ts';
import type { SessionTeam } from '../team.ts';
import { noteTogether } from './agent-isolation.ts';
import { purposeOf } from './agent-notes.ts';
import { agentOutputFile } from './agent-output.ts';
import { modesFrom } from './agent-permissions.ts';
import { problemOf } from './agent-problem.ts';
import { keepAgentServers } from './agent-servers.ts';
import { agentTypes } from './agent-types.ts';
import { childParts } from './child-parts.ts';
import { runAgent } from './run-agent.ts';
import { checkRoom, findType, modelOf, pastOf } from './start-agent.ts';

/**
 * The team that a session leads: its members are agents that live on between their turns, and what they send to the
 * leader becomes a turn of the session. `parts` is asked late.
 */
export function openSessionTeam(leader: () => Parts, home: string): SessionTeam {
  const children = new Map<string, Promise<Parts>>();
  const objected = new Map<string, number>();
  const servers = keepAgentServers();
  let restored: Promise<unknown> | null = null;
  let hasInputEnded = false;
  let isSpent = false;
  /** Everybody waits for mail, and there is none. */
  let isQuiet = false;
  /** Mail could not be told: it is not waited for that this gets better by itself. */
  let isStuck = false;
  /** Mail that was told is still marked as unread. */
  let hasUnmarked = false;

  const seams: TeamSeams = {
    runtime: leader().runtime,
    runTurn: (member, prompt, how) => runMemberTurn(member, prompt, how),
    wakeLeader() {
      isQuiet = false;
      team.onNews();
    },
    async onIdle({ name }) {
      const { hooks } = leader();
      const objections = objected.get(name) ?? 0;
      if (objections >= MAX_OBJECTIONS) return null;
      const payload = { teammate_name: name, team_name: room.team()?.name ?? '' };
      const outcome = await hooks?.fire('TeammateIdle', payload, new AbortController().signal);
      objected.set(name, outcome?.block ? objections + 1 : 0);
      return outcome?.block ?? null;
    },
    onGone: (name) => servers.close(name),
    async seenIds(member) {
      if (member === null) return idsIn(leader().messages);
      const past = await pastIfAny(member);
      return past ? idsIn(past.messages([])) : [];
    },
  };
  const room: TeamRoom = createTeamRoom({
    home,
    leadSessionId: leader().sessionId,
    leadModel: () => leader().chosen.id,
    cwd: leader().workspace.cwd,
    seams,
    async sendToAgent(name, { from, content }) {
      const box = leader().agentMail.get(name);
      box?.push(`Message from ${from}:\n${content}`);
      return box !== undefined;
    },
  });

  async function pastIfAny({ transcriptId }: Member) {
    const { transcript } = leader();
    const isThere =
      transcriptId !== undefined && (await transcript.store.exists({ ...transcript.key, agentId: transcriptId }));
    return isThere ? pastOf(leader(), transcriptId) : null;
  }

  /** A member's parts outlive its turns, as those of a session do; after a restart they are made of its transcript. */
  function childOf(member: Member): Promise<Parts> {
    const known = children.get(member.name);
    if (known) return known;
    const made = makeChild(member);
    children.set(member.name, made);
    made.catch(() => children.delete(member.name));
    return made;
  }

  async function makeChild(member: Member): Promise<Parts> {
    const parent = leader();
    const type = findType(agentTypes(parent), member.agentType);
    const id = member.transcriptId ?? parent.toolSession.backgroundTasks.freshId('a');
    const { purpose, notes } = await purposeOf(parent, type);
    return childParts(parent, {
      facts: { id, type: type.name, depth: 1, toolUseId: id, description: member.name, teammate: member.name },
      type,
      systemPrompt: teammatePrompt(purpose, { name: member.name, team: room.team()?.name ?? '' }),
      notes,
      chosen: await modelOf(parent, member.model),
      maxTurns: type.definition.maxTurns,
      mode: member.planModeRequired ? 'plan' : member.mode,
      past: await pastIfAny(member),
    });
  }

  async function runMemberTurn(
    member: Member,
    prompt: string,
    { onRecorded, signal }: Parameters<TeamSeams['runTurn']>[2],
  ): Promise<{ text: string }> {
    const child = await childOf(member);
    const { id, type } = child.agent ?? { id: member.name, type: member.agentType };
    const task = leader().toolSession.backgroundTasks.begin({
      id,
      type: 'in_process_teammate',
      description: member.name,
      toolUseId: id,
      ...(await agentOutputFile(child)),
      agent: { type, prompt: member.prompt, depth: 1 },
      isBackgrounded: true,
      stop: () => void room.team()?.abort(member.name),
    });
    try {
      await servers.open(member.name, child, signal);
      const { end, content, usage } = await runAgent(child, {
        prompt,
        signal,
        isTold: () => child.forwardsAgentText,
        onRecorded,
        onProgress: (soFar, lastToolName) => task.progress({ usage: soFar, lastToolName }),
      });
      const text = content.map((each) => each.text).join('\n');
      const problem = problemOf(end, false);
      task.end({
        status: problem === null ? 'completed' : signal.aborted ? 'killed' : 'failed',
        result: problem ?? text,
        usage,
      });
      if (end.kind === 'interrupted') throw new Aborted('interrupt');
      if (problem !== null) throw new Error(problem);
      return { text };
    } catch (error) {
      task.end({ status: signal.aborted ? 'killed' : 'failed' });
      throw error;
    }
  }

  /** As long as it is not recorded it stays unread on disk, for the next turn or for whoever resumes the session. */
  function newsOf(mail: LeaderMail): News {
    return {
      text: mail.prompt,
      lines: [],
      origin: mailOrigin(mail.from),
      async delivered() {
        try {
          await mail.acknowledge();
        } catch (error) {
          leader().runtime.log('warn', `Mail of the team could not be marked as read: ${messageOf(error)}`);
          hasUnmarked = true; // the transcript has it, so it can be told from what is new
          mail.giveBack();
        }
      },
      undelivered() {
        isStuck = true;
        mail.giveBack();
      },
    };
  }

  const team: SessionTeam = {
    onNews: () => {},
    portOf: (member): TeamPort => room.port(member ?? LEADER),
    name: () => room.team()?.name ?? null,
    async spawn(call, context) {
      return spawnTeammate(room, leader(), call, context);
    },
    async begin({ isLast }) {
      restored ??= leader().transcript.hasPast ? room.restore() : Promise.resolve();
      await restored;
      isSpent = false;
      isQuiet = false;
      isStuck = false;
      if (!isLast) await room.team()?.inputArrived();
    },
    active: () => (room.team()?.active() ?? []).map(({ name, transcriptId }) => ({ id: transcriptId ?? name, name })),
    inputEnded() {
      hasInputEnded = true;
    },
    isOpen: () =>
      !isSpent &&
      !isStuck &&
      (room
        .team()
        ?.members()
        .some(({ state }) => !hasEnded(state)) ??
        false),
    isQuiet: () => isQuiet,
    async take() {
      const current = room.team();
      if (!current) return null;
      if (hasUnmarked) await current.skipSeen();
      hasUnmarked = false;
      const mail = (await current.leaderMail()) ?? (hasInputEnded ? await current.inputEnded() : null);
      if (mail) return newsOf(mail);
      isQuiet = await current.isSettled();
      // Told once, and all of them wait for nothing: what is on disk stays, but nobody is waited for.
      isSpent = hasInputEnded && isQuiet;
      return null;
    },
    close: () => room.close(),
  };
  return team;
}

/** Mail of teammates is theirs, also where the runtime has added a word of its own. */
function mailOrigin(from: readonly string[]): MessageOrigin {
  const peers = from.filter((name) => name !== RUNTIME);
  return peers.length > 0 ? { kind: 'peer', from: peers.join(', ') } : { kind: 'auto-continuation' };
}

/** How often in a row a TeammateIdle hook can send a member back to work: one that always objects must not run up a bill. */
const MAX_OBJECTIONS = 5;

function idsIn(messages: readonly ApiMessage[]): string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'user') return [];
    return content.flatMap((block) => (block.type === 'text' ? messageIdsIn(block.text) : []));
  });
}

async function spawnTeammate(
  room: TeamRoom,
  leader: Parts,
  call: AgentCall,
  context: ToolContext,
): Promise<ToolOutput> {
  const team = room.team();
  if (!team) throw refusal('There is no team. TeamCreate starts one.');
  if (call.team_name !== undefined && team.name !== call.team_name) throw refusal(`Your team is called ${team.name}.`);
  if (leader.agent) throw new ToolError('Only the one who leads the session starts teammates.');
  if (call.resume !== undefined) return joined(await team.resume(call.resume, call.prompt), team.name, 'goes on');
  if (call.name === undefined) throw refusal('How shall others call the teammate? Give its name.');
  const idle = team.members().filter(({ state }) => state === 'idle');
  checkRoom(leader, idle.length);
  modesFrom(call.mode);
  const type = findType(agentTypes(leader), call.subagent_type);
  noteTogether(leader, type, 'as a teammate: it works beside its leader');
  const chosen = await modelOf(leader, call.model ?? type.definition.model);
  const { backgroundTasks } = leader.toolSession;
  const member = await team.spawn({
    name: call.name,
    agentType: type.name,
    model: chosen.id,
    prompt: call.prompt,
    summary: call.description,
    cwd: context.workspace.cwd,
    planModeRequired: call.mode === 'plan',
    ...(call.mode !== undefined && { mode: call.mode }),
    transcriptId: backgroundTasks.freshId('a'),
  });
  return joined(member, team.name, 'has joined the team and begins to work');
}

function joined(member: Member, team: string, what: string): ToolOutput {
  const text = `${member.name} ${what} (agent_id: ${member.agentId}). What it has to say comes to you by itself, as a message.`;
  return { content: [{ type: 'text', text }], data: spawnedOutput(member, team) };
}
