import type { MessageOrigin } from '../../wire/messages/common.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';

/** Begins turns without a prompt: ends of tasks, objections of hooks, messages of a team. */
export class TurnTriggers {
  readonly #sources: TriggerSource[] = [];
  readonly #listeners: (() => void)[] = [];

  /** In the order in which the session takes from them. */
  get sources(): readonly TriggerSource[] {
    return this.#sources;
  }

  add(source: TriggerSource): void {
    this.#sources.push(source);
  }

  /** Called when something happened that may begin a turn. */
  wake(): void {
    for (const listener of this.#listeners) listener();
  }

  onWake(listener: () => void): void {
    this.#listeners.push(listener);
  }
}

/** Something that happened outside of the conversation, and that the model should act on. */
export interface TurnTrigger {
  /** The prompt for the model. */
  text: string;
  /** Lines for the host, sent before the turn. */
  lines: Message[];
  /** The origin that the result of the turn names. */
  origin: MessageOrigin;
  /** Called before the prompt is recorded under this uuid. */
  beforeRecord?(uuid: string): Promise<void>;
  /** Called when the prompt is on disk: the trigger is used up. */
  recorded?(): Promise<void>;
  /** Called when no turn was recorded: the trigger is returned again, together with the next one. */
  notRecorded?(): void;
}

/** A source of turns that no prompt of the user begins. */
export interface TriggerSource {
  /** Takes everything that waits, as one trigger; null: nothing waits. */
  take(): Promise<TurnTrigger | null>;
  /** Whether a trigger may still come: something is at work, or waits. */
  isOpen(): boolean;
  /** Holds everything that waits until the next message. */
  postpone?(): void;
  /** Whether all open work only waits for a message. Absent: open work always leads to a trigger. */
  isQuiet?(): boolean;
  /** The session is over: later events are ignored. */
  close?(): Promise<void> | void;
}

/** The prompt of a trigger. Nothing in it is expanded or read as a command. */
export function triggerPrompt({ text, origin }: TurnTrigger): UserInput {
  return { type: 'user', message: { role: 'user', content: text }, isSynthetic: true, client_composed: true, origin };
}
