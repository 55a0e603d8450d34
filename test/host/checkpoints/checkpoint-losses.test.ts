import { chmodSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { eventually, isAlive } from '../../support/processes.ts';
import { begun, CheckpointRig, shell } from './checkpoint-rig.ts';

const real = { dryRun: false };
const dry = { dryRun: true };

describe('a state that could not be kept', () => {
  test('is named by a rewind, and no later one passes for it: what could not be recorded', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'original\n', 'b.txt': 'original\n' });
    rig.storeFails = new Error('no space left');
    await shell(checkpoints, 'echo one > a.txt; echo new > new.txt');
    expect(rig.warnings).toEqual([expect.stringMatching(/could not be kept: no space left/)]);
    rig.storeFails = null;
    await shell(checkpoints, 'echo two > a.txt; echo two > b.txt');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'three\n');
    const error = expect.stringMatching(/a\.txt \(no space left\)/);
    expect(await checkpoints.rewind('u1', dry)).toMatchObject({ filesChanged: [rig.path('b.txt')], error });
    expect(await checkpoints.rewind('u1', real)).toEqual({ canRewind: true, error });
    expect(rig.files()).toEqual({ 'a.txt': 'three\n', 'b.txt': 'original\n', 'new.txt': 'new\n' });
  });

  test('one file whose copy is gone does not cost the others', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'original\n', 'b.txt': 'original\n' });
    const holding = join(rig.home, 'file-history/.before-commands');
    await shell(checkpoints, `rm ${holding}/*/1; echo one > a.txt; echo one > b.txt`);
    const { error } = await checkpoints.rewind('u1', real);
    expect(error).toMatch(/^Not brought back: [^,]*ENOENT[^)]*\)$/);
    expect(Object.values(rig.files()).sort()).toEqual(['one\n', 'original\n']);
  });

  test('a file that was too large for a copy: an edit after the command does not hide that', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'x'.repeat(2000) }, { limits: { fileBytes: 1000 } });
    await shell(checkpoints, 'echo small > a.txt');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'edited\n');
    expect(rig.tracked()).toEqual({});
    expect((await checkpoints.rewind('u1', real)).error).toMatch(
      /a\.txt \(there was no copy when a command changed it\)/,
    );
    expect(rig.files()).toEqual({ 'a.txt': 'edited\n' });
  });

  test('is of its message: from the next one on the file can be rewound again', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'x'.repeat(2000) }, { limits: { fileBytes: 1000 } });
    await shell(checkpoints, 'echo small > a.txt');
    await checkpoints.endTurn();
    await rig.prompt(checkpoints, 'u2');
    await shell(checkpoints, 'echo smaller > a.txt');
    await checkpoints.endTurn();
    await rig.prompt(checkpoints, 'u3');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'edited\n');
    expect((await checkpoints.rewind('u1', real)).error).toMatch(/a\.txt \(there was no copy/);
    expect(rig.files()).toEqual({ 'a.txt': 'edited\n' });
    expect(await checkpoints.rewind('u3', real)).toEqual({ canRewind: true });
    expect(rig.files()).toEqual({ 'a.txt': 'smaller\n' });
    expect(await checkpoints.rewind('u2', real)).toEqual({ canRewind: true });
    expect(rig.files()).toEqual({ 'a.txt': 'small\n' });
  });

  test('stays lost while something runs that may have changed the file at the next message', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'x'.repeat(2000) }, { limits: { fileBytes: 1000 } });
    const stop = new AbortController();
    const background = shell(checkpoints, 'touch /dev/null; sleep 60', stop.signal).catch(() => {});
    await shell(checkpoints, 'echo small > a.txt');
    await checkpoints.endTurn();
    await rig.prompt(checkpoints, 'u2');
    await shell(checkpoints, 'rm a.txt; echo made anew > a.txt');
    stop.abort();
    await background;
    expect((await checkpoints.rewind('u2', real)).error).toMatch(/a\.txt \(there was no copy/);
    expect(rig.files()).toEqual({ 'a.txt': 'made anew\n' });
  });

  test('many of them are counted, not named', async () => {
    const names = Array.from({ length: 120 }, (_, at) => `f${at}`);
    const { checkpoints } = await begun(Object.fromEntries(names.map((name) => [name, 'xx'])), {
      limits: { fileBytes: 1 },
    });
    await shell(checkpoints, 'for f in f*; do echo changed > $f; done');
    const { error = '' } = await checkpoints.rewind('u1', dry);
    expect(error.match(/there was no copy/g)).toHaveLength(100);
    expect(error).toMatch(/, and 20 more$/);
  });
});

test("what a command had left running is over one day: then changes are the user's again", async () => {
  const { rig, checkpoints } = await begun({});
  const { stillRunning } = await shell(checkpoints, `sleep 1.5 & echo $! > ${rig.base}/pid`);
  expect(stillRunning).toBe(true);
  const pid = Number(readFileSync(join(rig.base, 'pid'), 'utf8'));
  await eventually(() => !isAlive(pid));
  await checkpoints.endTurn();
  await rig.prompt(checkpoints, 'u2');
  rig.write('mine.txt', 'mine\n');
  await shell(checkpoints, 'echo 1 > new.txt');
  await checkpoints.rewind('u1', real);
  expect(rig.files()).toEqual({ 'mine.txt': 'mine\n' });
});

describe('the end of a session', () => {
  test('sessions that close together do not get into the way of each other', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const sessions = await Promise.all(['one', 'two'].map((sessionId) => rig.open({ sessionId, append: null })));
    for (const session of sessions) {
      await rig.prompt(session, 'u1');
      await shell(session, 'echo two > a.txt');
    }
    const holding = join(rig.home, 'file-history/.before-commands');
    const long = new Date(Date.now() - 30 * 24 * 3600 * 1000);
    for (let n = 0; n < 100; n++) {
      const folder = join(holding, `abandoned${n}`);
      mkdirSync(folder);
      utimesSync(folder, long, long);
    }
    await Promise.all(sessions.map((session) => session.close()));
    expect(rig.warnings).toEqual([]);
    expect([rig.kept('one'), rig.kept('two')]).toEqual([[], []]);
  });

  test('copies before commands that cannot be removed do not keep the others from it', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    await asOrdinaryUser(rig.base, async () => {
      const checkpoints = await rig.open({ append: null });
      await rig.prompt(checkpoints, 'u1');
      await shell(checkpoints, 'echo two > a.txt');
      expect(rig.kept()).toHaveLength(1);
      const holding = join(rig.home, 'file-history/.before-commands');
      chmodSync(holding, 0o500);
      await checkpoints.close();
      chmodSync(holding, 0o700);
    });
    expect(rig.warnings).toEqual([expect.stringMatching(/Copies of files could not be removed/)]);
    expect(rig.kept()).toEqual([]);
  });
});
