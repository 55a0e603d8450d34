import type { ProcessOutcome, ProcessSpec } from '../util/process.ts';
import type { Workspace } from './workspace.ts';

/** Keeps files as they are before tools change them. */
export interface ChangeKeeper {
  /** Rejects with a ToolError when the file cannot be kept: then it must not be changed. */
  beforeWrite(path: string): Promise<void>;
  /** Runs a process, and keeps what it changes as that was before. */
  aroundProcess(spec: ProcessSpec, signal: AbortSignal, run: () => Promise<ProcessOutcome>): Promise<ProcessOutcome>;
}

/** A workspace whose every change can be taken back. */
export function checkpointedWorkspace(inner: Workspace, keeper: ChangeKeeper): Workspace {
  return {
    get cwd() {
      return inner.cwd;
    },
    get roots() {
      return inner.roots;
    },
    resolve: (path) => inner.resolve(path),
    stat: (path) => inner.stat(path),
    list: (path) => inner.list(path),
    readFile: (path) => inner.readFile(path),
    readChunks: (path) => inner.readChunks(path),
    async writeFile(path, data) {
      await keeper.beforeWrite(path);
      await inner.writeFile(path, data);
    },
    exec: (spec, signal) => keeper.aroundProcess(spec, signal, () => inner.exec(spec, signal)),
  };
}
