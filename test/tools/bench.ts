import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createBackgroundTasks } from '../../src/tools/background/background-tasks.ts';
import { createBackgroundShells } from '../../src/tools/shell/background-shells.ts';
import { createShellDirectory } from '../../src/tools/shell/shell-directory.ts';
import type { Tool, ToolContext, ToolOutput } from '../../src/tools/tool.ts';
import { createLocalWorkspace } from '../../src/tools/workspace/local-workspace.ts';
import { createProcesses, type Processes } from '../../src/util/process/process.ts';
import { toolServices } from '../support/tool-services.ts';

/** A temporary directory with everything that a tool needs to run in it. */
export interface Bench {
  dir: string;
  context: ToolContext;
  processes: Processes;
  path(name: string): string;
  /** Writes a file, by default with a time in the past so that a later change shows. */
  file(name: string, content: string | Uint8Array, ageSeconds?: number): string;
  /** Checks the input as the loop does, then runs the tool. */
  run<T>(tool: Tool<T>, input: unknown, context?: Partial<ToolContext>): Promise<ToolOutput>;
  dispose(): Promise<void>;
}

/** `parent` is where the directory is made. */
export function createBench(parent = tmpdir()): Bench {
  const base = realpathSync(mkdtempSync(join(parent, 'heddle-tools-')));
  const dir = join(base, 'work');
  mkdirSync(dir);
  const processes = createProcesses({ log: () => {}, graceMs: 200 });
  const workspace = createLocalWorkspace({ cwd: dir, home: join(base, 'home'), processes });
  const ids = { uuid: () => crypto.randomUUID() };
  const spillDir = join(base, 'spill', 'outputs');
  const tasks = createBackgroundTasks({ ids, clock: { now: () => Date.now() }, log: () => {} });
  const context: ToolContext = {
    workspace,
    files: new Map(),
    toolUseId: 'toolu_1',
    runtime: { clock: { now: () => Date.now(), sleep: () => Promise.resolve() }, ids, log: () => {} },
    env: { PATH: process.env.PATH },
    spillDir,
    signal: new AbortController().signal,
    service: toolServices({
      background: { tasks },
      shell: {
        directory: createShellDirectory({ start: dir, isInside: (each) => `${each}/`.startsWith(`${dir}/`) }),
        background: createBackgroundShells({ workspace, tasks, outputDir: join(spillDir, 'tasks') }),
      },
    }),
  };
  const path = (name: string) => join(dir, name);
  return {
    dir,
    context,
    processes,
    path,
    file(name, content, ageSeconds = 60) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      const time = Date.now() / 1000 - ageSeconds;
      utimesSync(path(name), time, time);
      return path(name);
    },
    async run(tool, input, changes = {}) {
      const parsed = tool.input.parse(input);
      if (!parsed.ok) throw new Error(parsed.problems.join('; '));
      return tool.run(parsed.value, { ...context, ...changes });
    },
    async dispose() {
      await processes.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
