import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileSnapshot } from '../../../src/sessions/tree/checkpoint-entries.ts';
import { CheckpointRig } from './checkpoint-rig.ts';

const real = { dryRun: false };

describe('a session file that somebody else wrote', () => {
  const past = (files: FileSnapshot['trackedFileBackups']) => {
    const snapshot = { messageId: 'u1', trackedFileBackups: files, timestamp: '' };
    const entry = { type: 'file-history-snapshot', messageId: 'u1', snapshot, isSnapshotUpdate: false };
    return { sessionId: 'session', entries: [entry], messages: ['u1'] };
  };

  /** A rig with one copy whose content the attacker chose. */
  function plantedCopy(): { rig: CheckpointRig; copy: { backupFileName: string; version: number } } {
    const rig = new CheckpointRig();
    const folder = join(rig.home, 'file-history/session');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '0123456789abcdef@v1'), 'evil');
    return { rig, copy: { backupFileName: '0123456789abcdef@v1', version: 1 } };
  }

  test('cannot write or delete outside of the working directories', async () => {
    const { rig, copy } = plantedCopy();
    const outside = join(rig.base, 'outside.txt');
    writeFileSync(outside, 'mine');
    mkdirSync(join(rig.base, 'elsewhere'));
    symlinkSync(join(rig.base, 'elsewhere'), rig.path('link'));
    const absent = { backupFileName: null, version: 1 };
    const files = { '../outside.txt': copy, [join(rig.base, 'x')]: copy, 'link/y': copy, '../home': absent };
    const checkpoints = await rig.open({ stored: past({ ...files, [outside]: absent, 'ok.txt': copy }) });
    const { error } = await checkpoints.rewind('u1', real);
    expect(error?.match(/outside of the working directories/g)?.length).toBe(3);
    expect(readFileSync(outside, 'utf8')).toBe('mine');
    expect([existsSync(join(rig.base, 'x')), existsSync(join(rig.base, 'elsewhere/y'))]).toEqual([false, false]);
    expect(rig.files()).toEqual({ 'ok.txt': 'evil' });
  });

  test('cannot write what would run commands later', async () => {
    const { rig, copy } = plantedCopy();
    const checkpoints = await rig.open({ stored: past({ '.git/hooks/pre-commit': copy, '.mcp.json': copy }) });
    const { error } = await checkpoints.rewind('u1', real);
    expect(error?.match(/is protected/g)?.length).toBe(2);
    expect(rig.files()).toEqual({});
  });

  test('cannot name a copy that lies elsewhere', async () => {
    const { rig } = plantedCopy();
    writeFileSync(join(rig.base, 'secret'), 'secret');
    symlinkSync(join(rig.base, 'secret'), join(rig.home, 'file-history/session/aaaaaaaaaaaaaaaa@v1'));
    const named = (backupFileName: string) => ({ backupFileName, version: 1 });
    const files = { a: named('../../../secret'), b: named(join(rig.base, 'secret')), c: named('aaaaaaaaaaaaaaaa@v1') };
    const checkpoints = await rig.open({ stored: past({ ...files, ['__proto__']: named('x') }) });
    const { error } = await checkpoints.rewind('u1', real);
    expect(error?.match(/its copy is missing/g)?.length).toBe(4);
    expect(rig.files()).toEqual({});
  });
});

describe('what this run has tracked itself', () => {
  test('comes back outside of the working directories, too', async () => {
    const rig = new CheckpointRig();
    const outside = join(rig.base, 'outside.txt');
    writeFileSync(outside, 'one\n');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(outside, 'two\n');
    expect(rig.tracked()).toEqual({ [outside]: 1 });
    expect(await checkpoints.rewind('u1', real)).toEqual({ canRewind: true });
    expect(readFileSync(outside, 'utf8')).toBe('one\n');
  });

  test('does not come back through a link that was put in its way', async () => {
    const rig = new CheckpointRig();
    rig.write('sub/a.txt', 'one\n');
    mkdirSync(join(rig.base, 'elsewhere'));
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('sub/a.txt'), 'two\n');
    rmSync(rig.path('sub'), { recursive: true });
    symlinkSync(join(rig.base, 'elsewhere'), rig.path('sub'));
    expect((await checkpoints.rewind('u1', real)).error).toMatch(/outside of the working directories/);
    expect(existsSync(join(rig.base, 'elsewhere/a.txt'))).toBe(false);
  });

  test('a link in the place of the file is replaced, not followed', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const precious = join(rig.base, 'precious');
    writeFileSync(precious, 'mine');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    unlinkSync(rig.path('a.txt'));
    symlinkSync(precious, rig.path('a.txt'));
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
    expect(readFileSync(precious, 'utf8')).toBe('mine');
  });

  test('a file that shares its content with another name keeps the other name out of it', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    linkSync(rig.path('a.txt'), rig.path('b.txt'));
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  });
});
