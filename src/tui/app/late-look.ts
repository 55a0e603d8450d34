import type { Look, LookParts } from '../look/look.ts';

/** What the terminal looks like beyond its first frame: it is loaded behind that. */
export class LateLook {
  readonly #parts: LookParts;
  #look: Look | null = null;
  #isClosed = false;

  constructor(parts: LookParts) {
    this.#parts = parts;
  }

  /** Null until it is loaded. */
  get loaded(): Look | null {
    return this.#look;
  }

  /** Whether nothing may turn or blink. */
  get isCalm(): boolean {
    return this.#parts.env.HEDDLE_REDUCED_MOTION === '1' || this.#look?.isCalm === true;
  }

  /** Never rejects: without it the terminal looks plain. */
  async load(): Promise<void> {
    try {
      const { Look: Loaded } = await import('../typing/typing.ts');
      if (!this.#isClosed) this.#look = new Loaded(this.#parts);
    } catch (error) {
      this.#parts.stage.notify(`The status line and the theme could not be loaded: ${String(error)}`);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#look?.close();
  }
}
