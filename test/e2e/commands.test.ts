import { describe, expect, test } from 'vitest';
import { reply, text } from '../../src/testing/index.ts';
import { apiFaults } from '../support/api-faults.ts';
import { type RunningCli, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { kindOf, type Line, textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { readEntries, sessionFile, sessionFiles } from '../support/session-files.ts';

const COMMANDS = [
  ...['debug', 'init', 'review', 'branch', 'clear', 'compact', 'context', 'cost', 'fork', 'help', 'memory', 'model'],
];
const TURN = ['system/init', 'user', 'result/success'];

describe('local commands', () => {
  test.each([
    ['/help', /^Commands:\n {2}\/debug [\s\S]*\/model \[name\]/],
    ['/cost', /^Total cost: +\$0\.0\d+\n[\s\S]*claude-sonnet-4-5-20250929: 1000 in, 7 out/],
    ['/context', /^claude-sonnet-4-5-20250929: 1107 of 200000 tokens \(0\.6 %\)\n[\s\S]*Messages +about \d+/],
    ['/model', /^The model is claude-sonnet-4-5-20250929\.$/],
    ['/model haiku', /^The model is claude-haiku-4-5-20251001 from now on\.$/],
    ['/clear', /^The conversation is empty now\./],
  ])('%s is answered without a request', async (prompt, expected) => {
    const place = await makePlace([reply([text('Hello.')], { usage: { input_tokens: 1000 } })]);
    const cli = startCli(STREAM_BOTH, { place });
    await say(cli, 'hi');
    const lines = await say(cli, prompt);
    expect(lines.map(kindOf)).toEqual(TURN);
    expect(lines[1]).toMatchObject({ isReplay: true, message: { role: 'user' } });
    expect(outputOf(lines[1], 'stdout')).toMatch(expected);
    expect(lines[2]).toMatchObject({ is_error: false, result: outputOf(lines[1], 'stdout'), duration_ms: 0 });
    expect(place.api.requests.length).toBe(1);
  });

  test('[SES-04] are in the file as they were sent: a note, the command, and what it said', async () => {
    const place = await makePlace(['Hello.']);
    const { lines } = await runCli([...STREAM_OUT, '/model haiku'], { place });
    expect(lines.map(kindOf)).toEqual(TURN);
    const [dequeue, caveat, command, output, ...rest] = entriesOf(place, lines);
    expect(rest).toEqual([]);
    expect(dequeue).toMatchObject({ type: 'queue-operation', operation: 'dequeue' });
    expect(caveat).toMatchObject({ type: 'user', parentUuid: null, isMeta: true });
    expect(textsOf(caveat?.message)[0]).toMatch(/^<local-command-caveat>.*<\/local-command-caveat>$/);
    expect(command).toMatchObject({ type: 'user', parentUuid: caveat?.uuid });
    const words = '<command-name>/model</command-name> <command-message>model</command-message>';
    const said = textsOf(command?.message)[0]?.replace(/\n +/g, ' ');
    expect(said).toBe(`${words} <command-args>haiku</command-args>`);
    expect(output).toMatchObject({ type: 'user', parentUuid: command?.uuid, uuid: lines[1]?.uuid });
    expect(textsOf(output?.message)).toEqual(textsOf(lines[1]?.message));
  });

  test('are told to the model with the next prompt, here and after a resume', async () => {
    const place = await makePlace(() => 'ok');
    const { lines } = await runCli([...STREAM_OUT, '/cost'], { place });
    await runCli([...STREAM_OUT, 'what was that?', '--resume', sessionOf(lines)], { place });
    const [message] = bodyOf(place.api.requests[0]).messages;
    expect(textsOf(message).map((line) => line.split('>')[0])).toEqual([
      ...['<local-command-caveat', '<command-name', '<local-command-stdout', 'what was that?', '<system-reminder'],
    ]);
    expect(apiFaults(bodyOf(place.api.requests[0]))).toEqual([]);
  });

  test('print mode: their words in text, on the stream where they belong; in json with --verbose', async () => {
    const place = await makePlace();
    const { code, stdout, stderr } = await runCli(['-p', '/help'], { place });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Commands:\n[\s\S]*\n$/);
    const wrong = await runCli(['-p', '/compact'], { place });
    expect(wrong).toMatchObject({ code: 0, stdout: '', stderr: 'Error: No messages to compact\n' });
    const verbose = await runCli(['-p', '/help', '--output-format', 'json', '--verbose'], { place });
    expect(outputOf((JSON.parse(verbose.stdout) as Line[])[1], 'stdout')).toMatch(/^Commands:/);
    expect(place.api.requests).toEqual([]);
  });

  test('[FLD-05] are listed by init, and for menus by initialize', async () => {
    const place = await makePlace();
    const cli = startCli(STREAM_BOTH, { place });
    const { response } = await cli.control({ subtype: 'initialize' });
    const { commands } = response as { commands: { name: string; description: string; argumentHint: string }[] };
    expect(commands.map(({ name }) => name)).toEqual(COMMANDS);
    expect(commands.every(({ description }) => description.length > 10)).toBe(true);
    expect((await say(cli, '/help'))[0]?.slash_commands).toEqual(COMMANDS);
  });
});

describe('what a command does', () => {
  test.each(['/fork', '/branch'])(
    '[B-230] %s copies the conversation to a new session with that title',
    async (name) => {
      const place = await makePlace(() => 'Hello.');
      const cli = startCli(STREAM_BOTH, { place });
      expect(outputOf((await say(cli, name))[1], 'stderr')).toContain('no messages yet');
      await say(cli, 'Remember 42.');
      const said = outputOf((await say(cli, `${name} Another way`))[1], 'stdout');
      const id = /session ([0-9a-f-]{36})/.exec(said ?? '')?.[1] ?? '';
      expect(readEntries(sessionFile(place, id)).at(-1)).toMatchObject({ customTitle: 'Another way' });
      await runCli([...STREAM_OUT, 'What was it?', '--resume', id], { place });
      expect(conversationText(place.api.requests.at(-1))).toContain('Remember 42.');
      const own = (await say(cli, 'Go on.')).at(-1);
      expect(own?.session_id).not.toBe(id);
    },
  );

  test('/model holds for the turns after it; a model that nothing can answer is an error, and changes nothing', async () => {
    const place = await makePlace(() => 'ok');
    const cli = startCli(STREAM_BOTH, { place });
    await say(cli, '/model haiku');
    await say(cli, 'one');
    const wrong = await say(cli, '/model replay:nowhere.ndjson');
    expect(outputOf(wrong[1], 'stderr')).toMatch(/^Error: .*nowhere\.ndjson/);
    await say(cli, 'two');
    await say(cli, '/model default');
    await say(cli, 'three');
    const models = place.api.requests.map((request) => bodyOf(request).model.split('-')[1]);
    expect(models).toEqual(['haiku', 'haiku', 'sonnet']);
  });

  test('/clear: the next request has nothing of before, also after a resume, and the file has it all', async () => {
    const place = await makePlace(() => 'ok');
    const cli = startCli(STREAM_BOTH, { place });
    await say(cli, 'the old question');
    await say(cli, '/clear');
    await say(cli, 'the new question');
    cli.endInput();
    await cli.finished;
    await runCli([...STREAM_OUT, 'and?', '--resume', sessionOf(cli.lines)], { place });
    const [, live, resumed] = place.api.requests;
    for (const request of [live, resumed]) {
      expect(conversationText(request)).toContain('the new question');
      expect(conversationText(request)).toContain(`Working directory: ${place.cwd}`);
      expect(conversationText(request)).not.toContain('the old question');
      expect(apiFaults(bodyOf(request))).toEqual([]);
    }
    expect(JSON.stringify(entriesOf(place, cli.lines))).toContain('the old question');
  });

  test('/compact: a session that says nothing has nothing to sum up', async () => {
    const place = await makePlace();
    const { code, lines } = await runCli([...STREAM_OUT, '/compact'], { place });
    expect(lines.map(kindOf)).toEqual(TURN);
    expect(outputOf(lines[1], 'stderr')).toBe('Error: No messages to compact');
    expect(code).toBe(0);
  });

  test('/compact: boundary, summary, and the command itself are in the file', async () => {
    const place = await makePlace(['Hello.', '<summary>A greeting.</summary>']);
    const cli = startCli(STREAM_BOTH, { place });
    await say(cli, 'hi');
    await say(cli, '/compact');
    const entries = entriesOf(place, cli.lines).filter(({ uuid }) => uuid !== undefined);
    const from = entries.findIndex(({ subtype }) => subtype === 'compact_boundary');
    const [boundary, summary, caveat, command, output] = entries.slice(from);
    expect(summary).toMatchObject({ parentUuid: boundary?.uuid, isCompactSummary: true });
    expect(textsOf(summary?.message)[0]).toContain('A greeting.');
    expect(caveat).toMatchObject({ parentUuid: summary?.uuid, isMeta: true });
    expect(textsOf(command?.message)[0]).toContain('<command-name>/compact</command-name>');
    expect(textsOf(output?.message)).toEqual(['<local-command-stdout>Compacted.</local-command-stdout>']);
    const dequeues = entriesOf(place, cli.lines).filter(({ operation }) => operation === 'dequeue');
    expect(dequeues.length).toBe(2);
  });
});

describe('what is no command', () => {
  test('an unknown one: said to be unknown, and the model never hears of it', async () => {
    const place = await makePlace(['ok']);
    const cli = startCli(STREAM_BOTH, { place });
    const lines = await say(cli, '/frobnicate now');
    expect(lines.map(kindOf)).toEqual(['system/init', 'result/success']);
    expect(lines[1]).toMatchObject({ is_error: false, result: 'Unknown skill: frobnicate' });
    await say(cli, 'hi');
    expect(conversationText(place.api.requests[0])).not.toContain('frobnicate');
    const print = await runCli(['-p', '/frobnicate'], { place });
    expect(print).toMatchObject({ code: 0, stdout: 'Unknown skill: frobnicate\n' });
  });

  test.each([
    ['a path', '/usr/bin is a folder', {}],
    ['a slash further on', 'and /help too', {}],
    ['what a host composed', '/help', { client_composed: true }],
  ])('%s goes to the model', async (_what, content, fields) => {
    const place = await makePlace(['ok']);
    const cli = startCli(STREAM_BOTH, { place });
    cli.say(content, fields);
    expect(await cli.nextResult()).toMatchObject({ result: 'ok' });
    expect(textsOf(bodyOf(place.api.requests[0]).messages[0])[0]).toBe(content);
  });

  test('anything, with --disable-slash-commands', async () => {
    const place = await makePlace(() => 'ok');
    const { lines } = await runCli([...STREAM_OUT, '/help', '--disable-slash-commands'], { place });
    expect(lines.at(-1)).toMatchObject({ result: 'ok' });
    expect(lines[0]?.slash_commands).toEqual([]);
    expect(textsOf(bodyOf(place.api.requests[0]).messages[0])[0]).toBe('/help');
    const cli = startCli([...STREAM_BOTH, '--disable-slash-commands'], { place });
    expect((await say(cli, '/frobnicate')).at(-1)).toMatchObject({ result: 'ok' });
  });
});

/** One turn over stream input; its lines. */
async function say(cli: RunningCli, content: string): Promise<Line[]> {
  const from = cli.lines.length;
  cli.say(content);
  await cli.nextResult();
  return cli.lines.slice(from);
}

function outputOf(line: Line | undefined, stream: 'stdout' | 'stderr'): string | undefined {
  const pattern = new RegExp(`^<local-command-${stream}>([\\s\\S]*)</local-command-${stream}>$`);
  return pattern.exec(String(line?.message?.content))?.[1];
}

function sessionOf(lines: readonly Line[]): string {
  return String(lines.at(-1)?.session_id);
}

function entriesOf(place: Place, lines: readonly Line[]): Line[] {
  expect(sessionFiles(place).length).toBe(1);
  return readEntries(sessionFile(place, sessionOf(lines)));
}
