import type { Extensions, NamedPlugin } from './extensions.ts';

/** The extensions of a session: those in force, and how to read them again. */
export class ExtensionSet {
  /** The plugins that are named by their folders. `reload_plugins` may add some, which the next reload reads. */
  readonly plugins: NamedPlugin[];
  #current: Extensions;
  #enabledSkills: readonly string[] | null = null;
  readonly #listeners: (() => Promise<void>)[] = [];

  constructor(current: Extensions, plugins: NamedPlugin[]) {
    this.#current = current;
    this.plugins = plugins;
  }

  get current(): Extensions {
    return this.#current;
  }

  /** The only skills that the model may load; null: all. */
  get enabledSkills(): readonly string[] | null {
    return this.#enabledSkills;
  }

  enableSkills(names: readonly string[]): void {
    this.#enabledSkills = names;
  }

  /** Reads all extensions again, and then calls the listeners one after the other. */
  async reload(): Promise<void> {
    this.#current = await this.#current.again(this.plugins);
    for (const listener of this.#listeners) await listener();
  }

  onReload(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }
}
