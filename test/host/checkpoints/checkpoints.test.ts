import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileSnapshot } from '../../../src/sessions/tree/checkpoint-entries.ts';
import { checkpointedWorkspace } from '../../../src/tools/workspace/checkpointed-workspace.ts';
import type { Workspace } from '../../../src/tools/workspace.ts';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { CheckpointRig } from './checkpoint-rig.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;
const dry = { dryRun: true };
const real = { dryRun: false };

describe('edits', () => {
  test('[CHK-02, CHK-03] one full snapshot per prompt, one update per first change of a file', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'three\n');
    await checkpoints.workspace.writeFile(rig.path('sub/new.txt'), 'new\n');
    expect(rig.entries.map(({ isSnapshotUpdate }) => isSnapshotUpdate)).toEqual([false, true, true]);
    expect(rig.tracked()).toEqual({ 'a.txt': 1, 'sub/new.txt': 0 });
    await rig.prompt(checkpoints, 'u2');
    await rig.prompt(checkpoints, 'u3');
    const versions = rig.entries
      .slice(3)
      .map(({ snapshot }) =>
        Object.values((snapshot as FileSnapshot).trackedFileBackups).map(({ version }) => version),
      );
    expect(versions).toEqual([
      [2, 2],
      [2, 2],
    ]);
  });

  test('[QM-02, CHK-07] go back to any message: content, mode, and whether the file is there at all', async () => {
    const rig = new CheckpointRig();
    chmodSync(rig.write('run.sh', 'echo 1\n'), 0o750);
    rig.write('gone.txt', 'here\n');
    const checkpoints = await rig.open();
    const { workspace } = checkpoints;
    await rig.prompt(checkpoints, 'u1');
    await workspace.writeFile(rig.path('run.sh'), 'echo 2\n');
    await workspace.writeFile(rig.path('gone.txt'), 'changed\n');
    await rig.prompt(checkpoints, 'u2');
    await workspace.writeFile(rig.path('deep/er/new.txt'), 'new\n');
    await workspace.writeFile(rig.path('run.sh'), 'echo 3\n');
    chmodSync(rig.path('run.sh'), 0o600);
    rmSync(rig.path('gone.txt'));
    await rig.prompt(checkpoints, 'u3');

    expect(await checkpoints.rewind('u1', real)).toEqual({ canRewind: true });
    expect(rig.files()).toEqual({ 'run.sh': 'echo 1\n', 'gone.txt': 'here\n' });
    expect(modeOf(rig.path('run.sh'))).toBe(0o750);

    await checkpoints.rewind('u3', real);
    expect(rig.files()).toEqual({ 'run.sh': 'echo 3\n', 'deep/er/new.txt': 'new\n' });
    await checkpoints.rewind('u2', real);
    expect(rig.files()).toEqual({ 'run.sh': 'echo 2\n', 'gone.txt': 'changed\n' });
  });

  test('[B-013] a dry run says what would change and changes nothing', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'line1\nline2\nline3\n');
    rig.write('same.txt', 'same\n');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'line1\nLINE2\nline3\nline4\n');
    await checkpoints.workspace.writeFile(rig.path('same.txt'), 'same\n');
    await checkpoints.workspace.writeFile(rig.path('new.txt'), 'a\nb\nc');
    const before = rig.files();
    expect(await checkpoints.rewind('u1', dry)).toEqual({
      canRewind: true,
      filesChanged: [rig.path('a.txt'), rig.path('new.txt')],
      insertions: 1,
      deletions: 5,
    });
    expect(rig.files()).toEqual(before);
  });

  test('binary and very different files are counted without being compared for long', async () => {
    const rig = new CheckpointRig();
    const lines = (word: string) => Array.from({ length: 5000 }, (_, at) => `${word} ${at}\n`).join('');
    rig.write('text.txt', lines('then'));
    rig.write('picture', 'a\0b\n');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('text.txt'), lines('now'));
    await checkpoints.workspace.writeFile(rig.path('picture'), 'c\0d\n');
    expect(await checkpoints.rewind('u1', dry)).toMatchObject({ insertions: 5000, deletions: 5000 });
  });

  test('a file that is reached through a symlink is kept under its own name, once', async () => {
    const rig = new CheckpointRig();
    rig.write('target.txt', 'one\n');
    symlinkSync('target.txt', rig.path('link.txt'));
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('link.txt'), 'two\n');
    await checkpoints.workspace.writeFile(rig.path('target.txt'), 'three\n');
    expect(rig.tracked()).toEqual({ 'target.txt': 1 });
    await checkpoints.rewind('u1', real);
    expect(readFileSync(rig.path('link.txt'), 'utf8')).toBe('one\n');
  });

  test('a file is kept and that is recorded before it changes: a kill in between loses nothing', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const first = await rig.open();
    await rig.prompt(first, 'u1');
    const atWrite = new Promise<[unknown, string[]]>((resolve) => {
      const writeFile: Workspace['writeFile'] = async (path, _data, keep) => {
        await keep?.({ path, at: path });
        resolve([rig.tracked(), rig.kept()]);
        return new Promise<void>(() => {}); // killed here
      };
      const inner = { ...first.workspace, writeFile };
      checkpointedWorkspace(inner, first).writeFile(rig.path('a.txt'), 'two\n');
    });
    expect(await atWrite).toEqual([{ 'a.txt': 1 }, [expect.stringMatching(/@v1$/)]]);
    rig.write('a.txt', 'half of wh');
    await (await rig.open()).rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
  });

  test('a file that cannot be kept is not changed, and the error says why', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    mkdirSync(rig.home, { recursive: true });
    writeFileSync(join(rig.home, 'file-history'), 'in the way');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    const write = checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    await expect(write).rejects.toThrow(/a\.txt was not changed.*could not be kept/);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
  });

  test('a file whose checkpoint cannot be recorded is not changed, and is kept at the next try', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    rig.storeFails = new Error('no space left');
    await expect(checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n')).rejects.toThrow(/no space left/);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
    rig.storeFails = null;
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
  });

  test('[G8] the folder is private, and copies have the mode of their file', async () => {
    const rig = new CheckpointRig();
    chmodSync(rig.write('a.txt', 'one\n'), 0o640);
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    expect(existsSync(join(rig.home, 'file-history'))).toBe(false);
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    const folder = join(rig.home, 'file-history', 'session');
    expect([modeOf(join(rig.home, 'file-history')), modeOf(folder)]).toEqual([0o700, 0o700]);
    expect(rig.kept().map((name) => [/^[0-9a-f]{16}@v1$/.test(name), modeOf(join(folder, name))])).toEqual([
      [true, 0o640],
    ]);
  });

  test('a tracked file that becomes unreadable is left alone, and prompts go on', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    await asOrdinaryUser(rig.base, async () => {
      const checkpoints = await rig.open();
      await rig.prompt(checkpoints, 'u1');
      await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
      chmodSync(rig.path('a.txt'), 0o000);
      await rig.prompt(checkpoints, 'u2');
      expect(rig.warnings).toEqual([expect.stringMatching(/a\.txt cannot be kept any more/)]);
      expect(await checkpoints.rewind('u2', real)).toEqual({
        canRewind: true,
        error: expect.stringMatching(/a\.txt \(no copy from that moment was kept\)/),
      });
      await checkpoints.rewind('u1', real);
      expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
    });
  });
});

