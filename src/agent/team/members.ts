import { ToolError } from '../../tools/tool.ts';
import type { Aborted } from '../../util/abort.ts';
import { LEADER } from './mail.ts';
import { colorOf, type Member, nameProblem } from './member.ts';
import { endMember, type LoopParts, reportState, runMember } from './member-loop.ts';
import { hasEnded, isActive } from './states.ts';

export interface NewMember {
  name: string;
  agentType: string;
  model: string;
  prompt: string;
  /** The subject of the first turn, in a few words. */
  summary?: string;
  cwd: string;
  planModeRequired?: boolean;
  mode?: string;
  transcriptId?: string;
}

/** The members of a team and the turns that they run. */
export interface TeamMembers {
  spawn(member: NewMember): Promise<Member>;
  resume(nameOrId: string, prompt: string): Promise<Member>;
  /** Restarts the members of an earlier process. Members whose turn was cut off are reported as crashed. */
  restore(): Promise<void>;
  /** Stops one member or all, and resolves when they have stopped. */
  abort(who: string | 'all', reason: Aborted): Promise<void>;
  /** Resolves when the members that agreed to stop have stopped. */
  left(): Promise<void>;
}

interface Run {
  controller: AbortController;
  /** Never rejects. */
  done: Promise<void>;
}

export function createTeamMembers(parts: LoopParts): TeamMembers {
  const { roster, mailbox, port, isClosed } = parts;
  const { clock, ids } = port.runtime;
  const runs = new Map<string, Run>();

  /** The run is registered at once, so that it can be aborted while it is prepared. */
  async function launch(name: string, prepare: () => Promise<void>): Promise<void> {
    const controller = new AbortController();
    const ready = prepare();
    const done = ready.then(
      () => (isClosed() ? undefined : runMember(name, parts, controller.signal)),
      (error: unknown) => endMember(name, error, parts),
    );
    runs.set(name, { controller, done });
    await ready;
  }

  async function restoreMember(name: string): Promise<void> {
    const before = roster.get(name);
    await mailbox.acknowledge(name, await port.seenIds(before));
    const isCut = before.state === 'working' || before.state === 'asked';
    await roster.move(name, 'restored', isCut ? { trouble: 'its process ended in the middle of a turn' } : {});
    const isForgotten = roster.get(name).state === 'starting' && (await mailbox.unread(name)).length === 0;
    if (isForgotten) await roster.move(name, 'crashed', { trouble: 'its process ended before it had any mail' });
    await reportState(name, parts); // its last process may have died before it could
  }

  return {
    async spawn({ summary, ...fields }) {
      const { name: team, members } = roster.record();
      refuseName(fields.name, members);
      const member: Member = {
        ...fields,
        agentId: `${fields.name}@${team}`,
        color: colorOf(members.length),
        planModeRequired: fields.planModeRequired ?? false,
        joinedAt: clock.now(),
        state: 'starting',
        turnId: ids.uuid(),
        requests: [],
      };
      await launch(member.name, async () => {
        await roster.add(member);
        const about = summary === undefined ? {} : { summary };
        await mailbox.post(member.name, { from: LEADER, text: member.prompt, ...about });
      });
      return member;
    },
    async resume(nameOrId, prompt) {
      const { members } = roster.record();
      const found = members.find(({ name, agentId }) => name === nameOrId || agentId === nameOrId);
      if (found === undefined) throw new ToolError(`There is no teammate ${JSON.stringify(nameOrId)}.`);
      const { name } = found;
      if (hasEnded(found.state)) await runs.get(name)?.done; // it may still be reporting its end
      const { state } = roster.get(name);
      if (!hasEnded(state)) throw new ToolError(`${name} is ${state}. Send it a message instead.`);
      await launch(name, async () => {
        await roster.move(name, 'resumed', { turnId: ids.uuid(), requests: [], trouble: undefined });
        const seen = [...(await port.seenIds(roster.get(name)))];
        await mailbox.acknowledge(name, seen);
        const isNew = seen.length === 0 && (await mailbox.unread(name)).length === 0;
        // Posted again, because its process may have died before it received its task.
        if (isNew) await mailbox.post(name, { from: LEADER, text: found.prompt });
        await mailbox.post(name, { from: LEADER, text: prompt });
      });
      return roster.get(name);
    },
    async restore() {
      for (const { name } of roster.record().members) await restoreMember(name);
      const alive = roster.record().members.filter(({ state }) => !hasEnded(state));
      for (const { name } of alive) await launch(name, async () => {});
    },
    async abort(who, reason) {
      const names = who === 'all' ? [...runs.keys()] : [who.replace(/@.*$/, '')];
      const chosen = names.map((name) => runs.get(name)).filter((run) => run !== undefined);
      for (const { controller } of chosen) controller.abort(reason);
      await Promise.all(chosen.map(({ done }) => done));
    },
    async left() {
      const leaving = roster.record().members.filter(({ state }) => state === 'leaving');
      await Promise.all(leaving.map(({ name }) => runs.get(name)?.done));
    },
  };
}

/** Compares without case, because file systems may not distinguish it. */
function refuseName(name: string, members: readonly Member[]): void {
  const problem = nameProblem(name);
  if (problem !== null) throw new ToolError(`${JSON.stringify(name)} cannot be the name of a teammate. ${problem}`);
  const other = members.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (other === undefined) return;
  const advice = hasEnded(other.state) ? `Call Task with resume "${other.agentId}", or` : 'Send it a message, or';
  const state = isActive(other.state) ? 'at work' : other.state;
  throw new ToolError(`There is a teammate ${other.name} already (${state}). ${advice} choose another name.`);
}
