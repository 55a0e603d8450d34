/** A key of a store that was written for the reference. */
export interface ReferenceKey {
  projectKey: string;
  sessionId: string;
  subpath?: string;
}

export interface ReferenceEntry {
  type: string;
  uuid?: string;
  [name: string]: unknown;
}

/**
 * A store as hosts of the reference write them: a class with its own keys, `load` with an array or null. It keeps text, as
 * a database would, and refuses keys that are not its own.
 */
export class ReferenceStore {
  readonly #kept = new Map<string, { entries: string[]; mtime: number }>();
  #lastWrite = 0;
  /** What was asked of it, in order. */
  readonly calls: [method: string, key: unknown, ...entryTypes: string[]][] = [];

  async append(key: ReferenceKey, entries: ReferenceEntry[]): Promise<void> {
    this.calls.push(['append', key, ...entries.map(({ type }) => type)]);
    const name = nameOf(key);
    const before = this.#kept.get(name)?.entries ?? [];
    const known = new Set(before.map((text) => JSON.parse(text).uuid).filter((uuid) => uuid !== undefined));
    const fresh = entries.filter(({ uuid }) => !uuid || !known.has(uuid));
    this.#lastWrite = Math.max(Date.now(), this.#lastWrite + 1);
    this.#kept.set(name, {
      entries: [...before, ...fresh.map((entry) => JSON.stringify(entry))],
      mtime: this.#lastWrite,
    });
  }

  async load(key: ReferenceKey): Promise<ReferenceEntry[] | null> {
    this.calls.push(['load', key]);
    return this.#kept.get(nameOf(key))?.entries.map((text) => JSON.parse(text)) ?? null;
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    this.calls.push(['listSessions', projectKey]);
    return [...this.#kept].flatMap(([name, { mtime }]) => {
      const [project, sessionId = '', subpath] = JSON.parse(name);
      return project === projectKey && subpath === null ? [{ sessionId, mtime }] : [];
    });
  }

  async listSubkeys({ projectKey, sessionId }: ReferenceKey): Promise<string[]> {
    this.calls.push(['listSubkeys', { projectKey, sessionId }]);
    return this.keys().flatMap((key) =>
      key.projectKey === projectKey && key.sessionId === sessionId && key.subpath !== undefined ? [key.subpath] : [],
    );
  }

  async delete(key: ReferenceKey): Promise<void> {
    this.calls.push(['delete', key]);
    const gone = (each: ReferenceKey) =>
      each.projectKey === key.projectKey &&
      each.sessionId === key.sessionId &&
      (key.subpath === undefined || each.subpath === key.subpath);
    for (const each of this.keys()) if (gone(each)) this.#kept.delete(nameOf(each));
  }

  keys(): ReferenceKey[] {
    return [...this.#kept.keys()].map((name) => {
      const [projectKey, sessionId, subpath] = JSON.parse(name);
      return { projectKey, sessionId, ...(subpath !== null && { subpath }) };
    });
  }

  /** All that it holds of a key. */
  entries(key: ReferenceKey): ReferenceEntry[] {
    return this.#kept.get(nameOf(key))?.entries.map((text) => JSON.parse(text)) ?? [];
  }
}

function nameOf({ projectKey, sessionId, subpath, ...rest }: ReferenceKey): string {
  const isKey = typeof projectKey === 'string' && /^[\w-]+$/.test(projectKey) && typeof sessionId === 'string';
  if (!isKey || subpath === '' || Object.keys(rest).length > 0) throw new Error(`Not a key: ${JSON.stringify(rest)}`);
  return JSON.stringify([projectKey, sessionId, subpath ?? null]);
}
