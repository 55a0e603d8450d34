import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { cast, task } from '../support/cast.ts';
import { runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { isResult, type Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { readEntries, sessionFiles } from '../support/session-files.ts';

interface Frame extends Line {
  filePath: string;
  entries: Line[];
}

const framesOf = (lines: readonly Line[]) => lines.filter(({ type }) => type === 'transcript_mirror') as Frame[];

/** What was mirrored, by file. */
function mirrored(lines: readonly Line[]): Record<string, Line[]> {
  const files: Record<string, Line[]> = {};
  for (const { filePath, entries } of framesOf(lines)) files[filePath] = [...(files[filePath] ?? []), ...entries];
  return files;
}

/** A file of the home, as hosts of the reference would name it. */
const namedForHost = ({ home, env }: Place, path: string) => join(env.HOME ?? '', '.claude', relative(home, path));

const script = () =>
  cast({
    MAIN: [task('CHILD go'), toolUse('Bash', { command: 'echo hi' }), 'All done.', 'Again.'],
    CHILD: [toolUse('Bash', { command: 'echo there' }), 'Tried it.'],
  });

test('[K48, B-175] with --session-mirror every entry of every transcript is printed, after it is on disk', async () => {
  const place = await makePlace(script());
  const cli = startCli([...STREAM_BOTH, '--session-mirror', '--allowedTools', 'Bash'], { place });
  cli.say('MAIN go');
  await cli.next(isResult);
  // What was heard so far is on disk, whatever becomes of the process.
  const heard = mirrored(cli.lines);
  for (const file of sessionFiles(place)) {
    const entries = heard[namedForHost(place, file)] ?? [];
    const stored = new Set(readFileSync(file, 'utf8').split('\n'));
    expect(entries.length).toBeGreaterThan(3);
    expect(entries.filter((entry) => !stored.has(JSON.stringify(entry)))).toEqual([]);
  }
  cli.say('more');
  cli.endInput();
  const { lines, code, stderr } = await cli.finished;
  expect([code, stderr]).toEqual([0, '']);
  const files = sessionFiles(place);
  expect(files).toHaveLength(2);
  expect(mirrored(lines)).toEqual(
    Object.fromEntries(files.map((file) => [namedForHost(place, file), readEntries(file)])),
  );
  // Nothing is said before its entry was mirrored, so that a host that has heard of it has it.
  const mirroredBefore = (uuid: unknown, at: number) =>
    framesOf(lines.slice(0, at)).some(({ entries }) => entries.some((entry) => entry.uuid === uuid));
  const said = lines.flatMap((line, at) => (line.type === 'assistant' ? [mirroredBefore(line.uuid, at)] : []));
  expect(said.length).toBeGreaterThan(3);
  expect(said).not.toContain(false);
  expect(Object.keys(framesOf(lines)[0] ?? {})).toEqual(['type', 'filePath', 'entries']);
});

test('[K48, K30] a fork mirrors what it has copied', async () => {
  const place = await makePlace(() => 'ok');
  const [first] = (await runCli([...STREAM_OUT, 'hello'], { place })).lines.filter(isResult);
  const forked = await runCli(
    [...STREAM_OUT, '--session-mirror', '--resume', String(first?.session_id), '--fork-session', 'on'],
    { place },
  );
  const [result] = forked.lines.filter(isResult);
  const file = sessionFiles(place).find((path) => path.includes(String(result?.session_id))) ?? '';
  expect(mirrored(forked.lines)).toEqual({ [namedForHost(place, file)]: readEntries(file) });
});

test('[K48, K34] frames stay below a megabyte, as other lines do', async () => {
  const place = await makePlace([toolUse('Bash', { command: 'true' }), 'x'.repeat(400_000), 'y'.repeat(400_000), 'ok']);
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
  for (const prompt of ['one', 'two']) {
    cli.say(`${prompt} ${'z'.repeat(300_000)}`);
    await cli.next(isResult);
  }
  cli.endInput();
  const { lines } = await cli.finished;
  const id = String(lines.find(isResult)?.session_id);
  const args = [...STREAM_OUT, '--session-mirror', '--resume', id, '--fork-session', 'on'];
  const forked = await runCli(args, { place });
  const sizes = forked.stdout.split('\n').filter((line) => line.includes('"transcript_mirror"'));
  expect(sizes.length).toBeGreaterThan(2);
  expect(sizes.filter((line) => line.length > 1_000_000)).toEqual([]);
});

test('[K48] without the flag nothing is mirrored, nor where nothing is kept, which is said', async () => {
  const place = await makePlace(() => 'ok');
  expect(framesOf((await runCli([...STREAM_OUT, 'hello'], { place })).lines)).toEqual([]);
  const unkept = await runCli([...STREAM_OUT, '--session-mirror', '--no-session-persistence', 'hello'], { place });
  expect(framesOf(unkept.lines)).toEqual([]);
  expect(unkept.stderr).toMatch(/--session-mirror/);
});

test('[K48] formats that hold no lines are not disturbed', async () => {
  const place = await makePlace(() => 'ok');
  const text = await runCli(['-p', '--session-mirror', 'hello'], { place });
  expect([text.stdout, text.code]).toEqual(['ok\n', 0]);
  const json = await runCli(['-p', '--session-mirror', '--output-format', 'json', '--verbose', 'hello'], { place });
  expect(JSON.parse(json.stdout).filter(({ type }: Line) => type === 'transcript_mirror')).toEqual([]);
});

test('[K48] a host that says with CLAUDE_CONFIG_DIR where its files are has them there, and goes on from there', async () => {
  const place = await makePlace(() => 'ok');
  const temporary = join(place.root, 'of-the-host');
  const env = { CLAUDE_CONFIG_DIR: temporary };
  const first = await runCli([...STREAM_OUT, '--session-mirror', 'hello'], { place, env });
  expect(sessionFiles(place)).toEqual([]);
  const [file = ''] = sessionFiles({ ...place, home: temporary });
  expect(mirrored(first.lines)).toEqual({ [file]: readEntries(file) });
  const id = String(first.lines.find(isResult)?.session_id);
  const second = await runCli([...STREAM_OUT, '--session-mirror', '--resume', id, 'on'], { place, env });
  expect(second.lines.find(isResult)).toMatchObject({ session_id: id, is_error: false });
});
