import { teammatePrompt } from '../../agent/messages/agent-prompts.ts';
import { messageIdsIn } from '../../agent/team/mail.ts';
import type { Member } from '../../agent/team/member.ts';
import type { TeamRuntimePort } from '../../agent/team/member-loop.ts';
import type { Team } from '../../agent/team/team.ts';
import type { ApiMessage } from '../../model/model.ts';
import type { TaskHandle } from '../../tools/background/background-tasks.ts';
import { Aborted } from '../../util/abort.ts';
import { textOf } from '../../wire/api/text-of.ts';
import { agentTypes } from '../extensions/agent-kinds.ts';
import type { Thread } from '../thread/thread.ts';
import { purposeOf } from './agent-notes.ts';
import { agentOutputFile } from './agent-output.ts';
import { problemOf } from './agent-problem.ts';
import { agentServersByName } from './agent-servers.ts';
import { openAgentThread } from './open-agent-thread.ts';
import { runAgent } from './run-agent.ts';
import { findType, historyOf, historySource, modelOf } from './start-agent.ts';

/**
 * How often in a row a TeammateIdle hook can send a member back to work. Bounds the cost of a hook that always objects.
 */
const MAX_OBJECTIONS = 5;

/** The threads of the members of a team. A thread outlives the turns of its member. */
export class TeamMembers {
  readonly #leader: Thread;
  readonly #team: () => Team | null;
  readonly #threads = new Map<string, Promise<Thread>>();
  /** How often in a row hooks have objected to the idleness of a member, by name. */
  readonly #objections = new Map<string, number>();
  readonly #servers = agentServersByName();

  constructor(leader: Thread, team: () => Team | null) {
    this.#leader = leader;
    this.#team = team;
  }

  /** Runs one turn of a member, as a task in the background of the session. Resolves with its last text. */
  async runTurn(
    member: Member,
    prompt: string,
    how: Parameters<TeamRuntimePort['runTurn']>[2],
  ): Promise<{ text: string }> {
    const thread = await this.#threadOf(member);
    const task = await this.#beginTask(member, thread);
    try {
      return await this.#work({ member, thread, task }, prompt, how);
    } catch (error) {
      task.end({ status: how.signal.aborted ? 'killed' : 'failed' });
      throw error;
    }
  }

  /** Runs TeammateIdle hooks. Returns what the member must do instead of waiting; null: it may wait. */
  async mayIdle({ name }: Pick<Member, 'name'>): Promise<string | null> {
    const objections = this.#objections.get(name) ?? 0;
    if (objections >= MAX_OBJECTIONS) return null;
    const payload = { teammate_name: name, team_name: this.#team()?.name ?? '' };
    const { current: hooks } = this.#leader.hooks;
    const outcome = await hooks?.fire('TeammateIdle', payload, new AbortController().signal);
    this.#objections.set(name, outcome?.block ? objections + 1 : 0);
    return outcome?.block ?? null;
  }

  /** Closes the MCP servers of a member that is gone. */
  disconnect(name: string): Promise<void> {
    return this.#servers.close(name);
  }

  /** The ids of the messages that are in the transcript of a member, or of the leader (null). */
  async seenIds(member: Member | null): Promise<string[]> {
    if (member === null) return idsIn(this.#leader.conversation.messages);
    const history = await this.#historyOf(member);
    return history ? idsIn(history.messages([])) : [];
  }

  async #work(
    { member, thread, task }: { member: Member; thread: Thread; task: TaskHandle },
    prompt: string,
    { onRecorded, signal }: Parameters<TeamRuntimePort['runTurn']>[2],
  ): Promise<{ text: string }> {
    const { preferences } = this.#leader.services;
    await this.#servers.open(member.name, thread, signal);
    const { end, content, usage } = await runAgent(thread, {
      prompt,
      signal,
      forwardsLines: () => preferences.forwardsAgentText,
      onRecorded,
      onProgress: (soFar, lastToolName) => task.progress({ usage: soFar, lastToolName }),
    });
    const text = textOf(content);
    const problem = problemOf(end, false);
    const status = problem === null ? 'completed' : signal.aborted ? 'killed' : 'failed';
    task.end({ status, result: problem ?? text, usage });
    if (end.kind === 'interrupted') throw new Aborted('interrupt');
    if (problem !== null) throw new Error(problem);
    return { text };
  }

  async #beginTask(
    member: Member,
    { identity, conversation }: Pick<Thread, 'identity' | 'conversation'>,
  ): Promise<TaskHandle> {
    const { id, type } = identity.agent ?? { id: member.name, type: member.agentType };
    return this.#leader.services.background.tasks.begin({
      id,
      type: 'in_process_teammate',
      description: member.name,
      toolUseId: id,
      ...(await agentOutputFile(conversation.transcript)),
      agent: { type, prompt: member.prompt, depth: 1 },
      isBackgrounded: true,
      stop: () => void this.#team()?.abort(member.name),
    });
  }

  /** After a restart, the thread is made from the member's transcript. */
  #threadOf(member: Member): Promise<Thread> {
    const known = this.#threads.get(member.name);
    if (known) return known;
    const opening = this.#openThread(member);
    this.#threads.set(member.name, opening);
    opening.catch(() => this.#threads.delete(member.name));
    return opening;
  }

  async #openThread(member: Member): Promise<Thread> {
    const leader = this.#leader;
    const { agents, background } = leader.services;
    const type = findType(agentTypes(agents.sources), member.agentType);
    const id = member.transcriptId ?? background.tasks.freshId('a');
    const { purpose, notes } = await purposeOf(leader, type);
    return openAgentThread(leader, {
      info: { id, type: type.name, depth: 1, toolUseId: id, description: member.name, teammate: member.name },
      type,
      systemPrompt: teammatePrompt(purpose, { name: member.name, team: this.#team()?.name ?? '' }),
      notes,
      selected: await modelOf(leader, member.model),
      maxTurns: type.definition.maxTurns,
      mode: member.planModeRequired ? 'plan' : member.mode,
      history: await this.#historyOf(member),
    });
  }

  /** Null when the member has no transcript yet. */
  async #historyOf({ transcriptId }: Member) {
    const { key, store } = this.#leader.conversation.transcript;
    const exists = transcriptId !== undefined && (await store.exists({ ...key, agentId: transcriptId }));
    return exists ? historyOf(historySource(this.#leader), transcriptId) : null;
  }
}

function idsIn(messages: readonly ApiMessage[]): string[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'user') return [];
    return content.flatMap((block) => (block.type === 'text' ? messageIdsIn(block.text) : []));
  });
}
