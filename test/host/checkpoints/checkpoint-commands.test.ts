import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Checkpoints } from '../../../src/host/checkpoints/checkpoints.ts';
import { Aborted } from '../../../src/util/abort.ts';
import { asOrdinaryUser } from '../../support/as-user.ts';
import { eventually } from '../../support/processes.ts';
import { begun, CheckpointRig, shell } from './checkpoint-rig.ts';

const real = { dryRun: false };

describe('what a command did', () => {
  test('is taken back: changes, new files, deletions, modes, moves', async () => {
    const files = {
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'sub/c.txt': 'c\n',
      'd.sh': 'd\n',
      'e.txt': 'e\n',
      'same.txt': 's\n',
    };
    const { rig, checkpoints } = await begun(files);
    chmodSync(rig.path('d.sh'), 0o744);
    await shell(checkpoints, 'echo A > a.txt; rm b.txt; mv sub moved; chmod 600 d.sh; echo x > new.txt; ln -s a.txt l');
    expect(rig.tracked()).toEqual({
      'new.txt': 0,
      'moved/c.txt': 0,
      l: 0,
      'a.txt': 1,
      'b.txt': 1,
      'sub/c.txt': 1,
      'd.sh': 1,
    });
    expect(await checkpoints.rewind('u1', real)).toEqual({ canRewind: true });
    expect(rig.files()).toEqual(files);
    expect(statSync(rig.path('d.sh')).mode & 0o777).toBe(0o744);
    expect(existsSync(rig.path('l'))).toBe(false);
  });

  test('counts from the message on, whatever edits and further commands came between', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    await checkpoints.workspace.writeFile(rig.path('a.txt'), 'two\n');
    await shell(checkpoints, 'echo three > a.txt; echo two > b.txt');
    await checkpoints.workspace.writeFile(rig.path('b.txt'), 'three\n');
    expect(rig.entries.length).toBe(3);
    await rig.prompt(checkpoints, 'u2');
    await shell(checkpoints, 'echo four > a.txt; rm b.txt');
    await checkpoints.rewind('u2', real);
    expect(rig.files()).toEqual({ 'a.txt': 'three\n', 'b.txt': 'three\n' });
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  });

  test('a folder that became a link to its own new place comes back', async () => {
    const { rig, checkpoints } = await begun({ 'src/a.txt': 'a\n' });
    await shell(checkpoints, 'mv src src2 && ln -s src2 src');
    expect(await checkpoints.rewind('u1', real)).toEqual({ canRewind: true });
    expect(rig.files()).toEqual({ 'src/a.txt': 'a\n' });
  });

  test('a file in the place of a folder gives way', async () => {
    const { rig, checkpoints } = await begun({ 'src/a.txt': 'a\n' });
    await shell(checkpoints, 'rm -r src && echo file > src');
    expect(await checkpoints.rewind('u1', real)).toEqual({ canRewind: true });
    expect(rig.files()).toEqual({ 'src/a.txt': 'a\n' });
  });

  test('is known also when the command failed or was interrupted', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    await shell(checkpoints, 'echo two > a.txt; exit 3');
    const stop = new AbortController();
    const running = shell(checkpoints, 'echo two > b.txt; sleep 60', stop.signal);
    await eventually(() => rig.files()['b.txt'] === 'two\n');
    stop.abort(new Aborted('interrupt'));
    await expect(running).rejects.toBeInstanceOf(Aborted);
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  });

  test('touching a file changes nothing', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'one\n' });
    await shell(checkpoints, 'touch a.txt; cp a.txt x; mv x a.txt');
    expect(rig.entries.length).toBe(1);
  });

  test('version control and installed packages are not looked at', async () => {
    const { rig, checkpoints } = await begun({ '.git/HEAD': 'one\n', 'node_modules/x/index.js': 'one\n' });
    await shell(checkpoints, 'echo two > .git/HEAD; echo two > node_modules/x/index.js; echo new > .git/new');
    expect(rig.entries.length).toBe(1);
  });

  test('our own folder inside of the project is not looked at', async () => {
    const rig = new CheckpointRig();
    const home = rig.path('state');
    const checkpoints = await rig.open({ home });
    await rig.prompt(checkpoints, 'u1');
    await shell(checkpoints, 'echo 1 > a.txt; mkdir -p state; echo 2 > state/own');
    expect(rig.tracked()).toEqual({ 'a.txt': 0 });
  });

  test('commands that only read are not watched at all', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'one\n' });
    await shell(checkpoints, 'cat a.txt && ls');
    await checkpoints.workspace
      .exec({ command: '/usr/bin/rg', args: ['x'], cwd: rig.cwd, env: {} }, new AbortController().signal)
      .catch(() => {});
    expect(rig.kept()).toEqual([]);
  });
});

