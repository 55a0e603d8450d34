import type { Attachment } from '../../agent/attachment.ts';
import { userContent } from '../../agent/messages/api-messages.ts';
import type { HookOutcome } from '../../hooks/join-answers.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { HookedConversation } from './hooked-thread.ts';

/** The additions of hooks to the conversation: texts for the model, a title, and texts before the first message. */
export class HookContext {
  readonly #title: HookedConversation['title'];
  #contexts: string[] = [];
  /** Texts of SessionStart hooks that go before the next message. */
  #opening: string[] = [];

  constructor({ title }: Pick<HookedConversation, 'title'>) {
    this.#title = title;
  }

  /** Keeps texts for the model until the next request takes them. */
  add(contexts: readonly string[]): void {
    this.#contexts.push(...contexts);
  }

  /** Adds the texts and the title of an outcome. The title is recorded with the next prompt. */
  addWithTitle({ contexts, sessionTitle }: HookOutcome): void {
    this.add(contexts);
    if (sessionTitle !== null && sessionTitle !== this.#title.inForce) this.#title.pending = sessionTitle;
  }

  addOpening(texts: readonly string[]): void {
    this.#opening.push(...texts);
  }

  /** The texts since the last call, for the model. */
  take(): Attachment[] {
    const contexts = this.#contexts;
    this.#contexts = [];
    return contexts.map((content) => ({ type: 'hook_context', content }));
  }

  /** The message with the texts before it that SessionStart hooks have added. Each text is used once. */
  withOpening(input: UserInput): UserInput {
    if (this.#opening.length === 0) return input;
    const texts = this.#opening.map((text) => ({ type: 'text' as const, text }));
    this.#opening = [];
    return { ...input, message: { role: 'user', content: [...texts, ...userContent(input.message)] } };
  }

  /** The conversation was cleared, and so is what hooks have added to it. */
  clear(): void {
    this.#contexts = [];
  }
}
