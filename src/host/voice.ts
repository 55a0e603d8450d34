import { isOn } from '../util/setting-text.ts';
import type { Message } from '../wire/messages/index.ts';
import type { UserInput } from '../wire/messages/user.ts';
import type { PermissionMode } from '../wire/permissions.ts';
import type { Env } from './home.ts';
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
  /** How many questions to the host are open. */
  #questions = 0;
  #toldState = '';

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

  /** A turn begins. */
  tellRunning(): void {
    this.#state = 'running';
    this.#tellState();
  }

  /** Nothing is at work, and nothing begins by itself: hosts may end the input at this word (ruling K49). */
  tellIdle(): void {
    if (this.#state === 'idle') return;
    this.#state = 'idle';
    this.#tellState();
  }

  /** The host is asked something. */
  tellAsked(): void {
    this.#questions++;
    this.#tellState();
  }

  /** A question is over: the session is at what it was at, which is no turn where an agent or the host itself had one. */
  tellAnswered(): void {
    this.#questions--;
    this.#tellState();
  }

  /** What the session is at, for hosts that read it (wire.md 5.4); once each time it changes. */
  #tellState(): void {
    const { stateLines } = this.#parts;
    const state = this.#questions > 0 ? 'requires_action' : this.#state;
    if (stateLines === 'none' || state === this.#toldState) return;
    this.#toldState = state;
    this.mention('session_state_changed', { state, ...(stateLines === 'sdk' && { sdk_host_only: true }) });
  }

  tellMode(permissionMode: PermissionMode): void {
    this.mention('status', { status: null, permissionMode });
  }

  #ids(): { session_id: string; uuid: string } {
    return { session_id: this.#parts.sessionId, uuid: this.#parts.runtime.ids.uuid() };
  }
}

/** Who reads what a session is at, as the environment says. What only the SDK wants to know it keeps from its user. */
export function stateLines(env: Env): Parts['stateLines'] {
  if (isOn(env.CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS)) return 'all';
  return isOn(env.CLAUDE_CODE_SDK_READS_SESSION_STATE) ? 'sdk' : 'none';
}
