import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createProcessFinder } from '../../../src/util/process/process-finder.ts';
import { afterTest } from '../../support/after-test.ts';

const hasProc = process.platform === 'linux';

/** A process with a tag in its environment, in a group of its own; gone when the test is over. */
async function tagged(tag: string): Promise<{ child: ChildProcess; pid: number }> {
  const env = { PATH: process.env.PATH ?? '', TAG: tag };
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env });
  afterTest(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child, 'spawn');
  return { child, pid: child.pid as number };
}

const marked = (environment: string) => ({ groups: [], mark: { environment, limits: 'no limit has this' } });
const pids = (found: readonly { pid: number }[] | null) => found?.map(({ pid }) => pid);

describe.runIf(hasProc)('processes are found', () => {
  test('by their mark or their group, for several trees at once', async () => {
    const [one, two] = [await tagged('finder-one-1'), await tagged('finder-two-2')];
    const finder = createProcessFinder({ ownTrees: true });
    const ofGroup = { groups: [two.pid], mark: { environment: 'finder-one-1', limits: 'no limit has this' } };
    const [a, b, both, none] = await Promise.all([
      finder.find(marked('finder-one-1')),
      finder.find(marked('finder-two-2')),
      finder.find(ofGroup),
      finder.find(marked('finder-three-3')),
    ]);
    expect([pids(a), pids(b), pids(none)]).toEqual([[one.pid], [two.pid], []]);
    expect(pids(both)?.sort()).toEqual([one.pid, two.pid].sort());
  });

  test('as they are when it is asked, not as an earlier look saw them', async () => {
    const finder = createProcessFinder();
    const [early] = [finder.find(marked('finder-late-4'))];
    const late = await tagged('finder-late-4');
    await early;
    expect(pids(await finder.find(marked('finder-late-4')))).toEqual([late.pid]);
    late.child.kill('SIGKILL');
    await once(late.child, 'exit');
    expect(pids(await finder.find(marked('finder-late-4')))).toEqual([]);
  });

  test('and older ones belong to no tree of this process', async () => {
    // The first process of the machine or of its namespace is older than any test.
    const tree = { groups: [process.pid], mark: { environment: 'PATH=', limits: 'Max cpu time' } };
    const all = pids(await createProcessFinder().find(tree)) ?? [];
    const own = pids(await createProcessFinder({ ownTrees: true }).find(tree)) ?? [];
    expect(own.length).toBeLessThan(all.length);
    expect(own).not.toContain(process.ppid);
    expect(all).toContain(process.ppid);
  });
});
