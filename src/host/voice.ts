import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { PermissionMode } from '../wire/permissions.ts';
import { type LifecycleState, lifecycleLines, replayLine } from './lifecycle.ts';
import type { Parts } from './parts.ts';
import { noteSpoken } from './record-input.ts';

/** Undefined when nothing has to be waited for. */
export type Emit = (message: Message) => Promise<void> | undefined;

/** What a session says, one line after the other. */
export class Voice {
  readonly #parts: Parts;
  readonly #emit: Emit;
  readonly #onGone: () => void;
  /** The echo of the prompt goes out with the first line of its turn (wire.md 5.3). */
  #heldReplay: Message | null = null;
  /** The first init line was said, and what goes with it. */
  #isIntroduced = false;
  /** Questions apart. */
  #state: 'idle' | 'running' = 'idle';

  /** `onGone`: nobody listens any more. */
  constructor(parts: Parts, emit: Emit, onGone: () => void) {
    this.#parts = parts;
    this.#emit = emit;
    this.#onGone = onGone;
  }

  say(message: Message): Promise<void> | undefined {
    const held = this.#heldReplay;
    this.#heldReplay = null;
    noteSpoken(this.#parts, message);
    if (held) this.say(held)?.catch(() => {}); // a reader that is gone is noticed with the message itself
    return this.#emit(message)?.catch((error) => {
      this.#onGone();
      throw error;
    });
  }

  /** What nobody has to wait for, and nobody has to hear. */
  mention(subtype: string, fields: object): void {
    this.say({ type: 'system', subtype, ...fields, ...this.#ids() } as Message)?.catch(() => {});
  }

  /** Lets a prompt be heard with the next line, where the host wants that. */
  echo(input: UserInput, uuid: string): void {
    if (this.#parts.replayUserMessages) this.#heldReplay = replayLine(input, uuid, this.#parts);
  }

  /** The line that opens a turn; after the first one comes what a resume has to tell. */
  async open(init: Message): Promise<void> {
    await this.say(init);
    const { transcript, replayHistory } = this.#parts;
    if (this.#isIntroduced || (!transcript.report && !replayHistory)) return;
    this.#isIntroduced = true;
    const { resumeLines } = await import('./resume-lines.ts');
    for (const line of resumeLines(this.#parts)) await this.say(line);
  }

  async tellLifecycle(input: UserInput, state: LifecycleState): Promise<void> {
    const { sessionId, runtime } = this.#parts;
    for (const line of lifecycleLines(input, [state], () => runtime.ids.uuid(), sessionId)) await this.say(line);
  }

  /** What the session is at, for hosts that read it (wire.md 5.4). */
  tellState(state: 'idle' | 'running' | 'requires_action'): void {
    if (state !== 'requires_action') this.#state = state;
    if (this.#parts.tellsState) this.mention('session_state_changed', { state, sdk_host_only: true });
  }

  /** A question is over: the session is at what it was at, which is no turn where an agent or the host itself had one. */
  tellAnswered(): void {
    this.tellState(this.#state);
  }

  tellMode(permissionMode: PermissionMode): void {
    this.mention('status', { status: null, permissionMode });
  }

  #ids(): { session_id: string; uuid: string } {
    return { session_id: this.#parts.sessionId, uuid: this.#parts.runtime.ids.uuid() };
  }
}