describe('what was there before is never taken for new', () => {
  const left = async (rig: CheckpointRig, checkpoints: Checkpoints) => {
    await checkpoints.rewind('u1', real);
    return rig.files();
  };

  test('what the user makes between commands', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'one\n' });
    await shell(checkpoints, 'echo 1 > by-command.txt');
    rig.write('by-user.txt', 'mine\n');
    rig.write('a.txt', 'mine, too\n');
    await shell(checkpoints, 'echo 2 > by-command2.txt');
    expect(await left(rig, checkpoints)).toEqual({ 'a.txt': 'mine, too\n', 'by-user.txt': 'mine\n' });
  });

  test('what is moved in from outside, or out of a folder that is not looked at', async () => {
    const { rig, checkpoints } = await begun({ '.git/objects/1': 'history\n' });
    const outside = join(rig.base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious.txt'), 'mine\n');
    await sleep(60);
    await shell(checkpoints, `mv ${outside} inside; mv .git old-history; echo 1 > new.txt`);
    expect(await left(rig, checkpoints)).toEqual({
      'inside/precious.txt': 'mine\n',
      'old-history/objects/1': 'history\n',
    });
  });

  test('what is moved without a copy', async () => {
    const { rig, checkpoints } = await begun({ 'large.bin': 'x'.repeat(2000) }, { limits: { fileBytes: 1000 } });
    await sleep(60);
    await shell(checkpoints, 'mv large.bin moved.bin');
    expect(Object.keys(await left(rig, checkpoints))).toEqual(['moved.bin']);
  });

  test('the files of a directory that is added', async () => {
    const { rig, checkpoints } = await begun({});
    await shell(checkpoints, 'echo 1 > new.txt; sleep 3 & true');
    const added = join(rig.base, 'added');
    mkdirSync(added);
    writeFileSync(join(added, 'mine.txt'), 'mine\n');
    rig.roots.push(added);
    await checkpoints.endTurn();
    await checkpoints.rewind('u1', real);
    expect(readdirSync(added)).toEqual(['mine.txt']);
  });

  test('files in a folder that could not be read before', async () => {
    const { rig, checkpoints } = await begun({ 'closed/mine.txt': 'mine\n' });
    await asOrdinaryUser(rig.base, async () => {
      chmodSync(rig.path('closed'), 0o000);
      await shell(checkpoints, 'chmod 700 closed; echo 1 > new.txt');
      expect(await left(rig, checkpoints)).toEqual({ 'closed/mine.txt': 'mine\n' });
    });
  });

  test('files in a folder that cannot be read afterwards are not taken for deleted', async () => {
    const { rig, checkpoints } = await begun({ 'closed/mine.txt': 'mine\n' });
    await asOrdinaryUser(rig.base, async () => {
      await shell(checkpoints, 'chmod 000 closed');
      expect(rig.entries.length).toBe(1);
      chmodSync(rig.path('closed'), 0o700);
    });
  });
});

