import { makeRows } from '../../sessions/indexed/make-rows.ts';
import type { Row, SessionRows } from '../../sessions/indexed/row.ts';
import { type Progress, SessionIndex } from '../../sessions/indexed/session-index.ts';
import type { Entry } from '../../wire/entries.ts';

/** Pages ask often; the file is looked at so often at most. */
const PAUSE_MS = 100;

/** What a client that has seen a version needs to know. */
export interface BookPage extends Omit<SessionRows, 'rows'> {
  /** Another one: forget everything, the session was written from its beginning. */
  life: number;
  version: number;
  /** How many rows there are. */
  total: number;
  title: string | null;
  tag: string | null;
  cwd: string | null;
  costUsd: number | null;
  /** Only as long as the file is read. */
  progress?: Progress;
}

/** A session as rows, each with the version at which it last changed: a client asks for what is new to it. */
export class SessionBook {
  readonly index: SessionIndex;
  readonly #now: () => number;
  #texts: string[] = [];
  #versions: number[] = [];
  #made: SessionRows = { rows: [], leaf: null, problems: [], summaries: [] };
  #life = 0;
  #version = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(found: { sessionId: string; path: string }, now: () => number) {
    this.index = new SessionIndex(found);
    this.#now = now;
  }

  get version(): number {
    return this.#version;
  }

  get rows(): readonly Row[] {
    return this.#made.rows;
  }

  /** The entry of a row, with its texts cut; undefined: there is none. */
  entryOf(row: number): Entry | undefined {
    const id = this.#made.rows[row]?.id;
    return id === undefined ? undefined : this.index.session.tree.nodes.get(id)?.entry;
  }

  /** Reads what was written since. Rejects with `session_unreadable`. */
  look(): Promise<void> {
    if (this.#looking) return this.#looking;
    if (this.#now() - this.#lookedAt < PAUSE_MS) return Promise.resolve();
    this.#looking = this.#read().finally(() => {
      this.#lookedAt = this.#now();
      this.#looking = null;
    });
    return this.#looking;
  }

  async #read(): Promise<void> {
    const isNew = await this.index.refresh();
    if (!isNew && this.#version > 0) return;
    if (this.index.life !== this.#life) {
      this.#life = this.index.life;
      [this.#texts, this.#versions] = [[], []];
    }
    this.#version++;
    this.#made = makeRows(this.index.session, (entry) => this.index.sizeOf(entry));
    this.#texts.length = Math.min(this.#texts.length, this.#made.rows.length);
    for (const [n, row] of this.#made.rows.entries()) {
      const text = JSON.stringify(row);
      if (this.#texts[n] === text) continue;
      this.#texts[n] = text;
      this.#versions[n] = this.#version;
    }
  }

  /** The page behind a version, as JSON: all rows that changed since. */
  textSince(version: number, life = this.#life): string {
    const since = life === this.#life ? version : 0;
    const changed = this.#texts.filter((_, n) => (this.#versions[n] ?? 0) > since);
    const head = JSON.stringify(this.head()).slice(0, -1);
    return `${head},"rows":[${changed.join(',')}]}`;
  }

  head(): BookPage {
    const { title, tag, cwd, costUsd } = this.index.session;
    const { rows, ...rest } = this.#made;
    return { life: this.#life, version: this.#version, total: rows.length, ...{ title, tag, cwd, costUsd }, ...rest };
  }
}
