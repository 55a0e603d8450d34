import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf, type Line, textsOf, toolResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';

const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });
const ALLOWED = ['--allowedTools', 'Bash'];

const outputsOf = (lines: readonly Line[]) => lines.filter(toolResult).flatMap(({ message }) => textsOf(message));

describe('[TOOL-02] the directory of commands', () => {
  test('is kept from call to call and from turn to turn', async () => {
    const place = await makePlace([bash('mkdir -p a/b && cd a/b'), bash('pwd'), 'there', bash('pwd'), 'still there']);
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    for (const prompt of ['go', 'and now?']) {
      cli.say(prompt);
      await cli.nextResult();
    }
    expect(outputsOf(cli.lines)).toEqual(['', join(place.cwd, 'a/b'), join(place.cwd, 'a/b')]);
  });

  test('does not leave those of the session; --add-dir names more of them', async () => {
    const place = await makePlace((_request, index) => [bash('cd ../other'), bash('pwd'), 'done'][index % 3] ?? 'done');
    const other = join(place.root, 'other');
    mkdirSync(other);
    const confined = await runCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
    expect(outputsOf(confined.lines)).toEqual([
      `[${other} is outside the directories of this session; the next command starts in ${place.cwd}.]`,
      place.cwd,
    ]);
    const widened = await runCli([...STREAM_OUT, 'go', ...ALLOWED, '--add-dir', other], { place });
    expect(outputsOf(widened.lines)).toEqual(['', realpathSync(other)]);
  });

  test('[K36] commands side by side share it', async () => {
    const place = await makePlace([bash('mkdir sub; cd sub'), [bash('pwd'), bash('sleep 0.1 && pwd')], 'done']);
    const { lines } = await runCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
    expect(outputsOf(lines)).toEqual(['', join(place.cwd, 'sub'), join(place.cwd, 'sub')]);
  });
});

describe('[TOOL-02] run_in_background', () => {
  const WAITS = bash('echo $$ > pid; echo begun; exec sleep 600', { run_in_background: true, timeout: 100 });

  async function pidIn(cwd: string): Promise<number> {
    const read = () => Number(existsSync(join(cwd, 'pid')) && readFileSync(join(cwd, 'pid'), 'utf8'));
    await eventually(() => read() > 0);
    return read();
  }

  test('does not hold the turn; the model may read its output without being asked', async () => {
    const place = await makePlace((request, index) => {
      if (index === 0) return WAITS;
      const file = /goes to (\S+);/.exec(JSON.stringify(request.body))?.[1];
      return index === 1 ? toolUse('Read', { file_path: file }) : 'done';
    });
    const cli = startCli([...STREAM_BOTH, ...ALLOWED], { place });
    cli.say('go');
    const started = await cli.next(({ type }) => type === 'user');
    expect(started.tool_use_result).toEqual({
      stdout: '',
      stderr: '',
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      backgroundTaskId: expect.stringMatching(/^b[0-9a-f]{6}$/),
    });
    const read = await cli.next(({ type }) => type === 'user');
    expect(toolResult(read)?.is_error).not.toBe(true);
    await cli.nextResult();
    expect(isAlive(await pidIn(place.cwd))).toBe(true);
  });

  test('is not ended by an interrupt, but by the end of the session', async () => {
    const place = await makePlace([WAITS, bash('touch reached; sleep 600'), 'fine']);
    const cli = startCli([...STREAM_BOTH, ...ALLOWED, '--on-end', 'stop'], { place });
    cli.say('go');
    await eventually(() => existsSync(join(place.cwd, 'reached')));
    const pid = await pidIn(place.cwd);
    await cli.control({ subtype: 'interrupt' });
    await cli.nextResult();
    expect(isAlive(pid)).toBe(true);
    cli.endInput();
    await cli.finished;
    expect(isAlive(pid)).toBe(false);
  });
});

test('[MSG-18, FLD-34] a long command gives signs of life, which are not recorded', async () => {
  const place = await makePlace([bash('sleep 1'), 'done']);
  const env = { HEDDLE_PROGRESS_MS: '200' };
  const { lines } = await runCli([...STREAM_OUT, 'go'], { place, env });
  const progress = lines.filter(({ type }) => type === 'tool_progress');
  expect(progress.length).toBeGreaterThanOrEqual(2);
  expect(progress[0]).toMatchObject({ tool_name: 'Bash', parent_tool_use_id: null, elapsed_time_seconds: 0.2 });
  expect(progress[1]).toMatchObject({ elapsed_time_seconds: 0.4 });
  const rest = lines.filter(({ type }) => type !== 'tool_progress').map(kindOf);
  expect(rest).toEqual(['system/init', 'assistant', 'user', 'assistant', 'result/success']);
});

test('[M-12, K34] 30 MB of output: little for the model and on the line, the whole in its file', async () => {
  const place = await makePlace([bash('head -c 30000000 /dev/zero | tr "\\0" x; echo; echo last'), 'done']);
  const { code, stdout, lines } = await runCli([...STREAM_OUT, 'go', ...ALLOWED], { place });
  expect(code).toBe(0);
  expect(JSON.stringify(place.api.requests[1]?.body).length).toBeLessThan(100_000);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(100_000);
  const file = /whole output is in (\S+)/.exec(outputsOf(lines)[0] ?? '')?.[1] ?? '';
  expect(readFileSync(file).length).toBe(30_000_006);
});

test('[K36] twenty commands together: all outputs, and no word on stderr', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `out-${n}`);
  const place = await makePlace([names.map((name) => bash(`sleep 0.2 && echo ${name}`)), 'done']);
  const { lines, stderr } = await runCli([...STREAM_OUT, 'go'], { place });
  expect(outputsOf(lines).sort()).toEqual([...names].sort());
  expect(stderr).toBe('');
});
