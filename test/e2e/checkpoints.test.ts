import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Options } from '../../src/sdk/index.ts';
import { hang, toolUse } from '../../src/testing/index.ts';
import { engine as engineModule, sdk } from '../support/built.ts';
import { type RunningCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { fakeAgent } from '../support/fake-agent.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

const ON = { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' };
const uuid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const bash = (command: string) => toolUse('Bash', { command });
const write = (file_path: string, content: string) => toolUse('Write', { file_path, content });
const edit = (file_path: string, old_string: string, new_string: string) =>
  toolUse('Edit', { file_path, old_string, new_string });
const read = (file_path: string) => toolUse('Read', { file_path });

function start(place: Place, ...flags: string[]): RunningCli {
  return startCli([...STREAM_BOTH, '--permission-mode', 'bypassPermissions', ...flags], { place, env: ON });
}

async function say(cli: RunningCli, n: number): Promise<string> {
  cli.say(`message ${n}`, { uuid: uuid(n) });
  return String((await cli.nextResult()).session_id);
}

async function rewind(cli: RunningCli, n: number, more: object = {}): Promise<unknown> {
  const answer = await cli.control({ subtype: 'rewind_files', user_message_id: uuid(n), ...more });
  return answer.response ?? answer.error;
}

function files({ cwd }: Place): Record<string, string> {
  const names = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(cwd.length + 1), readFileSync(path, 'utf8')]));
}

/** Three turns: a tool writes and edits, a command does everything else. */
async function project(): Promise<Place> {
  const place = await makePlace([
    [write('new.txt', 'new\n')],
    'Written.',
    [read('a.txt')],
    [edit('a.txt', 'line2', 'LINE2')],
    'Edited.',
    [bash('echo by-command > made.txt; rm b.txt; sed -i s/line3/LINE3/ a.txt; chmod 600 run.sh')],
    'Ran.',
    'Hello.',
  ]);
  const at = (name: string) => join(place.cwd, name);
  writeFileSync(at('a.txt'), 'line1\nline2\nline3\n');
  writeFileSync(at('b.txt'), 'b\n');
  writeFileSync(at('run.sh'), 'echo\n');
  chmodSync(at('run.sh'), 0o755);
  return place;
}

const BEGINNING = { 'a.txt': 'line1\nline2\nline3\n', 'b.txt': 'b\n', 'run.sh': 'echo\n' };

