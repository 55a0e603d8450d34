import { type JsonObject, stringField } from '../../util/json.ts';

/** What a session is about, from its lines. */
export class SessionActivity {
  #sessionId = '';
  #isTurn = false;
  /** Prompts that were sent and have not begun. */
  #waiting = 0;

  get sessionId(): string {
    return this.#sessionId;
  }

  /** Whether a turn runs, or a prompt waits for one. */
  get isBusy(): boolean {
    return this.#isTurn || this.#waiting > 0;
  }

  /** Called with the id where it is known before the first line. */
  named(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  prompted(): void {
    this.#waiting++;
  }

  /** Returns whether the session has become busy or idle. */
  note(line: JsonObject): boolean {
    this.#sessionId = stringField(line, 'session_id') ?? this.#sessionId;
    const wasBusy = this.isBusy;
    if (line.type === 'result') {
      this.#isTurn = false;
      this.#waiting = typeof line.queued_turn_count === 'number' ? line.queued_turn_count : 0;
    } else if (line.type === 'system' && line.subtype === 'init') {
      this.#isTurn = true;
    } else if (line.type === 'system' && line.subtype === 'input_error') {
      this.#waiting = Math.max(0, this.#waiting - 1); // a prompt was refused
    }
    return wasBusy !== this.isBusy;
  }
}
