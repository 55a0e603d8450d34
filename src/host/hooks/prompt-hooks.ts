import { resultLine } from '../../agent/result.ts';
import { emptyTally } from '../../agent/turn.ts';
import type { Hooks } from '../../hooks/dispatch.ts';
import { type HookOutcome, NOTHING } from '../../hooks/join-answers.ts';
import { printable } from '../../util/text/printable.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { CalledPrompt } from '../extensions/extensions.ts';
import type { HookContext } from './hook-context.ts';
import { blockedLine, expansionFields, isHeldUp, promptText } from './hook-fields.ts';
import type { HookedThread } from './hooked-thread.ts';
import { promptFields } from './start-fields.ts';

/** The lines that answer a prompt which a hook has blocked. */
export interface BlockedPrompt {
  line: Message;
  result: Message;
}

/** Asks hooks whether a prompt may be sent, and before that whether its command may be expanded. */
export class PromptHooks {
  readonly #thread: HookedThread;
  readonly #fire: Hooks['fire'];
  readonly #context: HookContext;
  #promptId: string | null = null;
  /** Set when a SessionStart hook wants the first turn to end before it begins. */
  #startStop: HookOutcome['stop'] = null;

  constructor(thread: HookedThread, fire: Hooks['fire'], context: HookContext) {
    this.#thread = thread;
    this.#fire = fire;
    this.#context = context;
  }

  /** The id of the prompt that is being answered; null before the first one. */
  get promptId(): string | null {
    return this.#promptId;
  }

  /** Sets the decision of SessionStart hooks about the turn that begins; null: the turn may run. */
  stopAtStart(stop: HookOutcome['stop']): void {
    this.#startStop = stop;
  }

  /** Null: the prompt may be sent. */
  async submit(input: UserInput, signal: AbortSignal, called?: CalledPrompt | null): Promise<BlockedPrompt | null> {
    this.#promptId = input.uuid ?? this.#newId();
    const prompt = promptText(input);
    const expansion = called
      ? await this.#fire('UserPromptExpansion', expansionFields(called, prompt), signal)
      : NOTHING;
    const outcome = isHeldUp(expansion)
      ? expansion
      : await this.#fire('UserPromptSubmit', { prompt, ...promptFields(this.#thread, input) }, signal);
    const stop = this.#startStop ?? outcome.stop;
    const reason = outcome.block ?? (stop && (stop.reason || 'A hook stopped it'));
    if (reason !== null) return this.#block(prompt, reason, outcome, this.#blockedBy(outcome, expansion));
    this.#context.add(expansion.contexts);
    this.#context.addWithTitle(outcome);
    return null;
  }

  #blockedBy(outcome: HookOutcome, expansion: HookOutcome): string {
    if (this.#startStop && outcome.block === null) return 'SessionStart';
    return outcome === expansion ? 'UserPromptExpansion' : 'UserPromptSubmit';
  }

  /** Records that the prompt was blocked, and makes the lines that report it. */
  async #block(prompt: string, reason: string, { hidesPrompt }: HookOutcome, by: string): Promise<BlockedPrompt> {
    const { services, conversation, budget } = this.#thread;
    const { id: sessionId, runtime, preferences } = services;
    runtime.log('warn', printable(`The prompt was not sent: ${reason}`));
    const repeated = hidesPrompt ? '' : `\n\nThe prompt: ${prompt}`;
    const content = `A ${by} hook did not let this prompt through: ${reason}${repeated}`;
    const uuid = this.#newId();
    await conversation.events.system('informational', { content, isMeta: false, level: 'warning', uuid });
    // No line of the user was recorded, so that the result counts no turn.
    const tally = { ...emptyTally(), userLines: -1 };
    const { dialect } = preferences;
    const details = { sessionId, uuid: this.#newId(), durationMs: 0, dialect, ledger: budget.ledger, tally };
    const result = resultLine({ kind: 'hook_stopped', reason }, details);
    return { line: blockedLine(reason, { uuid, sessionId }), result };
  }

  #newId(): string {
    return this.#thread.services.runtime.ids.uuid();
  }
}
