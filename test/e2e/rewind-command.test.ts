import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hang, toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { sessionFile } from '../support/session-files.ts';

const ON = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' };
const uuid = (n: number) => `${n}0000000-0000-4000-8000-000000000000`;
const bash = (command: string) => toolUse('Bash', { command });
const write = (file_path: string, content: string) => toolUse('Write', { file_path, content });
const rewind = (place: Place, ...args: string[]) => runCli(['rewind', ...args], { place });

function files({ cwd }: Place): Record<string, string> {
  const names = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(cwd.length + 1), readFileSync(path, 'utf8')]));
}

const BEGINNING = { 'a.txt': 'one\n', 'gone.txt': 'here\n', 'steps.txt': 'first\n' };

/** A session of two turns that is over: the first makes a file, the second changes one and removes another. */
async function project() {
  const place = await makePlace([
    [write('new.txt', 'new\n'), bash('echo second > steps.txt')],
    'Made.',
    [bash('echo two > a.txt; rm gone.txt; echo third > steps.txt')],
    'Changed.',
    hang(),
  ]);
  for (const [name, content] of Object.entries(BEGINNING)) writeFileSync(join(place.cwd, name), content);
  const cli = startCli([...STREAM_BOTH, '--permission-mode', 'bypassPermissions'], { place, env: ON });
  let session = '';
  for (const n of [1, 2]) {
    cli.say(`message ${n}`, { uuid: uuid(n) });
    session = String((await cli.nextResult()).session_id);
  }
  cli.endInput();
  await cli.finished;
  return { place, session };
}

describe('heddle rewind', () => {
  test('[CHK-07, B-013] files that were changed, made and deleted; a dry run first', async () => {
    const { place, session } = await project();
    const after = files(place);
    const dry = await rewind(place, session, uuid(1), '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing was changed') });
    expect(dry.stdout.split('\n').sort()).toEqual(
      [
        `would remove   ${join(place.cwd, 'new.txt')}`,
        `would restore  ${join(place.cwd, 'a.txt')}`,
        `would restore  ${join(place.cwd, 'gone.txt')}`,
        `would restore  ${join(place.cwd, 'steps.txt')}`,
        '+3 -3 lines',
        '',
      ].sort(),
    );
    expect(files(place)).toEqual(after);

    const back = await rewind(place, session.slice(0, 8), uuid(2).slice(0, 8));
    expect(back).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('\nrestored  ') });
    expect(files(place)).toEqual({ ...BEGINNING, 'new.txt': 'new\n', 'steps.txt': 'second\n' });
    expect((await rewind(place, session, uuid(1))).code).toBe(0);
    expect(files(place)).toEqual(BEGINNING);
    expect(await rewind(place, session, uuid(1))).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('nothing to do'),
    });
    expect((await rewind(place, session, uuid(2))).code).toBe(0);
    expect(files(place)['steps.txt']).toBe('second\n');
  });

  test('what somebody changed after the last turn is not overwritten unless that is asked for', async () => {
    const { place, session } = await project();
    const file = join(place.cwd, 'a.txt');
    writeFileSync(file, 'my own work\n');
    const later = Date.now() / 1000 + 60;
    utimesSync(file, later, later);
    const before = files(place);
    const { code, stdout, stderr } = await rewind(place, session, uuid(2));
    expect(code).toBe(1);
    expect(stdout).toContain(`would restore  ${file}  (changed since)`);
    expect(stderr).toMatch(/1 of these files was changed after the last turn[\s\S]*--force[\s\S]*nothing was changed/);
    expect(files(place)).toEqual(before);
    expect(await rewind(place, session, uuid(2), '--force')).toMatchObject({ code: 0 });
    expect(files(place)['a.txt']).toBe('one\n');
  });

  test('[CHK-07] an unknown message, one without a checkpoint, a session without any', async () => {
    const { place, session } = await project();
    expect((await rewind(place, session, uuid(9))).stderr).toContain(`There is no message '${uuid(9)}'`);
    const tree = await runCli(['sessions', 'tree', '--json', session], { place });
    const answer = JSON.parse(tree.stdout).leaf_uuid;
    const { code, stderr } = await rewind(place, session, answer);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${uuid(1)}, ${uuid(2)}`)]);
    const plain = await makePlace(['ok']);
    await runCli(['-p', 'hi', '--session-id', uuid(7)], { place: plain });
    const node = JSON.parse((await runCli(['sessions', 'tree', '--json', uuid(7)], { place: plain })).stdout).nodes[0];
    expect((await rewind(plain, uuid(7), node.uuid)).stderr).toContain('run without checkpoints');
  });

  test('only below the current directory, whatever the session file says', async () => {
    const { place, session } = await project();
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    const before = files(place);
    const { code, stderr } = await runCli(['rewind', session, uuid(1)], { place, cwd: elsewhere });
    expect([code, stderr]).toEqual([1, expect.stringContaining('outside of the working directories')]);
    expect(files(place)).toEqual(before);
    expect((await runCli(['rewind', session, uuid(1), '--add-dir', place.cwd], { place, cwd: elsewhere })).code).toBe(
      0,
    );
    expect(files(place)).toEqual(BEGINNING);
  });

  test('not while a run has the session in use; a dry run may look, and writes nothing', async () => {
    const { place, session } = await project();
    const file = sessionFile(place, session);
    const running = startCli(['-p', 'more', '--resume', session, '--output-format', 'stream-json', '--verbose'], {
      place,
    });
    await running.next(({ type }) => type === 'system');
    expect(await rewind(place, session, uuid(1))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`in use by process ${running.pid}`),
    });
    const { size } = statSync(file);
    expect((await rewind(place, session, uuid(1), '--dry-run', '--json')).code).toBe(0);
    expect(statSync(file).size).toBe(size);
  });

  test('--help, and what is missing', async () => {
    const place = await makePlace();
    expect(await rewind(place, '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: heddle rewind'),
    });
    expect(await rewind(place, 'x')).toMatchObject({ code: 1, stderr: expect.stringContaining('MESSAGE is missing') });
    expect(existsSync(place.home)).toBe(false);
  });
});