describe('rewinding', () => {
  test('[QM-02, CHK-07, B-013] edits and commands, in the run that made them', async () => {
    const place = await project();
    const cli = start(place);
    for (const n of [1, 2, 3]) await say(cli, n);
    expect(files(place)).toMatchObject({ 'a.txt': 'line1\nLINE2\nLINE3\n', 'made.txt': 'by-command\n' });

    expect(await rewind(cli, 3, { dry_run: true })).toEqual({
      canRewind: true,
      filesChanged: expect.arrayContaining(
        ['a.txt', 'b.txt', 'made.txt', 'run.sh'].map((name) => join(place.cwd, name)),
      ),
      insertions: 2,
      deletions: 2,
    });
    expect(await rewind(cli, 3)).toEqual({ canRewind: true });
    expect(files(place)).toEqual({ ...BEGINNING, 'a.txt': 'line1\nLINE2\nline3\n', 'new.txt': 'new\n' });
    expect(statSync(join(place.cwd, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(await rewind(cli, 1)).toEqual({ canRewind: true });
    expect(files(place)).toEqual(BEGINNING);
    expect(await rewind(cli, 9)).toMatch(/no file checkpoint/);
    cli.endInput();
    expect((await cli.finished).code).toBe(0);
  });

  test('[CHK-04] after a resume, and the conversation goes on', async () => {
    const place = await project();
    const first = start(place);
    let id = '';
    for (const n of [1, 2, 3]) id = await say(first, n);
    first.endInput();
    await first.finished;
    const second = start(place, '--resume', id);
    expect(await rewind(second, 1)).toEqual({ canRewind: true });
    expect(files(place)).toEqual(BEGINNING);
    await say(second, 4);
    expect(await rewind(second, 3)).toEqual({ canRewind: true });
    expect(files(place)['a.txt']).toBe('line1\nLINE2\nline3\n');
    await rewind(second, 4);
    expect(files(place)).toEqual(BEGINNING);
  });

  test('after a resume at an earlier message: what the other branch did is taken back, its messages are not known', async () => {
    const place = await project();
    const first = start(place);
    await say(first, 1);
    const at = String(first.lines.findLast(({ type }) => type === 'assistant')?.uuid);
    const id = await say(first, 2);
    first.endInput();
    await first.finished;
    const second = start(place, '--resume', id, '--resume-session-at', at);
    expect(await rewind(second, 2)).toMatch(/no file checkpoint/);
    expect(await rewind(second, 1)).toEqual({ canRewind: true });
    expect(files(place)).toEqual(BEGINNING);
  });

  test('[S-5] after a kill -9 in the middle of a turn', async () => {
    const place = await makePlace([[read('a.txt')], [edit('a.txt', 'one', 'two')], hang()]);
    writeFileSync(join(place.cwd, 'a.txt'), 'one\n');
    const first = start(place);
    first.say('go', { uuid: uuid(1) });
    await eventually(() => files(place)['a.txt'] === 'two\n', 10_000);
    first.kill('SIGKILL');
    await first.finished;
    const id = String(first.lines[0]?.session_id);
    const second = start(place, '--resume', id);
    expect(await rewind(second, 1)).toEqual({ canRewind: true });
    expect(files(place)).toEqual({ 'a.txt': 'one\n' });
  });

  test('whenever it is killed, a file that has changed can be brought back', async () => {
    for (const waitMs of [0, 1, 2, 4, 8]) {
      const place = await makePlace([[read('a.txt')], [edit('a.txt', 'one', 'two')], hang()]);
      writeFileSync(join(place.cwd, 'a.txt'), 'one\n');
      const first = start(place);
      first.say('go', { uuid: uuid(1) });
      const folder = join(place.home, 'file-history');
      await eventually(() => existsSync(folder) || place.api.requests.length === 3, 10_000);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      first.kill('SIGKILL');
      await first.finished;
      const second = start(place, '--resume', String(first.lines[0]?.session_id));
      expect(await rewind(second, 1)).toEqual({ canRewind: true });
      expect(files(place)['a.txt']).toBe('one\n');
      second.kill('SIGKILL');
    }
  });
});

describe('on disk', () => {
  test('[CHK-01] a copy for each state, private, and nothing that only the run needed', async () => {
    const place = await project();
    const cli = start(place);
    let id = '';
    for (const n of [1, 2, 3]) id = await say(cli, n);
    cli.endInput();
    await cli.finished;
    const folder = join(place.home, 'file-history');
    expect(readdirSync(folder)).toEqual([id]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const entries = readEntries(sessionFile(place, id)).filter(({ type }) => type === 'file-history-snapshot');
    const named = entries.flatMap(({ snapshot }) =>
      Object.values(
        (snapshot as { trackedFileBackups: Record<string, { backupFileName: string | null }> }).trackedFileBackups,
      ),
    );
    const names = new Set(named.flatMap(({ backupFileName }) => backupFileName ?? []));
    expect(new Set(readdirSync(join(folder, id)))).toEqual(names);
  });

  test('[CHK-05, OPT-11] nothing at all when they are off', async () => {
    const place = await makePlace([[write('new.txt', 'new\n')], [bash('echo 1 > new.txt')], 'Done.']);
    const cli = startCli([...STREAM_BOTH, '--permission-mode', 'bypassPermissions'], { place });
    const id = await say(cli, 1);
    expect(await rewind(cli, 1)).toMatch(/without enableFileCheckpointing/);
    expect(existsSync(join(place.home, 'file-history'))).toBe(false);
    expect(readFileSync(sessionFile(place, id), 'utf8')).not.toContain('file-history-snapshot');
  });
});

describe('the SDK', () => {
  test('[CHK-06, OPT-11] sets the variable, and only when asked', async () => {
    const launch = async (options: Options) => {
      const agent = fakeAgent(await makePlace());
      const run = sdk.query({ prompt: 'hi', options: { pathToClaudeCodeExecutable: agent.path, env: {}, ...options } });
      for await (const _message of run);
      return agent.recorded().env.CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING;
    };
    expect(await launch({ enableFileCheckpointing: true })).toBe('true');
    expect(await launch({ enableFileCheckpointing: false })).toBe(undefined);
    expect(await launch({})).toBe(undefined);
  });

  test.each(['subprocess', 'in-process'])('[K13, QM-02] rewindFiles: %s', async (hosting) => {
    const place = await makePlace([[write('new.txt', 'new\n')], 'Done.']);
    const options: Options = {
      cwd: place.cwd,
      env: place.env,
      enableFileCheckpointing: true,
      permissionMode: 'acceptEdits',
    };
    if (hosting === 'in-process') {
      const engine = engineModule.createEngine({ cwd: place.cwd });
      onTestFinished(() => engine.close());
      options.transport = engineModule.inProcess(engine);
    }
    const path = join(place.cwd, 'new.txt');
    let more: (() => void) | undefined;
    const end = new Promise<void>((resolve) => {
      more = resolve;
    });
    async function* prompts() {
      yield { type: 'user', message: { role: 'user', content: 'hi' }, uuid: uuid(1) } as never;
      await end;
    }
    const run = sdk.query({ prompt: prompts(), options });
    onTestFinished(async () => void (await run.close()));
    for await (const message of run) {
      if (message.type !== 'result') continue;
      expect(await run.rewindFiles(uuid(1), { dryRun: true })).toEqual({
        canRewind: true,
        filesChanged: [path],
        insertions: 0,
        deletions: 1,
      });
      expect(existsSync(path)).toBe(true);
      expect(await run.rewindFiles(uuid(1))).toEqual({ canRewind: true });
      await expect(run.rewindFiles(uuid(9))).rejects.toThrow(/no file checkpoint/);
      more?.();
    }
    expect(existsSync(path)).toBe(false);
  });
});
