import { statSync } from 'node:fs';
import { join } from 'node:path';
import { smallText } from '../../util/files/small-file.ts';
import { createKeymap, type Keymap, readKeybindings } from '../focus/keymap.ts';
import type { Stage } from '../stage/stage.ts';

/** How often a key looks whether the file has changed. */
const LOOK_MS = 1000;
const MAX_BYTES = 1024 * 1024;

/** The keys in force: those of `keybindings.json` before the usual ones. The file is read again when it changes. */
export class OwnKeys {
  readonly #path: string | null;
  readonly #stage: Pick<Stage, 'print' | 'now'>;
  #keymap: Keymap = createKeymap();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The time and the size of the file; empty where there is none. */
  #seen = '';

  constructor(home: string | null, stage: Pick<Stage, 'print' | 'now'>) {
    this.#path = home === null ? null : join(home, 'keybindings.json');
    this.#stage = stage;
    this.look();
  }

  get keymap(): Keymap {
    return this.#keymap;
  }

  /** Reads the file if it has changed. A wrong file is named, and changes nothing. */
  look(): void {
    const path = this.#path;
    const now = this.#stage.now();
    if (path === null || now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    const stats = statSync(path, { throwIfNoEntry: false });
    const seen = stats ? `${stats.mtimeMs} ${stats.size}` : '';
    if (seen === this.#seen) return;
    this.#seen = seen;
    const text = stats ? smallText(path, MAX_BYTES) : '{"bindings":[]}';
    if (text === null) {
      this.#stage.print([`! ${path} cannot be read: the keys stay as they were.`], 'warning');
      return;
    }
    const { bindings, problems, notes } = readKeybindings(text);
    if (bindings) this.#keymap = createKeymap(bindings);
    for (const problem of problems) {
      this.#stage.print([`! ${path}, ${problem}. The keys stay as they were.`], 'warning');
    }
    for (const note of notes) this.#stage.print([`! ${path}: ${note}.`], 'warning');
  }
}
