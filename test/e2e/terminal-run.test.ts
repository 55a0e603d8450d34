import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { fail, reply, text, toolUse } from '../../src/testing/index.ts';
import { runCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';
import { type OnTerminal, startOnTerminal } from '../support/terminal.ts';

/** `heddle "prompt"` in plain mode, as a person runs it: all three streams are one terminal. */
function start(place: Place, args: string[] = [], env: Record<string, string> = {}): OnTerminal {
  return startOnTerminal(['do it', ...args], { place, isWhole: true, env: { HEDDLE_UI: 'plain', ...env } });
}

/** What the terminal shows, without colours and without the progress line. */
function seen(run: OnTerminal): string {
  const frames = run.screen().split(ERASE);
  const kept = frames.map((frame) => stripVTControlCharacters(frame).replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏][^\r\n]*/, ''));
  return kept.join('').replaceAll('\r', '');
}

const ERASE = '\r\u001b[2K';

/** Waits until a text has been shown so many times. */
async function shownTimes(run: OnTerminal, shown: string, times: number): Promise<void> {
  await run.until((screen) => screen.split(shown).length > times);
}

const CALL = { command: 'touch made' };
const RULED = { command: 'sh -c true' };
const ASKED = 'Allow it? [y/n/always] ';

function isMade(place: Place): boolean {
  return existsSync(join(place.cwd, 'made'));
}

/** What the model was told of its call. */
function toolResult(place: Place, request = 1): string {
  const { messages } = place.api.requests[request]?.body ?? {};
  return JSON.stringify(Array.isArray(messages) && messages.at(-1));
}

test('text is on the screen while the model still writes, and a call is one dim line', async () => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const place = await makePlace(async (_request, index) => {
    if (index === 0) return reply([text('Let me ', 'look.'), toolUse('Bash', { command: 'ls -a' })]);
    await held;
    return 'Nothing is there.';
  });
  const run = start(place);
  await run.until('Let me look.');
  await run.until('\u001b[2m● Bash ls -a\u001b[22m');
  goOn();
  expect(await run.ended).toBe(0);
  expect(seen(run)).toBe('Let me look.\n● Bash ls -a\nNothing is there.\n');
});

test('pieces of one answer appear one after the other', async () => {
  const place = await makePlace([reply([text('first ', 'never')], { fault: { after: { events: 4 }, how: 'hang' } })]);
  const run = start(place);
  await run.until('first');
  run.type('\u0003');
  expect(await run.ended).toBe(130);
  expect(seen(run)).toBe('first ^C\nheddle: The turn was interrupted\n');
});

test('y lets a call run', async () => {
  const place = await makePlace([toolUse('Bash', CALL), 'Done.']);
  const run = start(place);
  await run.until(ASKED);
  expect(isMade(place)).toBe(false);
  run.type('y\r');
  expect(await run.ended).toBe(0);
  expect(isMade(place)).toBe(true);
  expect(seen(run)).toContain('Heddle wants to run: touch made\n');
  expect(seen(run).endsWith(`${ASKED}y\nDone.\n`)).toBe(true);
});

test.each([
  ['n', 'n\r'],
  ['Ctrl-D', '\u0004'],
])('%s denies it, and the run goes on', async (_name, keys) => {
  const place = await makePlace([toolUse('Bash', CALL), 'As you like.']);
  const run = start(place);
  await run.until(ASKED);
  run.type(keys);
  expect(await run.ended).toBe(0);
  expect(isMade(place)).toBe(false);
  expect(toolResult(place)).toContain('The user said no to this call.');
  expect(seen(run).endsWith('\nAs you like.\n')).toBe(true);
});

test('what is no answer is asked again; after five times it is no', async () => {
  const place = await makePlace([toolUse('Bash', CALL), 'As you like.']);
  const run = start(place);
  for (const [at, word] of ['', 'sure', 'yy', '\u001b[A', '1'].entries()) {
    await shownTimes(run, 'Allow it?', at + 1);
    run.type(`${word}\r`);
  }
  expect(await run.ended).toBe(0);
  expect(isMade(place)).toBe(false);
  expect(seen(run).split('Please type y, n or always.')).toHaveLength(6);
  expect(seen(run)).toContain('That was no answer: the call is denied.\n');
});

test('a pasted text answers nothing, even if it has a y in it', async () => {
  const place = await makePlace([toolUse('Bash', CALL), 'As you like.']);
  const run = start(place);
  await run.until(ASKED);
  run.type('y\rls\r');
  await run.until('Several lines are no answer.');
  await shownTimes(run, 'Allow it?', 2);
  run.type('n\r');
  expect(await run.ended).toBe(0);
  expect(isMade(place)).toBe(false);
});

test('what was typed before the question was shown answers nothing', async () => {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const place = await makePlace(async (_request, index) => {
    if (index > 0) return 'As you like.';
    await held;
    return toolUse('Bash', CALL);
  });
  const run = start(place);
  await run.until('waiting for the model');
  run.type('y\ry\r');
  await run.until('y'); // the terminal has it
  goOn();
  await run.until(ASKED);
  run.type('n\r');
  expect(await run.ended).toBe(0);
  expect(isMade(place)).toBe(false);
});

test('always adds what the question suggests, for this session only', async () => {
  const place = await makePlace((_request, index) => (index % 3 < 2 ? toolUse('Bash', RULED) : 'Done.'));
  const run = start(place);
  await run.until('always: allow Bash(sh -c true), for this session');
  await run.until(ASKED);
  run.type('always\r');
  expect(await run.ended).toBe(0);
  expect(seen(run).split(ASKED)).toHaveLength(2); // the second call was not asked about
  const { stderr } = await runCli(['-p', '--continue', 'again'], { place });
  expect(stderr).toContain('not permitted: Bash');
  expect(existsSync(join(place.cwd, '.claude'))).toBe(false);
});

