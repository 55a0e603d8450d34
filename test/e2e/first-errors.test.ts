import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { REFERENCE_COMMANDS } from '../../src/cli/commands/reference-commands.ts';
import { fail, toolUse } from '../../src/testing/index.ts';
import { CLI, runCli, STREAM_OUT } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { put } from '../support/put.ts';

/** The errors that somebody meets first: what happened, what to do, on stderr, with exit code 1. */
describe('a mistake on the command line', () => {
  test.each([
    [
      ['--modle', 'haiku', '-p', 'hi'],
      ["unknown option '--modle'", 'Did you mean --model?', 'Usage: heddle [options]'],
    ],
    [
      ['fix', 'the', 'bug'],
      ["unexpected argument 'the'", 'heddle -p "fix the bug"', 'Usage: heddle [options]'],
    ],
    [['sesions', 'list'], ['Did you mean heddle sessions?']],
    [['doctr'], ["unknown command 'doctr'", 'Did you mean heddle doctor?']],
    [['hlep'], ['Did you mean heddle help?', 'As a prompt: heddle -p "hlep"']],
    [['version'], ['Did you mean heddle --version?', 'As a prompt: heddle -p "version"']],
    [
      ['sessions', 'lst'],
      ["unknown command 'sessions lst'", 'Did you mean list?', 'Usage: heddle sessions COMMAND'],
    ],
    [
      ['sessions', 'list', '--al'],
      ['Did you mean --all?', 'Usage: heddle sessions list [--all]'],
    ],
    [
      ['sessions', 'rename'],
      ['SESSION is missing', 'Usage: heddle sessions rename '],
    ],
    [
      ['mcp', 'ad'],
      ['Did you mean add?', 'Usage: heddle mcp COMMAND'],
    ],
    [
      ['config', 'gte', 'model'],
      ['Did you mean get?', 'heddle config get KEY'],
    ],
    [
      ['hooks', 'tset'],
      ['Did you mean test?', 'heddle hooks test EVENT'],
    ],
    [
      ['permissions', 'explain', '--input', '{}'],
      ["option '--tool' is missing", 'Usage: heddle permissions explain'],
    ],
    [
      ['tasks', 'stop'],
      ['TASK is missing', 'Usage: heddle tasks stop'],
    ],
    [
      ['-p', '--allowedTools', 'Bash', 'fix it'],
      ['There is no prompt', '--allowedTools takes all words'],
    ],
    [
      ['sessions', 'show', 'nobody'],
      ["No session has the title 'nobody'", 'heddle sessions list --all'],
    ],
    [
      ['tasks', 'show', 'b1'],
      ["No task has the id 'b1'", 'heddle tasks list'],
    ],
    [['trust', '/nowhere/at/all'], ['The directory argument is not a directory: /nowhere/at/all']],
  ])('[K38] %j', async (argv, parts) => {
    const place = await makePlace();
    const { code, stdout, stderr } = await runCli(argv, { place });
    expect([code, stdout]).toEqual([1, '']);
    for (const part of parts) expect(stderr).toContain(part);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(place.api.requests).toEqual([]);
  });

  test.each(REFERENCE_COMMANDS)('heddle %s says what to use here, and asks no model', async (word) => {
    const place = await makePlace();
    for (const argv of [[word], [word, 'x', '--model', 'haiku']]) {
      const { code, stdout, stderr } = await runCli(argv, { place });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        new RegExp(`^heddle: heddle has no command '${word}'\\. \\S.*\nAs a prompt: heddle -p ${word}\n$`),
      );
    }
    expect(place.api.requests).toEqual([]);
  });

  test('after a flag such a word is a prompt, like any other', async () => {
    const place = await makePlace(['one', 'two']);
    expect(await runCli(['-p', 'update'], { place })).toMatchObject({ code: 0, stdout: 'one\n' });
    expect(await runCli(['--', 'agents'], { place })).toMatchObject({ code: 0, stdout: 'two\n' });
  });

  test('a single word that is near no command is a prompt', async () => {
    const place = await makePlace(['Hello.']);
    expect(await runCli(['hi'], { place })).toMatchObject({ code: 0, stdout: 'Hello.\n' });
  });
});

