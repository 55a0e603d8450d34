import { lineIds, type SystemFields, type SystemSubtype, systemLine } from '../../agent/system-line.ts';
import type { Runtime } from '../../util/runtime.ts';
import type { Message } from '../../wire/messages/index.ts';
import type { UserInput } from '../../wire/messages/user.ts';
import type { PermissionMode } from '../../wire/permissions.ts';
import type { SessionOptions } from '../launch/session-options.ts';
import { type LifecycleState, lifecycleLines, replayLine } from './message-lifecycle.ts';

/** Sends a line. Undefined when the caller need not wait. */
export type Emit = (message: Message) => Promise<void> | undefined;

export interface OutboxOptions {
  emit: Emit;
  runtime: Runtime;
  sessionId: string;
  options: Pick<SessionOptions, 'replayUserMessages' | 'stateLines'>;
  /** The lines that follow the first init line; null: there are none. */
  introduction: (() => Promise<Iterable<Message>>) | null;
}

/** Sends the lines of a session, one after the other. */
export class Outbox {
  readonly #made: OutboxOptions;
  readonly #sendListeners: ((line: Message) => void)[] = [];
  readonly #goneListeners: (() => void)[] = [];
  /** The replay of the prompt, which goes out after the first line of its turn. */
  #heldReplay: Message | null = null;
  /** Whether the introduction has followed the first init line. */
  #isIntroduced = false;
  /** The state apart from questions. */
  #state: 'idle' | 'running' = 'idle';
  /** How many questions to the host are open. */
  #questions = 0;
  #announcedState = '';

  constructor(made: OutboxOptions) {
    this.#made = made;
  }

  /** Calls the listener with every line, before the line is sent. */
  onSend(listener: (line: Message) => void): void {
    this.#sendListeners.push(listener);
  }

  /** Calls the listener when a line cannot be sent any more, because the reader is gone. */
  onGone(listener: () => void): void {
    this.#goneListeners.push(listener);
  }

  send(message: Message): Promise<void> | undefined {
    const held = this.#heldReplay;
    this.#heldReplay = null;
    for (const listener of this.#sendListeners) listener(message);
    if (held) this.send(held)?.catch(() => {}); // the message itself reports a reader that is gone
    return this.#made.emit(message)?.catch((error) => {
      for (const listener of this.#goneListeners) listener();
      throw error;
    });
  }

  /** Sends a system line without waiting. A reader that is gone is no error here. */
  notify<Subtype extends SystemSubtype>(subtype: Subtype, fields: SystemFields<Subtype>): void {
    this.send(systemLine(lineIds(this.#made), subtype, fields))?.catch(() => {});
  }

  /** Repeats a prompt to the host after the next line, where the host wants that. */
  replay(input: UserInput, uuid: string): void {
    if (this.#made.options.replayUserMessages) this.#heldReplay = replayLine(input, uuid, this.#made);
  }

  /** Sends the line that opens a turn. The introduction follows the first one. */
  async open(init: Message): Promise<void> {
    await this.send(init);
    const { introduction } = this.#made;
    if (this.#isIntroduced || !introduction) return;
    this.#isIntroduced = true;
    for (const line of await introduction()) await this.send(line);
  }

  async announceLifecycle(input: UserInput, state: LifecycleState): Promise<void> {
    const { sessionId, runtime } = this.#made;
    for (const line of lifecycleLines(input, [state], () => runtime.ids.uuid(), sessionId)) await this.send(line);
  }

  /** A turn begins. */
  announceRunning(): void {
    this.#state = 'running';
    this.#announceState();
  }

  /** Nothing is at work, and no turn begins by itself. Hosts may end the input at this line. */
  announceIdle(): void {
    if (this.#state === 'idle') return;
    this.#state = 'idle';
    this.#announceState();
  }

  /** A question to the host begins. */
  announceQuestion(): void {
    this.#questions++;
    this.#announceState();
  }

  /** A question is over. Restores the state from before it, which is idle where an agent or the host asked outside of a turn. */
  announceAnswer(): void {
    this.#questions--;
    this.#announceState();
  }

  /** Sends the state of the session when it has changed, to hosts that read it. */
  #announceState(): void {
    const { stateLines } = this.#made.options;
    const state = this.#questions > 0 ? 'requires_action' : this.#state;
    if (stateLines === 'none' || state === this.#announcedState) return;
    this.#announcedState = state;
    this.notify('session_state_changed', { state, ...(stateLines === 'sdk' && { sdk_host_only: true }) });
  }

  announceMode(permissionMode: PermissionMode): void {
    this.notify('status', { status: null, permissionMode });
  }
}
