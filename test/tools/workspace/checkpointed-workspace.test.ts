import { expect, test } from 'vitest';
import { type ChangeKeeper, checkpointedWorkspace } from '../../../src/tools/workspace/checkpointed-workspace.ts';
import { createBench } from '../bench.ts';

const keeper = (steps: string[], changes: Partial<ChangeKeeper> = {}): ChangeKeeper => ({
  async beforeWrite({ path }) {
    steps.push(`keep ${path}`);
  },
  async aroundProcess(_spec, _signal, run) {
    steps.push('look');
    const outcome = await run();
    steps.push('look again');
    return outcome;
  },
  ...changes,
});

test('a file is kept before it is written, and not written when it cannot be kept', async () => {
  const bench = createBench();
  const path = bench.file('a.txt', 'one');
  const steps: string[] = [];
  const workspace = checkpointedWorkspace(bench.context.workspace, keeper(steps));
  await workspace.writeFile(path, 'two');
  expect([steps, Buffer.from(await workspace.readFile(path)).toString()]).toEqual([[`keep ${path}`], 'two']);

  const beforeWrite = () => Promise.reject(new Error('full'));
  const full = checkpointedWorkspace(bench.context.workspace, keeper([], { beforeWrite }));
  await expect(full.writeFile(path, 'three')).rejects.toThrow('full');
  expect(Buffer.from(await workspace.readFile(path)).toString()).toBe('two');
  await bench.dispose();
});

test('processes run between two looks; everything else is the workspace itself', async () => {
  const bench = createBench();
  const inner = bench.context.workspace;
  const steps: string[] = [];
  const workspace = checkpointedWorkspace(inner, keeper(steps));
  const spec = { command: '/bin/bash', args: ['-c', 'exit 3'], cwd: bench.dir, env: {} };
  expect(await workspace.exec(spec, bench.context.signal)).toMatchObject({ exitCode: 3 });
  expect(steps).toEqual(['look', 'look again']);
  expect(Object.keys(workspace).sort()).toEqual(Object.keys(inner).sort());
  expect([workspace.cwd, workspace.roots, workspace.resolve('x')]).toEqual([
    inner.cwd,
    inner.roots,
    inner.resolve('x'),
  ]);
  await bench.dispose();
});