describe('limits', () => {
  test('beyond the number of files commands are not watched, and that is said once', async () => {
    const { rig, checkpoints } = await begun({ a: '', b: '', c: '' }, { limits: { names: 2 } });
    await shell(checkpoints, 'echo 1 > a');
    await shell(checkpoints, 'echo 2 > b');
    expect(rig.warnings).toEqual([expect.stringMatching(/more than 2 files/)]);
    expect(rig.entries.length).toBe(1);
    await checkpoints.workspace.writeFile(rig.path('c'), 'edits still are\n');
    expect(rig.tracked()).toEqual({ c: 1 });
  });

  test('a command that makes too many: what it changed of the known files is still found', async () => {
    const { rig, checkpoints } = await begun({ a: 'one\n', b: 'one\n' }, { limits: { names: 20 } });
    await shell(checkpoints, 'echo two > a; rm b; for i in $(seq 50); do echo $i > new$i; done');
    expect(rig.warnings.length).toBe(1);
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toMatchObject({ a: 'one\n', b: 'one\n' });
  });

  test('files that are too large, or too much in all, are left alone, and that is said once', async () => {
    const files = { 'large.txt': 'x'.repeat(100), a: 'a'.repeat(30), b: 'b'.repeat(30), c: 'c'.repeat(30) };
    const { rig, checkpoints } = await begun(files, { limits: { fileBytes: 50, totalBytes: 70 } });
    await shell(checkpoints, 'for f in *; do echo changed > $f; done');
    await shell(checkpoints, 'for f in *; do echo again > $f; done');
    expect(rig.warnings).toEqual([expect.stringMatching(/too large/)]);
    await checkpoints.rewind('u1', real);
    const back = Object.entries(rig.files()).filter(([name, content]) => content === files[name as keyof typeof files]);
    expect(back.length).toBe(2);
    expect(rig.files()['large.txt']).toBe('again\n');
  });

  test('copies are made once, not for every command, and go with the session', async () => {
    const { rig, checkpoints } = await begun({ a: 'a', b: 'b', c: 'c' });
    const holding = join(rig.home, 'file-history/.before-commands');
    const copies = () => readdirSync(holding).map((run) => readdirSync(join(holding, run)).sort().join());
    await shell(checkpoints, 'true; touch /dev/null');
    const first = copies();
    await shell(checkpoints, 'echo 1 > /dev/null');
    expect([first, copies()]).toEqual([['1,2,3'], ['1,2,3']]);
    await shell(checkpoints, 'echo A > a');
    const long = new Date(Date.now() - 30 * 24 * 3600 * 1000);
    for (const run of ['abandoned', 'alive']) mkdirSync(join(holding, run));
    utimesSync(join(holding, 'abandoned'), long, long);
    await checkpoints.close();
    expect(readdirSync(holding)).toEqual(['alive']);
    expect(rig.kept()).toEqual([expect.stringMatching(/^[0-9a-f]{16}@v1$/)]);
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ a: 'a', b: 'b', c: 'c' });
  });

  test('an interrupt ends the look before a command, and the command does not run', async () => {
    const { rig, checkpoints } = await begun(
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, 'x'])),
    );
    const stop = new AbortController();
    stop.abort(new Aborted('interrupt'));
    await expect(shell(checkpoints, 'echo 1 > new', stop.signal)).rejects.toBeInstanceOf(Aborted);
    await shell(checkpoints, 'echo 2 > f1');
    await checkpoints.rewind('u1', real);
    expect(Object.keys(rig.files()).length).toBe(50);
  });
});

describe('commands in the background', () => {
  test('what they did by the end of the turn is taken back, with what others did meanwhile', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
    const stop = new AbortController();
    const background = shell(checkpoints, 'echo two > a.txt; sleep 60', stop.signal).catch(() => {});
    await eventually(() => rig.files()['a.txt'] === 'two\n');
    await shell(checkpoints, 'echo two > b.txt');
    expect(rig.tracked()).toEqual({ 'a.txt': 1, 'b.txt': 1 });
    await checkpoints.endTurn();
    stop.abort(new Aborted('interrupt'));
    await background;
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  });

  test('a process that a command left behind counts as well', async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'one\n' });
    const { stillRunning } = await shell(checkpoints, '(sleep 1.2; echo two > a.txt; sleep 60) & true');
    expect(stillRunning).toBe(true);
    await eventually(() => rig.files()['a.txt'] === 'two\n');
    await checkpoints.endTurn();
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'one\n' });
  });

  test("what changes while no turn is running may be the user's work and stays", async () => {
    const { rig, checkpoints } = await begun({ 'a.txt': 'one\n' });
    const stop = new AbortController();
    const background = shell(checkpoints, 'echo new > new.txt; sleep 60', stop.signal).catch(() => {});
    await eventually(() => existsSync(rig.path('new.txt')));
    await checkpoints.endTurn();
    rig.write('a.txt', 'mine\n');
    rig.write('mine.txt', 'mine\n');
    await rig.prompt(checkpoints, 'u2');
    await checkpoints.endTurn();
    rig.write('mine2.txt', 'mine\n');
    stop.abort(new Aborted('interrupt'));
    await background;
    await checkpoints.rewind('u1', real);
    expect(rig.files()).toEqual({ 'a.txt': 'mine\n', 'mine.txt': 'mine\n', 'mine2.txt': 'mine\n' });
  });
});

test('what did not change in content is not tracked, among many files', async () => {
  const files = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`d${at % 50}/f${at}`, 'content']));
  const { rig, checkpoints } = await begun(files);
  await shell(checkpoints, 'echo 1 > first');
  utimesSync(rig.path('d1/f1'), 0, 0);
  symlinkSync('d1', rig.path('link-to-folder'));
  await shell(checkpoints, 'echo 1 > second');
  expect(rig.tracked()).toEqual({ first: 0, second: 0 });
});
