/** Loads things by their key when they are used, and lets the longest unused go when there are too many. */
export class OpenFiles<T extends { close(): Promise<unknown> }> {
  readonly #load: (key: string) => Promise<T>;
  readonly #most: number;
  readonly #mayClose: (key: string) => boolean;
  readonly #open = new Map<string, Promise<T>>();

  constructor({
    load,
    most,
    mayClose = () => true,
  }: { load: (key: string) => Promise<T>; most: number; mayClose?: (key: string) => boolean }) {
    this.#load = load;
    this.#most = most;
    this.#mayClose = mayClose;
  }

  get(key: string): Promise<T> {
    const known = this.#open.get(key);
    if (known) {
      this.#open.delete(key);
      this.#open.set(key, known);
      return known;
    }
    const loading = this.#load(key);
    this.#open.set(key, loading);
    loading.catch(() => this.#open.delete(key));
    this.#closeOldest();
    return loading;
  }

  /** Lets go of one, so that its files can be removed. */
  async drop(key: string): Promise<void> {
    const known = this.#open.get(key);
    this.#open.delete(key);
    await known?.then((each) => each.close()).catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.drop(key)));
  }

  #closeOldest(): void {
    if (this.#open.size <= this.#most) return;
    const key = [...this.#open.keys()].find((each) => this.#mayClose(each));
    if (key !== undefined) void this.drop(key);
  }
}
