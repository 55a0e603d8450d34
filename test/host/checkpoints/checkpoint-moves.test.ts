import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { begun, shell } from './checkpoint-rig.ts';

const real = { dryRun: false };

test('a folder that was moved away, with a link out of the project in its place, comes back', async () => {
  const { rig, checkpoints } = await begun({ 'd/f': 'precious' });
  mkdirSync(join(rig.base, 'outside'));
  await shell(checkpoints, 'mv d d2 && ln -s ../outside d');
  expect(await checkpoints.rewind('u1', real)).toEqual({ canRewind: true });
  expect(rig.files()).toEqual({ 'd/f': 'precious' });
});

test('a folder in the place of a file goes, with what is new in it', async () => {
  const { rig, checkpoints } = await begun({ 'd/f': 'one' });
  await shell(checkpoints, 'rm d/f && mkdir d/f && echo x > d/f/g');
  expect(await checkpoints.rewind('u1', real)).toEqual({ canRewind: true });
  expect(rig.files()).toEqual({ 'd/f': 'one' });
});

test('where something cannot be brought back, nothing is removed: what is new may be what was moved', async () => {
  const { rig, checkpoints } = await begun({ 'd/f': 'precious' });
  await shell(checkpoints, 'mv d/f moved');
  // Not by a command: the user puts a link in the way.
  rmSync(rig.path('d'), { recursive: true });
  mkdirSync(join(rig.base, 'outside'));
  symlinkSync(join(rig.base, 'outside'), rig.path('d'));
  const { error } = await checkpoints.rewind('u1', real);
  expect(error).toMatch(/outside of the working directories.*not removed/);
  expect(rig.files()).toEqual({ moved: 'precious' });
});
