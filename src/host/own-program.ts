/** Where this program lies: nothing that it watches may write there (ruling G12). */
export interface OwnProgram {
  /** What finds it is loaded with the first call that may write something. */
  load(): Promise<void>;
  /** Real paths. Before it is loaded: everything. */
  paths(): readonly string[];
}

export function lazyOwnProgram(): OwnProgram {
  let find: (() => readonly string[]) | null = null;
  let found: readonly string[] | null = null;
  return {
    async load() {
      find ??= (await import('../util/own-program.ts')).ownProgram;
    },
    paths() {
      if (find === null) return ['/'];
      found ??= find();
      return found;
    },
  };
}
