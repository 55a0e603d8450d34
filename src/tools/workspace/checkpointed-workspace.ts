import type { ProcessOutcome, ProcessSpec } from '../../util/process/process.ts';
import type { HeldFile, Workspace } from '../workspace.ts';

/** Keeps files as they are before tools change them. */
export interface ChangeKeeper {
  /** Rejects with a ToolError when the file cannot be kept; the file must then not be changed. */
  beforeWrite(file: HeldFile): Promise<void>;
  /** Runs a process, and keeps the earlier state of the files that it changes. */
  aroundProcess(spec: ProcessSpec, signal: AbortSignal, run: () => Promise<ProcessOutcome>): Promise<ProcessOutcome>;
}

/** A workspace whose changes can all be undone. */
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
    // Keeps the very file that is written, not the target of the path a moment before.
    writeFile: (path, data) => inner.writeFile(path, data, (file) => keeper.beforeWrite(file)),
    hold: (path, work) => inner.hold(path, work),
    pin: async (places) => checkpointedWorkspace(await inner.pin(places), keeper),
    exec: (spec, signal) => keeper.aroundProcess(spec, signal, () => inner.exec(spec, signal)),
  };
}
