import { kindOfTrouble } from '../../agent/failures.ts';
import type { TurnEnd } from '../../agent/loop.ts';
import type { StopVerdict } from '../../agent/turn.ts';
import type { Hooks } from '../../hooks/dispatch.ts';
import type { HookOutcome } from '../../hooks/join-answers.ts';
import type { HookContext } from './hook-context.ts';
import { stopFields, summaryFields, verdictOf } from './hook-fields.ts';
import type { HookedThread } from './hooked-thread.ts';

/** Asks hooks when a turn ends. */
export class StopHooks {
  readonly #thread: HookedThread;
  readonly #fire: Hooks['fire'];
  readonly #context: HookContext;
  /** The last outcome of Stop hooks that is not recorded yet. */
  #summary: { outcome: HookOutcome; toolUseID: string } | null = null;
  #answeredAt: number | null = null;

  constructor(thread: HookedThread, fire: Hooks['fire'], context: HookContext) {
    this.#thread = thread;
    this.#fire = fire;
    this.#context = context;
  }

  /** When the last turn ended, by the clock of the session; null: there was none. */
  get answeredAt(): number | null {
    return this.#answeredAt;
  }

  async beforeStop(again: boolean, signal: AbortSignal): Promise<StopVerdict> {
    const { services, conversation } = this.#thread;
    const toolUseID = services.runtime.ids.uuid();
    const payload = { stop_hook_active: again, ...stopFields(conversation.messages, services.background.tasks) };
    const outcome = await this.#fire('Stop', payload, signal, toolUseID);
    if (outcome.runs.length > 0) this.#summary = { outcome, toolUseID };
    this.#context.add(outcome.contexts);
    return verdictOf(outcome);
  }

  /** Records the last outcome of Stop hooks. As in the reference, this happens when the conversation continues. */
  async recordSummary(): Promise<void> {
    const summary = this.#summary;
    this.#summary = null;
    if (!summary) return;
    const { services, conversation } = this.#thread;
    const uuid = services.runtime.ids.uuid();
    await conversation.events.system('stop_hook_summary', { ...summaryFields(summary), uuid });
  }

  /** Called when a turn has ended: fires StopFailure when the model could not answer. */
  async ended(end: TurnEnd, signal: AbortSignal): Promise<void> {
    this.#answeredAt = this.#thread.services.runtime.clock.now();
    if (end.kind === 'api_error')
      await this.#fire('StopFailure', { error: kindOfTrouble(end.failure), error_details: end.text }, signal);
  }

  /** Called when the conversation was cleared: drops its last outcome. */
  clear(): void {
    this.#summary = null;
  }
}
