import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { troubleText } from '../../src/cli/terminal/result-text.ts';
import { fail, reply, text, toolUse } from '../../src/testing/index.ts';
import { CLI, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { blocksOf, isResult, kindOf, type Line } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { put } from '../support/put.ts';
import { bodyOf, conversationText } from '../support/requests.ts';

const bash = (command: string) => toolUse('Bash', { command });
const userLine = (content: string, fields: object = {}) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content }, ...fields })}\n`;

describe('output formats', () => {
  test('[OUT-01, OUT-09] text: only the last answer is on stdout', async () => {
    const place = await makePlace([[text('Let me look.'), bash('echo 1')], 'It is one.']);
    const { code, stdout, stderr } = await runCli(['-p', 'look', '--allowedTools', 'Bash'], { place });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'It is one.\n', stderr: '' });
  });

  test('[OUT-02] json: one result object', async () => {
    const place = await makePlace(['Hello.']);
    const { code, stdout } = await runCli(['-p', '--output-format', 'json', 'hi'], { place });
    expect(code).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'result', subtype: 'success', is_error: false, result: 'Hello.' });
  });

  test('[OUT-03, FLG-04] json with verbose: an array of all messages', async () => {
    const place = await makePlace(['Hello.']);
    const { stdout } = await runCli(['-p', '--output-format', 'json', '--verbose', 'hi'], { place });
    const messages = JSON.parse(stdout) as Line[];
    expect(messages.map(kindOf)).toEqual(['system/init', 'assistant', 'result/success']);
  });

  test('[OUT-04, MSG-28, ARC-02] stream-json: every line is one public message', async () => {
    const place = await makePlace([bash('echo a'), `line\u2028separator`]);
    const { stdout, lines } = await runCli([...STREAM_OUT, 'hi', '--allowedTools', 'Bash'], { place });
    expect(stdout.trimEnd().split('\n').length).toBe(lines.length);
    const kinds = ['system/init', 'assistant', 'user', 'assistant', 'result/success'];
    expect(lines.map(kindOf)).toEqual(kinds);
    expect(lines.at(-1)?.result).toBe('line\u2028separator');
  });

  test('[B-040, K3] the blocks of one answer are lines of their own, with one id and without a stop reason', async () => {
    const place = await makePlace([[text('Let me see.'), toolUse('Bash', { command: 'echo hi' })], 'Done.']);
    const { lines } = await runCli([...STREAM_OUT, 'go', '--allowedTools', 'Bash'], { place });
    const [first, second, last] = lines.filter(({ type }) => type === 'assistant').map(({ message }) => message);
    expect([first?.content, second?.content].map((content) => content?.length)).toEqual([1, 1]);
    expect(second?.id).toBe(first?.id);
    expect(last?.id).not.toBe(first?.id);
    for (const message of [first, second, last]) expect(message).toMatchObject({ stop_reason: null });
  });

  test('[OUT-05, OUT-15] stream-json without verbose is refused', async () => {
    const place = await makePlace();
    for (const more of [['hi'], ['--input-format', 'stream-json']]) {
      const { code, stdout, stderr } = await runCli(['-p', '--output-format', 'stream-json', ...more], { place });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toBe('Error: When using --print, --output-format=stream-json requires --verbose\n');
    }
  });

  test('[OUT-06] without a terminal the formats work without --print, too', async () => {
    const place = await makePlace(['Hello.']);
    const { stdout } = await runCli(['--output-format', 'json', 'hi'], { place });
    expect(JSON.parse(stdout)).toMatchObject({ result: 'Hello.' });
  });

  test('[OUT-07] partial messages need stream-json', async () => {
    const place = await makePlace();
    const { code, stdout, stderr } = await runCli(['-p', '--include-partial-messages', 'hi'], { place });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('--include-partial-messages requires --print and --output-format=stream-json');
  });

  test('[OUT-07, FLG-05] stream events come only when asked for', async () => {
    const count = async (...flags: string[]) => {
      const place = await makePlace([reply([text('a', 'b', 'c')])]);
      const { lines } = await runCli([...STREAM_OUT, ...flags, 'hi'], { place });
      return lines.filter((line) => line.type === 'stream_event').length;
    };
    expect(await count()).toBe(0);
    expect(await count('--include-partial-messages')).toBe(8);
  });

  test('[P-14, SEQ-11] the result is the last line of a turn', async () => {
    const place = await makePlace(['a', 'b']);
    const stdin = userLine('one') + userLine('two');
    const { lines } = await runCli([...STREAM_BOTH, '--include-partial-messages'], { place, stdin });
    const turns = lines.map(kindOf).join(' ').split('result/success');
    expect(turns.map((turn) => turn.trim().split(' ')[0])).toEqual(['system/init', 'system/init', '']);
  });
});

describe('errors', () => {
  test('[OUT-11, OUT-14, K6] text: max turns', async () => {
    const place = await makePlace([bash('echo 1')]);
    const { code, stdout, stderr } = await runCli(['-p', 'x', '--max-turns', '1', '--allowedTools', 'Bash'], { place });
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Error: Reached max turns (1)\n' });
    expect(stderr).toMatch(/^heddle: Reached max turns \(1\): --max-turns N allows more/);
  });

  test('[OUT-12, FLG-09, MSG-15] text: budget', async () => {
    const place = await makePlace([reply([bash('echo 1')], { usage: { output_tokens: 100_000 } })]);
    const flags = ['--max-budget-usd', '0.5', '--allowedTools', 'Bash'];
    const { code, stdout, stderr } = await runCli(['-p', 'x', ...flags], { place });
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Error: Exceeded USD budget (0.5)\n' });
    expect(stderr).toMatch(/^heddle: Exceeded USD budget \(0\.5\): --max-budget-usd AMOUNT allows more/);
  });

  test('[OUT-10, K6] text: an interrupted run', async () => {
    const place = await makePlace([reply([text('never')], { fault: { after: { block: 0 }, how: 'hang' } })]);
    const cli = startCli(['-p', 'hi'], { place });
    cli.endInput();
    await eventually(() => place.api.requests.length > 0);
    cli.kill('SIGINT');
    const { code, stdout, stderr } = await cli.finished;
    expect({ code, stdout, stderr }).toEqual({
      code: 130,
      stdout: 'Execution error\n',
      stderr: 'heddle: The turn was interrupted\n',
    });
  });

  test('[OUT-13] text: the line for structured output that never came', () => {
    const line = { subtype: 'error_max_structured_output_retries', num_turns: 3, errors: ['five times'] };
    expect(troubleText(line, { isTerminal: false, denied: [] }).stdout).toBe(
      'Error: Failed to provide valid structured output after maximum retries',
    );
  });

  test('[OUT-14, K24, P-17] an API error: its text, a line on stderr, exit 1', async () => {
    const place = await makePlace([fail(400, 'invalid_request_error', 'no such thing')]);
    const { code, stdout, stderr } = await runCli(['-p', 'hi'], { place });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^API Error: 400 .*no such thing/);
    expect(stderr).toBe('heddle: The model API did not accept the request (400: no such thing).\n');
    expect(place.api.requests.length).toBe(1);
  });

  test('[SEQ-08, MSG-13, ERR-12] an API error in json', async () => {
    const place = await makePlace([fail(401, 'authentication_error', 'wrong key')]);
    const { code, stdout } = await runCli(['-p', '--output-format', 'json', 'hi'], { place });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'result',
      is_error: true,
      errors: [expect.stringContaining('wrong key')],
      error_code: 'authentication',
    });
  });

  test('[K6] several turns: the last result decides the exit code', async () => {
    const failing = fail(400, 'invalid_request_error', 'no');
    const exits = async (script: Parameters<typeof makePlace>[0]) => {
      const place = await makePlace(script);
      const { code, lines } = await runCli(STREAM_BOTH, { place, stdin: userLine('one') + userLine('two') });
      expect(lines.filter(isResult).length).toBe(2);
      return code;
    };
    expect(await exits([failing, 'fine'])).toBe(0);
    expect(await exits(['fine', failing])).toBe(1);
  });

  test('[P4] no credentials: says which choices there are', async () => {
    const place = await makePlace();
    const { code, stdout } = await runCli(['-p', 'hi'], { place, env: { ANTHROPIC_API_KEY: undefined } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/ANTHROPIC_API_KEY[\s\S]*--model offline/);
  });

  test.each([
    ['an unknown flag', ['-p', '--no-such-flag', 'hi'], /unknown option '--no-such-flag'/],
    ['a bad choice', ['-p', '--output-format', 'yaml', 'hi'], /Allowed choices are text, json, stream-json/],
    ['a bad mode', ['-p', '--permission-mode', 'yolo', 'hi'], /Allowed choices are .*acceptEdits/],
    ['a missing value', ['-p', 'hi', '--model'], /'--model' needs a value/],
    ['a bad number', ['-p', '--max-turns', 'many', 'hi'], /'--max-turns' needs a number/],
    ['bad settings', ['-p', '--settings', '{"permissions": 5}', 'hi'], /permissions must be an object/],
    ['a bad session id', ['-p', '--session-id', 'mine', 'hi'], /--session-id must be a UUID/],
    ['two prompts', ['-p', 'one', 'two'], /unexpected argument 'two'/],
  ])(
    '[SEQ-09, OUT-15, P-20] %s: one line on stderr, and the usage where a word is wrong; exit 1, nothing on stdout',
    async (_what, args, said) => {
      const place = await makePlace(['never']);
      const { code, stdout, stderr } = await runCli(args, { place });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr.split('\n')[0]).toMatch(said);
      expect(stderr).toMatch(/^.+\n((.+\n){0,2}\nUsage: heddle .+\n {7}heddle .+\n)?$/);
      expect(place.api.requests.length).toBe(0);
    },
  );
});

test('[K53] a further directory that is not there is said and left out; the others are worked in', async () => {
  const place = await makePlace([toolUse('Read', { file_path: '../other/notes.txt' }), 'Done.']);
  put(join(place.root, 'other', 'notes.txt'), 'what stands there');
  const { code, stdout, stderr } = await runCli(
    ['-p', 'go', '--add-dir', '/nonexistent/dir', join(place.root, 'other')],
    { place },
  );
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: 'Done.\n',
    stderr: 'heddle: --add-dir is not a directory: /nonexistent/dir. It was left out.\n',
  });
  expect(JSON.stringify(place.api.requests[1]?.body)).toContain('what stands there');
});

describe('input', () => {
  test('[INP-01] the prompt: argument, stdin, or both', async () => {
    const place = await makePlace(() => 'ok');
    await runCli(['-p', 'from the argument'], { place });
    await runCli(['-p'], { place, stdin: 'from stdin\n' });
    await runCli(['-p', 'summarise this:'], { place, stdin: 'a long text' });
    const prompts = place.api.requests.map((request) => blocksOf(bodyOf(request).messages[0])[0]?.text);
    expect(prompts).toEqual(['from the argument', 'from stdin\n', 'summarise this:\na long text']);
  });

  test('[INP-01] no prompt at all is an error', async () => {
    const place = await makePlace();
    const { code, stdout, stderr } = await runCli(['-p'], { place, stdin: '  \n' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/no prompt/);
  });

  test('[K39] an open, silent stdin does not hold a run that has its prompt', async () => {
    const place = await makePlace(['Hello.']);
    const cli = startCli(['-p', 'hi'], { place });
    const { stdout } = await cli.finished; // stdin was never closed
    expect(stdout).toBe('Hello.\n');
  });

  test('[K39] what has begun to arrive on stdin is read to its end, however slowly', async () => {
    const place = await makePlace(['ok']);
    const cli = startCli(['-p', 'all of:'], { place });
    for (const piece of ['one ', 'two ', 'three']) {
      cli.write(piece);
      await sleep(200);
    }
    cli.endInput();
    await cli.finished;
    expect(conversationText(place.api.requests[0])).toContain('all of:\none two three');
  });

  test('[K39] /dev/null and a closed stdin are no input', async () => {
    const place = await makePlace(() => 'ok');
    for (const redirect of ['< /dev/null', '<&-']) {
      const child = spawn('/bin/sh', ['-c', `exec "$0" "$1" -p hi ${redirect}`, process.execPath, CLI], {
        cwd: place.cwd,
        env: place.env,
        stdio: ['inherit', 'pipe', 'inherit'],
      });
      let stdout = '';
      child.stdout.on('data', (data) => {
        stdout += data;
      });
      const [code] = await once(child, 'close');
      expect([redirect, code, stdout]).toEqual([redirect, 0, 'ok\n']);
    }
  });

  test('[INP-02, FLG-03] stream-json: live turns over one process', async () => {
    const place = await makePlace(['First.', 'Second.']);
    const cli = startCli(STREAM_BOTH, { place });
    cli.say('one');
    expect(await cli.nextResult()).toMatchObject({ result: 'First.' });
    cli.say('two');
    expect(await cli.nextResult()).toMatchObject({ result: 'Second.' });
    cli.endInput();
    expect((await cli.finished).code).toBe(0);
    expect(conversationText(place.api.requests[1])).toMatch(/one[\s\S]*First\.[\s\S]*two/);
  });

  test('[P-12] end of input: at once it is a clean exit, during a turn the turn ends first', async () => {
    const place = await makePlace([reply([text('slow')], { waitMs: 150 })]);
    const nothing = await runCli(STREAM_BOTH, { place });
    expect(nothing).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const { code, lines } = await runCli(STREAM_BOTH, { place, stdin: userLine('go') });
    expect(code).toBe(0);
    expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'slow' });
  });

  test('[INP-03] stream-json input needs stream-json output', async () => {
    const place = await makePlace();
    const { code, stderr } = await runCli(['-p', '--input-format', 'stream-json'], { place });
    expect(code).toBe(1);
    expect(stderr).toContain('--input-format=stream-json requires --output-format=stream-json');
  });

  test('[INP-04, K23] other lines are told as input errors and passed over', async () => {
    const place = await makePlace(['Fine.']);
    const stdin = `not json\n{"type":"user"}\n{"type":"assistant"}\n[1]\n\n${userLine('good')}`;
    const { code, lines } = await runCli(STREAM_BOTH, { place, stdin });
    expect(code).toBe(0);
    expect(lines.filter(({ subtype }) => subtype === 'input_error').length).toBe(4);
    expect(lines.at(-1)).toMatchObject({ result: 'Fine.' });
  });

  test('[INP-05, FLG-06] replay echoes each accepted message with its uuid', async () => {
    const place = await makePlace(['ok']);
    const uuid = '33333333-3333-4333-8333-333333333333';
    const stdin = userLine('echo me', { uuid });
    const { lines } = await runCli([...STREAM_BOTH, '--replay-user-messages'], { place, stdin });
    const echo = lines.find(({ type }) => type === 'user');
    expect(echo).toMatchObject({ uuid, isReplay: true, message: { role: 'user', content: 'echo me' } });
    const refused = await runCli([...STREAM_OUT, '--replay-user-messages', 'hi'], { place });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('--replay-user-messages requires --input-format=stream-json');
  });
});