describe('a rewind', () => {
  test('[CHK-07] of an unknown message is refused', async () => {
    const rig = new CheckpointRig();
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await expect(checkpoints.rewind('u9', real)).rejects.toMatchObject({ errorCode: 'no_checkpoint' });
  });

  test('makes the model read again what it changed, and nothing else', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    rig.write('b.txt', 'one\n');
    symlinkSync('a.txt', rig.path('link.txt'));
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    for (const name of ['a.txt', 'link.txt', 'b.txt']) rig.seen.set(rig.path(name), { digest: 'd', whole: true });
    await checkpoints.rewind('u1', dry);
    expect(rig.seen.size).toBe(3);
    await checkpoints.rewind('u1', real);
    expect([...rig.seen.keys()]).toEqual([rig.path('b.txt')]);
  });

  test('names what it cannot bring back, and brings back the rest', async () => {
    const rig = new CheckpointRig();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) rig.write(name, 'one\n');
    const checkpoints = await rig.open();
    await rig.prompt(checkpoints, 'u1');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await checkpoints.workspace.writeFile(rig.path(name), 'two\n');
    unlinkSync(join(rig.home, 'file-history/session', String(rig.backups()['a.txt']?.backupFileName)));
    unlinkSync(rig.path('b.txt'));
    rig.write('b.txt/mine', 'x');
    const { error } = await checkpoints.rewind('u1', real);
    expect(error).toMatch(/a\.txt \(its copy is missing\).*b\.txt \(a directory is in its place, and not empty\)/);
    expect(rig.files()).toEqual({ 'a.txt': 'two\n', 'b.txt/mine': 'x', 'c.txt': 'one\n' });
  });

  test('[CHK-04] works in another run of the session, for the messages of its branch', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const first = await rig.open();
    await rig.prompt(first, 'u1');
    await first.workspace.writeFile(rig.path('a.txt'), 'two\n');
    await rig.prompt(first, 'u2');
    await first.workspace.writeFile(rig.path('b.txt'), 'new\n');
    await first.close();

    const entries = rig.entries;
    const second = await rig.open({ stored: { sessionId: 'session', entries, messages: ['u1', 'answer1'] } });
    await expect(second.rewind('u2', real)).rejects.toMatchObject({ errorCode: 'no_checkpoint' });
    await rig.prompt(second, 'u3');
    await second.workspace.writeFile(rig.path('a.txt'), 'three\n');
    // The files know no branches: what the other one has left is taken back, too.
    expect(await second.rewind('u1', real)).toEqual({ canRewind: true });
    expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
    await second.rewind('u3', real);
    expect(rig.files()).toEqual({ 'a.txt': 'two\n', 'b.txt': 'new\n' });
  });

  test('versions go on in another run: no copy is overwritten', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const first = await rig.open();
    await rig.prompt(first, 'u1');
    await first.workspace.writeFile(rig.path('a.txt'), 'two\n');
    const other = await rig.open();
    await rig.prompt(first, 'u2');
    await first.workspace.writeFile(rig.path('a.txt'), 'three\n');
    await rig.prompt(other, 'u3'); // knows nothing of the second version
    expect(
      rig
        .kept()
        .map((name) => name.slice(16))
        .sort(),
    ).toEqual(['@v1', '@v2', '@v3']);
    await first.rewind('u2', real);
    expect(rig.files()).toEqual({ 'a.txt': 'two\n' });
  });

  test('a fork begins with what its source has kept, and leaves that alone', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const first = await rig.open();
    await rig.prompt(first, 'u1');
    await first.workspace.writeFile(rig.path('a.txt'), 'two\n');
    const stored = { sessionId: 'session', entries: rig.entries, messages: ['u1', 'answer1'] };
    const before = rig.kept();
    rig.entries = [];
    const fork = await rig.open({ sessionId: 'fork', stored });
    expect(rig.entries).toEqual(stored.entries);
    await rig.prompt(fork, 'u2');
    await fork.workspace.writeFile(rig.path('a.txt'), 'three\n');
    rmSync(join(rig.home, 'file-history/session'), { recursive: true });
    await fork.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
    expect(before.every((name) => rig.kept('fork').includes(name))).toBe(true);
  });

  test('where nothing is stored, nothing is left', async () => {
    const rig = new CheckpointRig();
    rig.write('a.txt', 'one\n');
    const checkpoints = await rig.open({ append: null });
    await rig.prompt(checkpoints, 'u1');
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    expect(rig.kept().length).toBe(1);
    await checkpoints.close();
    expect(rig.kept()).toEqual([]);
  });
});
