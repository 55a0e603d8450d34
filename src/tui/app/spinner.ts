/** Calls back eight times a second while there is something to move, once a second for those who want calm. */
export class Spinner {
  readonly #tick: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  /** Without work there is no timer at all. */
  turn({ isBusy, isCalm }: { isBusy: boolean; isCalm: boolean }): void {
    if (isBusy === (this.#timer !== null)) return;
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = isBusy ? setInterval(this.#tick, isCalm ? 1000 : 125) : null;
  }
}

/** A text for a few seconds. */
export class Notices {
  readonly #onChange: () => void;
  #timer: NodeJS.Timeout | null = null;
  #text = '';

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get text(): string {
    return this.#text;
  }

  show(text: string, ms = 6000): void {
    this.#text = text;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.clear(), ms);
    this.#onChange();
  }

  clear(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#text === '') return;
    this.#text = '';
    this.#onChange();
  }
}
