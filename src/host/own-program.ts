import type { FoundProgram } from '../util/own-program.ts';

/** Where this program lies: nothing that it watches may write there (ruling G12). Before it is loaded: everywhere. */
export interface OwnProgram extends FoundProgram {
  /** What finds it is loaded with the first call that may write something. */
  load(): Promise<void>;
}

export function lazyOwnProgram(): OwnProgram {
  let found: FoundProgram | null = null;
  return {
    async load() {
      found ??= (await import('../util/own-program.ts')).findOwnProgram();
    },
    paths: () => found?.paths() ?? ['/'],
    isOtherName: (path) => found?.isOtherName(path) ?? true,
  };
}
