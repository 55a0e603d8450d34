import { isObject, type JsonObject, stringField } from '../util/json.ts';
import type { Send } from './rpc-link.ts';

/** The session of an agent, as editors know it: nothing is opened or asked by this id. */
export function agentSession(sessionId: string, call: string): string {
  return `${sessionId}:${call}`;
}

/** Agents as sessions below the one that runs them, for editors that show them so. An agent is named by its call. */
export class SubagentUpdates {
  readonly #send: Send;
  /** Each agent with the call whose agent runs it; null: the session itself does. */
  readonly #known = new Map<string, string | null>();
  readonly #running = new Set<string>();

  constructor(send: Send) {
    this.#send = send;
  }

  has(call: string): boolean {
    return this.#known.has(call);
  }

  /** Announces the agent in the session that runs it, before anything of it; then sends its instructions. */
  begin(call: string, input: unknown, parent: string | null): Promise<void> | undefined {
    if (this.has(call)) return undefined;
    this.#known.set(call, parent);
    this.#running.add(call);
    const title = stringField(input, 'description');
    const description = stringField(input, 'subagent_type');
    void this.#tell(call, {
      ...(title && { title }),
      ...(description && { description }),
      state: { state: 'running' },
    });
    return this.#chunk(call, 'user_message_chunk', stringField(input, 'prompt') ?? '');
  }

  says(call: string, text: string): Promise<void> | undefined {
    return this.#chunk(call, 'agent_message_chunk', text);
  }

  thinks(call: string, text: string): Promise<void> | undefined {
    return this.#chunk(call, 'agent_thought_chunk', text);
  }

  /** `result`: what the call has returned; an agent in the background works on then. */
  end(call: string, result: unknown): void {
    if (isObject(result) && result.status === 'async_launched') return;
    if (this.#running.delete(call)) void this.#tell(call, { state: { state: 'idle' } });
  }

  #tell(call: string, fields: JsonObject): Promise<void> | undefined {
    return this.#send({ sessionUpdate: 'subagent_update', sessionId: call, ...fields }, this.#known.get(call) ?? null);
  }

  #chunk(call: string, sessionUpdate: string, text: string): Promise<void> | undefined {
    if (text === '') return undefined;
    return this.#send({ sessionUpdate, content: { type: 'text', text } }, call);
  }
}