test('a change to a file is shown, and always accepts further edits', async () => {
  const write = (name: string) => toolUse('Write', { file_path: name, content: 'one\ntwo\n' });
  const place = await makePlace([write('a.txt'), write('b.txt'), 'Done.']);
  const run = start(place);
  await run.until(ASKED);
  expect(seen(run)).toContain('  + one\n  + two\n');
  expect(seen(run)).toContain('always: accept edits of files, for this session\n');
  run.type('a\r');
  expect(await run.ended).toBe(0);
  expect(readFileSync(join(place.cwd, 'b.txt'), 'utf8')).toBe('one\ntwo\n');
});

test('a command that hides something is shown as it is, and only the whole word yes allows it', async () => {
  const command = `touch made\n: '\u202e\u001b[2J'`;
  const place = await makePlace([toolUse('Bash', { command }), 'Done.']);
  const run = start(place);
  await run.until('Allow it? [yes/N] ');
  expect(seen(run)).toContain("Heddle wants to run this command:\n  touch made\n  : '\\u{202e}\\u{1b}[2J'\n");
  run.type('y\r');
  await run.until('Please type yes or no.');
  await shownTimes(run, 'Allow it?', 2);
  run.type('\r');
  expect(await run.ended).toBe(0);
  expect(isMade(place)).toBe(false);
});

test('[H-8] Ctrl-C at a question ends the run with 130, and nothing has run', async () => {
  const place = await makePlace([toolUse('Bash', CALL), 'never']);
  const run = start(place);
  await run.until(ASKED);
  run.type('\u0003');
  expect(await run.ended).toBe(130);
  expect(isMade(place)).toBe(false);
  expect(place.api.requests).toHaveLength(1);
  expect(seen(run).endsWith(`${ASKED}\nheddle: The turn was interrupted\n`)).toBe(true);
});

test('a terminal that goes away while it asks allows nothing', async () => {
  const place = await makePlace([toolUse('Bash', { command: 'touch made' })]);
  const run = start(place);
  await run.until(ASKED);
  run.hangUp();
  await run.ended;
  expect(isMade(place)).toBe(false);
});

test('escape sequences in an answer do not reach the terminal', async () => {
  const place = await makePlace([reply([text('a\u001b', ']0;owned\u0007 b\r', '\nc')])]);
  const run = start(place);
  expect(await run.ended).toBe(0);
  expect(seen(run)).toBe('a\\u{1b}]0;owned\\u{7} b\nc\n');
});

test('[K6] an error is told once, as a sentence, and stdout gets nothing of it', async () => {
  const place = await makePlace([fail(401, 'authentication_error', 'invalid x-api-key')]);
  const run = start(place);
  expect(await run.ended).toBe(1);
  const sentence =
    'heddle: The model API refused the key (401: invalid x-api-key). heddle auth status shows which key is used, heddle doctor checks it.\n';
  expect(seen(run).replaceAll('\n    ', ' ')).toBe(sentence); // as wide as the terminal

  const again = await makePlace([fail(401, 'authentication_error', 'invalid x-api-key')]);
  const print = startOnTerminal(['-p', 'do it'], { place: again, isWhole: true });
  expect(await print.ended).toBe(1);
  expect(seen(print)).toBe(sentence);
});

test('[P4] without a key it says what to do, once', async () => {
  const place = await makePlace();
  const run = start(place, [], { ANTHROPIC_API_KEY: '' });
  expect(await run.ended).toBe(1);
  expect(seen(run).replaceAll('\n    ', ' ')).toBe(
    'heddle: No model credentials were found: set ANTHROPIC_API_KEY, store a key with heddle auth login, or try --model offline.\n',
  );
});

test('questions of the model are answered by a number or in own words', async () => {
  const option = (label: string) => ({ label, description: `It is ${label}` });
  const question = { header: 'Colour', question: 'Which colour?', options: [option('red'), option('blue')] };
  const other = { header: 'Size', question: 'Which size?', options: [option('small'), option('large')] };
  const place = await makePlace([toolUse('AskUserQuestion', { questions: [question, other] }), 'Thanks.']);
  const run = start(place);
  await run.until('Your answer');
  run.type('2\r');
  await shownTimes(run, 'Your answer', 2);
  run.type('in between\r');
  expect(await run.ended).toBe(0);
  expect(seen(run)).toContain('Which colour?\n  1  red – It is red\n  2  blue – It is blue\n');
  expect(toolResult(place)).toContain('- Which colour?\\n  blue\\n- Which size?\\n  in between');
});

test('a local command says what it says', async () => {
  const place = await makePlace();
  const run = startOnTerminal(['/cost'], { place, isWhole: true, env: { HEDDLE_UI: 'plain' } });
  expect(await run.ended).toBe(0);
  expect(seen(run)).toMatch(/^Total cost/);
  expect(seen(run).match(/Total cost/g)).toHaveLength(1);
});

test('[G7] with -p nobody is asked, also on a terminal', async () => {
  const place = await makePlace([toolUse('Bash', CALL), 'I could not.']);
  const run = startOnTerminal(['-p', 'do it'], { place, isWhole: true });
  expect(await run.ended).toBe(0);
  expect(isMade(place)).toBe(false);
  expect(seen(run)).toContain('I could not.\n');
});

test('TERM=dumb: questions are asked by lines alone, and nothing is drawn', async () => {
  const place = await makePlace([toolUse('Bash', CALL), 'Done.']);
  const run = start(place, [], { TERM: 'dumb' });
  await run.until(ASKED);
  run.type('y\r');
  expect(await run.ended).toBe(0);
  expect(isMade(place)).toBe(true);
  expect(run.screen()).not.toContain('\u001b');
});