test.each([['doctor'], ['-p', 'hi'], ['sessions', 'list']])(
  '%s in a directory that is gone says so, without a stack',
  async (...argv) => {
    const place = await makePlace();
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', process.execPath, CLI, ...argv], {
      cwd: place.cwd,
      env: place.env,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('The current directory is gone');
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);

// /dev/full takes nothing: what a reader that is gone does to a pipe, without a race.
test.skipIf(!existsSync('/dev/full')).each([['--help'], ['--version'], ['help', 'mcp'], ['config', 'list'], ['trust']])(
  '%s that cannot be written ends with 1, without a stack',
  async (...argv) => {
    const place = await makePlace();
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const { status, stderr } = spawnSync(process.execPath, [CLI, ...argv], {
      cwd: place.cwd,
      env: place.env,
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, '']);
  },
);

describe('[M-1] a model API that fails for a while', () => {
  const script = [fail(529, 'overloaded_error', 'Busy', { 'retry-after-ms': '5' }), 'Hello.'];

  test.each([['text'], ['json']])('with %s each retry is told on stderr, with its reason', async (format) => {
    const place = await makePlace(script);
    const { code, stderr } = await runCli(['-p', 'hi', '--output-format', format], { place });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^heddle: .*Busy.* \(retry 1 of 10\)\n$/);
  });

  test('with stream-json its line is enough', async () => {
    const place = await makePlace(script);
    const { code, stderr, stdout } = await runCli([...STREAM_OUT, 'hi'], { place });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('"api_retry"');
  });
});

test('[P4] without a key, the line on stderr says by itself what to do', async () => {
  const place = await makePlace();
  const { code, stderr } = await runCli(['-p', 'hi'], { place, env: { ANTHROPIC_API_KEY: undefined } });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'heddle: No model credentials were found: set ANTHROPIC_API_KEY, store a key with heddle auth login, or try --model offline.\n',
  );
});

test('[G7] a call that was denied because nobody could be asked is told on stderr, with what allows it', async () => {
  const call = { file_path: 'x.txt', content: 'x' };
  const place = await makePlace([toolUse('Write', call), 'I could not.']);
  const { code, stdout, stderr } = await runCli(['-p', 'write it'], { place });
  expect([code, stdout, existsSync(join(place.cwd, 'x.txt'))]).toEqual([0, 'I could not.\n', false]);
  expect(stderr).toBe(
    'heddle: not permitted: Write: Write changes files, which the mode default asks for.' +
      ' To allow it: --permission-mode acceptEdits\n',
  );
});

test('[G7] of a command the part is told that nothing covers; of many denials five, and how many more', async () => {
  const place = await makePlace((_request, index) =>
    index < 7 ? toolUse('Bash', { command: `npm test && git push ${index}` }) : 'I could not.',
  );
  const { stderr } = await runCli(['-p', 'push it', '--allowedTools', 'Bash(npm test)'], { place });
  const lines = stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(6);
  expect(lines[1]).toBe(
    'heddle: not permitted: Bash: `git push 1` is not covered: not known to only read, and no rule allows it.' +
      " To allow it: --allowedTools 'Bash(git push 1)'",
  );
  expect(lines[5]).toBe('heddle: … and 2 more that were not permitted');
});

test('[R-18] settings that are no JSON are told with their place, and without a piece of what stands there', async () => {
  const place = await makePlace();
  put(join(place.home, 'settings.json'), '{\n  "env": {"ANTHROPIC_API_KEY": sk-not-in-quotes}\n}');
  const { code, stderr } = await runCli(['-p', 'hi'], { place });
  expect(code).toBe(1);
  expect(stderr).toContain('settings.json, line 2, column 32');
  expect(stderr).not.toContain('sk-');
});
