import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, fail, text, thinking, toolUse } from '../../src/testing/index.ts';
import { type CliOptions, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { sessionFiles } from '../support/session-files.ts';

const PROMPT = 'Make it better, then look around';
const ARGS = [...STREAM_OUT, '--include-partial-messages', '--allowedTools', 'Read,Edit,Bash,Glob,Grep'];
const SEED = { HEDDLE_SEED: 'e2e', BASH_MAX_OUTPUT_LENGTH: '500' };

/** A model that calls one tool after the other. One of the outputs is too large and goes to a file. */
function toolRun(cwd: string): AnswerLike[] {
  const file_path = join(cwd, 'a.txt');
  return [
    [thinking('First ', 'c2ln'), text('Let me ', 'look.'), toolUse('Read', { file_path })],
    toolUse('Edit', { file_path, old_string: 'good', new_string: 'better' }),
    toolUse('Bash', { command: `cat ${file_path} && seq 300` }),
    toolUse('Glob', { pattern: '*.txt' }),
    toolUse('Grep', { pattern: 'better' }),
    text('Done in ', cwd),
  ];
}

/** A place whose model knows where it is. */
async function makeRun(answers: (cwd: string) => AnswerLike[]): Promise<Place & { recording: string }> {
  const place = await makePlace((_, index) => answers(place.cwd)[index] ?? 'There is no more.');
  fillWork(place.cwd);
  return { ...place, recording: join(place.root, 'run.jsonl') };
}

function fillWork(cwd: string): void {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd);
  const file = join(cwd, 'a.txt');
  writeFileSync(file, 'This is good\n');
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

const record = ({ recording }: { recording: string }) => [...ARGS, '--record', recording, PROMPT];
const replay = ({ recording }: { recording: string }) => [...ARGS, '--model', `replay:${recording}`, PROMPT];

/** Runs it with fresh files and an empty home, and returns all that it leaves behind. */
async function runAnew(args: string[], options: CliOptions) {
  fillWork(options.place.cwd);
  rmSync(options.place.home, { recursive: true, force: true });
  const { code, stdout, stderr, lines } = await runCli(args, options);
  const [session = ''] = sessionFiles(options.place);
  return { code, stderr, stdout, lines, session, transcript: readFileSync(session, 'utf8') };
}

describe('a recorded run', () => {
  test('[P4] is replayed byte for byte, on stdout and on disk, without the API', async () => {
    const place = await makeRun(toolRun);
    const live = await runAnew(record(place), { place, env: SEED });
    expect(live).toMatchObject({ code: 0, stderr: '' });
    expect(live.lines.filter((line) => line.type === 'user')).toHaveLength(5);
    expect(live.stdout).toContain('tool-results');

    const asked = place.api.requests.length;
    const first = await runAnew(replay(place), { place, env: SEED });
    const second = await runAnew(replay(place), { place, env: SEED });
    expect(place.api.requests.length).toBe(asked);
    expect(second).toEqual(first);
    // The recorded run, too, apart from where its deltas were cut: a path is recorded whole.
    const withoutDeltas = ({ lines }: typeof live) => lines.filter((line) => kindOf(line) !== 'content_block_delta');
    expect(withoutDeltas(first)).toEqual(withoutDeltas(live));
    expect(first.transcript).toBe(live.transcript);
    expect(readFileSync(join(place.cwd, 'a.txt'), 'utf8')).toBe('This is better\n');
  });

  test('can be replayed in another directory, with other ids, and touches only that', async () => {
    const place = await makeRun(toolRun);
    const env = { BASH_MAX_OUTPUT_LENGTH: '500' };
    await runCli(record(place), { place, env });
    fillWork(place.cwd);
    const elsewhere = await makeRun(() => []);
    const noKey = { ...env, ANTHROPIC_API_KEY: undefined };
    const { code, lines } = await runCli(replay(place), { place: elsewhere, env: noKey });
    expect({ code, result: lines.at(-1)?.result }).toEqual({ code: 0, result: `Done in ${elsewhere.cwd}` });
    expect(lines[0]).toMatchObject({ model: 'claude-sonnet-4-5-20250929', cwd: elsewhere.cwd });
    expect(readFileSync(join(elsewhere.cwd, 'a.txt'), 'utf8')).toBe('This is better\n');
    expect(readFileSync(join(place.cwd, 'a.txt'), 'utf8')).toBe('This is good\n');
    expect(elsewhere.api.requests).toEqual([]);
  });

  test('[P4] fails with a diff when the run has changed', async () => {
    const place = await makeRun(toolRun);
    await runCli(record(place), { place });
    writeFileSync(join(place.cwd, 'a.txt'), 'This is not good\n');
    const { code, lines } = await runCli(replay(place), { place });
    expect(code).toBe(1);
    const result = lines.at(-1);
    expect(result).toMatchObject({ type: 'result', is_error: true, error_code: 'invalid_request' });
    expect(result?.result?.split('\n')).toEqual([
      `API Error: Request 2 of this run does not match the recording ${place.recording}.`,
      'First difference (- recorded, + this run), in message 3 (user), block 1 (tool_result), content:',
      '  -      1→This is good',
      '  +      1→This is not good',
      expect.stringContaining(`record again: the same run with --record ${place.recording}`),
    ]);

    const other = await runCli([...ARGS, '--model', `replay:${place.recording}`, 'Make it worse'], { place });
    expect(other.lines.at(-1)?.result).toContain(`  - ${PROMPT}\n  + Make it worse\n`);
  });

  test('repeats retries and the failure', async () => {
    const place = await makeRun(() => [
      fail(529, 'overloaded_error', 'Busy', { 'retry-after-ms': '5' }),
      fail(400, 'invalid_request_error', 'No such thing'),
    ]);
    const live = await runCli(record(place), { place });
    const again = await runCli(replay(place), { place });
    expect(live.lines.map(kindOf)).toEqual([
      'system/init',
      'system/status',
      'system/api_retry',
      'assistant',
      'result/success',
    ]);
    expect(again.lines.map(kindOf)).toEqual(live.lines.map(kindOf));
    expect(again.code).toBe(1);
    const told = ({ lines }: typeof live) =>
      lines.map(({ error, retry_delay_ms, result }) => [error, retry_delay_ms, result]);
    expect(told(again)).toEqual(told(live));
  });

  test('is readable only by its owner and holds no credential', async () => {
    const key = 'key-of-the-test';
    const place = await makeRun((cwd) => [
      toolUse('Read', { file_path: join(cwd, '.env') }),
      text('It says key-of', '-the-', 'test.'),
    ]);
    writeFileSync(join(place.cwd, '.env'), `ANTHROPIC_API_KEY=${key}\n`);
    writeFileSync(place.recording, '{"type":"recording","version":1}\n', { mode: 0o644 });
    const { lines } = await runCli(record(place), { place });
    expect(lines.at(-1)?.result).toBe(`It says ${key}.`);
    const recorded = readFileSync(place.recording, 'utf8');
    for (const part of [key, 'key-of', '-the-"', 'x-api-key']) expect(recorded).not.toContain(part);
    expect(recorded).toContain('ANTHROPIC_API_KEY=[credential hidden]');
    expect(statSync(place.recording).mode & 0o777).toBe(0o600);
    expect((await runCli(replay(place), { place })).lines.at(-1)?.result).toBe('It says REDACTED.');
  });

  test('keeps answering when the host changes the model, and tells hosts the same', async () => {
    const place = await makeRun(() => ['One', 'Two']);
    const converse = async (args: string[]) => {
      rmSync(place.home, { recursive: true, force: true });
      const cli = startCli([...STREAM_BOTH, ...args], { place, env: SEED });
      await cli.control({ subtype: 'initialize' });
      cli.say('one');
      await cli.nextResult();
      await cli.control({ subtype: 'set_model', model: 'opus' });
      cli.say('two');
      await cli.nextResult();
      cli.endInput();
      return cli.finished;
    };
    const live = await converse(['--record', place.recording]);
    expect(live.lines.flatMap(({ type, model }) => (type === 'system' ? [model] : []))).toEqual([
      'claude-sonnet-4-5-20250929',
      'claude-opus-4-6',
    ]);
    expect(await converse(['--model', `replay:${place.recording}`])).toEqual(live);
    expect(place.api.requests).toHaveLength(2);
  });
});

describe('a run that cannot start', () => {
  test('for a damaged recording, with its line', async () => {
    const place = await makePlace();
    writeFileSync(join(place.cwd, 'bad.jsonl'), '{"type":"recording","version":1}\nnonsense\n');
    const { code, stdout, stderr } = await runCli(['-p', '--model', 'replay:bad.jsonl', 'hi'], { place });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('heddle: bad.jsonl cannot be replayed: line 2 is not a JSON object\n');
  });

  test.each([
    ['a file that is something else', 'notes.txt', /notes\.txt cannot be written: it exists and is no recording/],
    [
      'a directory that does not exist',
      'no/where.jsonl',
      /where\.jsonl cannot be written: there is no such file or directory/,
    ],
    ['a device', '/dev/null', /\/dev\/null cannot be written: it is not a file/],
  ])('for --record with %s', async (_, file, message) => {
    const place = await makePlace(['Hi']);
    writeFileSync(join(place.cwd, 'notes.txt'), 'mine');
    const { code, stdout, stderr } = await runCli(['-p', '--record', file, 'hi'], { place });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(readFileSync(join(place.cwd, 'notes.txt'), 'utf8')).toBe('mine');
    expect(place.api.requests).toEqual([]);
  });
});
