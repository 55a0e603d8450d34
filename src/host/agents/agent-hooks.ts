import type { Attachment } from '../../agent/attachment.ts';
import type { StopVerdict } from '../../agent/turn.ts';
import { factsOf } from '../../hooks/events.ts';
import type { HookOutcome } from '../../hooks/fold.ts';
import { isObject } from '../../util/json.ts';
import type { GivenHooks, SessionHooks } from '../hooks.ts';
import { stopFields } from '../hooks-fields.ts';
import type { AgentFacts, Parts } from '../parts.ts';

export interface AgentHooks extends SessionHooks {
  /** The agent begins: SubagentStart, which may tell it something. */
  started(signal: AbortSignal): Promise<void>;
  /** It is over, and so are the hooks that were there for it. */
  finished(): void;
}

export interface AgentHooksOptions {
  agent: AgentFacts;
  /** Asked late. */
  parts(): Parts;
  /** What agents of its kind bring along. */
  own: GivenHooks | null;
  transcriptPath: string;
}

/**
 * The hooks of the session as an agent meets them: all they are told says which agent it is and in which mode, its end is
 * a SubagentStop instead of a Stop, and what they add goes into its own conversation. Those of its kind and of skills
 * that it uses are there for this agent only.
 */
export function agentHooks(hooks: SessionHooks, { agent, parts, own, transcriptPath }: AgentHooksOptions): AgentHooks {
  let contexts: string[] = [];
  hooks.agents.set(agent.id, parts);
  // Behind come those of the one that it works for, which is an agent as well: the innermost speaks.
  const fire: SessionHooks['fire'] = (event, payload, signal, toolUseId) => {
    const mode = factsOf(event).hasMode ? { permission_mode: parts().permissions.policy.mode } : {};
    // Its own: it may have a worktree, and paths of its calls are relative to that.
    const cwd = parts().toolSession.shellDirectory.current();
    const facts = { ...mode, cwd, agent_id: agent.id, agent_type: agent.type };
    return hooks.fire(event, { ...facts, ...payload }, signal, toolUseId);
  };
  const collect = (outcome: HookOutcome) => {
    contexts.push(...outcome.contexts);
  };
  return {
    ...hooks,
    fire,
    addForTurn: (given, source) => hooks.addForAgent(agent.id, given, source),
    async started(signal) {
      if (own) hooks.addForAgent(agent.id, endingAsAgent(own.given), own.source);
      collect(await fire('SubagentStart', {}, signal));
    },
    finished: () => hooks.removeForAgent(agent.id),
    takeContexts() {
      const taken = contexts.map((content): Attachment => ({ type: 'hook_context', content }));
      contexts = [];
      return taken;
    },
    async beforeStop(again, signal): Promise<StopVerdict> {
      const payload = { stop_hook_active: again, agent_transcript_path: transcriptPath, ...stopFields(parts()) };
      const outcome = await fire('SubagentStop', payload, signal);
      collect(outcome);
      if (outcome.stop) return { kind: 'end', reason: outcome.stop.reason };
      if (outcome.block === null) return { kind: 'stop' };
      return { kind: 'continue', feedback: `SubagentStop hook feedback:\n${outcome.block}` };
    },
    // What belongs to the session as a whole is its own affair.
    begin: async () => {},
    submit: async () => null,
    ended: async () => {},
    cleared: async () => {},
    end: async () => {},
  };
}

/** Who writes hooks into the file of an agent means with Stop the end of that agent. */
function endingAsAgent(given: unknown): unknown {
  if (!isObject(given) || given.Stop === undefined) return given;
  const { Stop, SubagentStop = [], ...others } = given;
  const lists = [SubagentStop, Stop].map((list) => (Array.isArray(list) ? list : [list]));
  return { ...others, SubagentStop: lists.flat() };
}
