import type { Attachment } from '../../agent/attachment.ts';
import type { StopVerdict } from '../../agent/turn.ts';
import type { HookOutcome } from '../../hooks/fold.ts';
import type { AgentFacts } from '../assemble.ts';
import type { SessionHooks } from '../hooks.ts';

export interface AgentHooks extends SessionHooks {
  /** The agent begins: SubagentStart, which may tell it something. */
  started(signal: AbortSignal): Promise<void>;
}

/**
 * The hooks of the session as an agent meets them: all they are told says which agent it is, its end is a SubagentStop
 * instead of a Stop, and what they add goes into its own conversation.
 */
export function agentHooks(hooks: SessionHooks, agent: AgentFacts, transcriptPath: string): AgentHooks {
  let contexts: string[] = [];
  const facts = { agent_id: agent.id, agent_type: agent.type };
  const fire: SessionHooks['fire'] = (event, payload, signal, toolUseId) =>
    hooks.fire(event, { ...payload, ...facts }, signal, toolUseId);
  const collect = (outcome: HookOutcome) => {
    contexts.push(...outcome.contexts);
  };
  return {
    ...hooks,
    fire,
    async started(signal) {
      collect(await fire('SubagentStart', {}, signal));
    },
    takeContexts() {
      const taken = contexts.map((content): Attachment => ({ type: 'hook_context', content }));
      contexts = [];
      return taken;
    },
    async beforeStop(again, signal): Promise<StopVerdict> {
      const payload = { stop_hook_active: again, agent_transcript_path: transcriptPath };
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
