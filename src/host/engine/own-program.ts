import { findOwnProgram, type InstalledProgram } from '../../util/own/own-program.ts';
import type { Env } from './environment.ts';

/** The files of this program, where no tool or command may write. Until `load`, every path counts as one of them. */
export interface OwnProgram extends InstalledProgram {
  /** It is found with the first call that may write something. */
  load(): Promise<void>;
}

export function lazyOwnProgram(env: Env): OwnProgram {
  let found: InstalledProgram | null = null;
  return {
    async load() {
      found ??= findOwnProgram(env);
    },
    paths: () => found?.paths() ?? ['/'],
    isOtherName: (path) => found?.isOtherName(path) ?? true,
  };
}
