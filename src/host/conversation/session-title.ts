import type { Recorder } from '../../agent/messages/recorder.ts';

/** The title of a session: the one on disk, and one that is still to be recorded. */
export class SessionTitle {
  /** Recorded with the next prompt; null: there is none. */
  pending: string | null;
  readonly #recorder: TitleRecorder;
  #inForce: string | null;

  constructor({
    pending,
    inForce,
    recorder,
  }: { pending: string | null; inForce: string | null; recorder: TitleRecorder }) {
    this.pending = pending;
    this.#inForce = inForce;
    this.#recorder = recorder;
  }

  /** The title on disk; null: the session has none. */
  get inForce(): string | null {
    return this.#inForce;
  }

  /** Records a title at once, or with the first message when there is none yet. */
  async save(title: string): Promise<void> {
    if (this.#recorder.leaf === null) this.pending = title;
    else await this.record(title);
  }

  async record(title: string): Promise<void> {
    await this.#recorder.state.title(title);
    this.#inForce = title;
  }

  /** Records the title that waited for the next prompt. */
  async recordPending(): Promise<void> {
    if (this.pending === null) return;
    await this.record(this.pending);
    this.pending = null;
  }
}

type TitleRecorder = Pick<Recorder, 'leaf' | 'state'>;
