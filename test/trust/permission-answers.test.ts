import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { quoted } from '../hooks/support.ts';
import { type RunningCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { seededRandom } from '../support/fuzz.ts';
import { interrupt } from '../support/interrupts.ts';
import type { Line } from '../support/lines.ts';
import {
  answer,
  answerLine,
  asked,
  askingSession,
  canariesIn,
  errorLine,
  GARBLED,
  garbledAnswers,
  nextQuestion,
  ran,
} from '../support/permission-answers.ts';
import { makePlace } from '../support/place.ts';
import { figure } from './figures.ts';
import { trustSize } from './size.ts';

const seed = trustSize('SEED', 1);
const ALLOW = { behavior: 'allow' };
const DENY = { behavior: 'deny', message: 'no' };
const send = (cli: RunningCli, ...lines: object[]) =>
  cli.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
const denialsOf = (result: Line) => (result.permission_denials as object[]).length;

test(`[P-8] ${GARBLED.length} garbled answers, 200 more of seed ${seed} and 20 errors: none of them runs anything`, async () => {
  const { cli, place } = await askingSession();
  const errors = [
    undefined,
    null,
    '',
    'allow',
    5,
    {},
    { behavior: 'allow' },
    ['allow'],
    'x'.repeat(100_000),
    '__proto__',
  ];
  const answers = [
    ...[...GARBLED.map(([, each]) => each), ...garbledAnswers(200, seededRandom(seed))].map(
      (each) => (question: Line) => answerLine(question, each),
    ),
    ...[...errors, ...errors].map((each) => (question: Line) => errorLine(question, each)),
  ];
  let denials = 0;
  for (const lineFor of answers) {
    send(cli, lineFor(await nextQuestion(cli)));
    denials += denialsOf(await cli.nextResult());
  }
  figure('P-8', `${answers.length} garbled answers and errors, ${canariesIn(place).length} runs`);
  expect(canariesIn(place)).toEqual([]);
  expect(denials).toBe(answers.length);
});

test('[P-8] an answer in a broken envelope approves nothing, and the question stays open for a good one', async () => {
  const { cli, place } = await askingSession();
  const allowed = (id: unknown) => ({ request_id: id, response: ALLOW });
  const envelopes: ((id: unknown) => object)[] = [
    (id) => ({ type: 'control_response', response: allowed(id) }),
    (id) => ({ type: 'control_response', response: { subtype: 'maybe', ...allowed(id) } }),
    (id) => ({ type: 'control_response', response: { subtype: ['success'], ...allowed(id) } }),
    (id) => ({ type: 'control_response', subtype: 'success', ...allowed(id) }),
    (id) => ({ type: 'control_response', response: [{ subtype: 'success', ...allowed(id) }] }),
    (id) => ({ type: 'control_request', ...allowed(id), request: { subtype: 'can_use_tool', ...ALLOW } }),
    (id) => ({ type: 'user', ...allowed(id), message: ALLOW }),
  ];
  for (const envelope of envelopes) {
    const question = await nextQuestion(cli);
    cli.send(envelope(question.request_id));
    await cli.control({ subtype: 'get_binary_version' }); // what came before it has been read by now
    expect(canariesIn(place)).toEqual([]);
    answer(cli, question, DENY);
    await cli.nextResult();
  }
  figure('P-8', `${envelopes.length} broken envelopes, ${canariesIn(place).length} runs`);
  expect(canariesIn(place)).toEqual([]);
});

test('[P-5] answers for other ids approve nothing', async () => {
  const { cli, place } = await askingSession();
  const closed: unknown[] = [];
  let sent = 0;
  for (let round = 0; round < 10; round++) {
    const question = await nextQuestion(cli);
    const id = String(question.request_id);
    const { tool_use_id: callId } = question.request as { tool_use_id: string };
    const others = [
      'another',
      '',
      callId,
      `${id} `,
      id.slice(1),
      `${id}0`,
      id.toUpperCase() + id,
      '__proto__',
      'constructor',
    ];
    const odd = [undefined, null, 0, true, [id], { id }];
    const lines = [...others, ...odd, ...closed].map((other) => answerLine({ request_id: other }, ALLOW));
    send(cli, ...lines);
    sent += lines.length;
    await cli.control({ subtype: 'get_binary_version' }); // what came before it has been read by now
    expect(canariesIn(place)).toEqual([]);
    answer(cli, question, DENY);
    expect(denialsOf(await cli.nextResult())).toBe(1);
    closed.push(id);
  }
  figure('P-5', `${sent} answers for other ids, ${canariesIn(place).length} approvals`);
  expect(canariesIn(place)).toEqual([]);
});

test('[P-6] the first of several answers counts', async () => {
  const { cli, place } = await askingSession();
  const firsts = [
    (q: Line) => answerLine(q, DENY),
    (q: Line) => answerLine(q, null),
    (q: Line) => errorLine(q, 'broken'),
  ];
  const rounds = 60;
  for (let round = 0; round < rounds; round++) {
    const question = await nextQuestion(cli);
    const first = firsts[round % firsts.length]?.(question) ?? {};
    send(cli, first, answerLine(question, ALLOW), answerLine(question, ALLOW));
    expect(denialsOf(await cli.nextResult())).toBe(1);
  }
  figure('P-6', `${rounds} denials and then allows, ${canariesIn(place).length} runs`);
  expect(canariesIn(place)).toEqual([]);
  const question = await nextQuestion(cli);
  send(cli, answerLine(question, ALLOW), answerLine(question, DENY));
  await cli.nextResult();
  expect(canariesIn(place)).toEqual([`canary-${rounds + 1}`]); // the other way round it runs
});

test('[P-7, P-18] an interrupt withdraws the question, and an answer after it runs nothing', async () => {
  const { cli, place } = await askingSession();
  const rounds = 20;
  const questions: Line[] = [];
  for (let round = 0; round < rounds; round++) {
    const question = await nextQuestion(cli);
    questions.push(question);
    await interrupt(cli);
    send(cli, ...questions.map((each) => answerLine(each, ALLOW)));
  }
  cli.say('and now?');
  answer(cli, await cli.next(({ type }) => type === 'control_request'), DENY);
  await cli.nextResult();
  const isWithdrawn = ({ request_id: id }: Line) =>
    cli.lines.filter((line) => line.type === 'control_cancel_request' && line.request_id === id).length === 1;
  const withdrawn = questions.filter(isWithdrawn).length;
  figure('P-7', `${rounds} interrupts, ${canariesIn(place).length} runs`);
  figure('P-18', `${withdrawn} of ${rounds} questions withdrawn`);
  expect(canariesIn(place)).toEqual([]);
  expect(withdrawn).toBe(rounds);
});

const ENDINGS: Record<string, (cli: RunningCli, question: Line) => void> = {
  'nothing more': () => {},
  'half an answer': (cli, question) => cli.write(JSON.stringify(answerLine(question, ALLOW)).slice(0, -1)),
  'an answer to another question': (cli) => answer(cli, { request_id: 'another' }, ALLOW),
  'a message behind it': (cli) => cli.say('and then?'),
  'half a message behind it': (cli) => cli.write('{"type":"user"'),
};

test('[P-9] the input ends while a question is open: denied, and it ends', async () => {
  const times: number[] = [];
  for (const [name, ending] of Object.entries(ENDINGS)) {
    const { cli, place, question } = await asked();
    const started = Date.now();
    ending(cli, question);
    cli.endInput();
    const { code, lines } = await cli.finished;
    times.push(Date.now() - started);
    expect([ran(place), lines.some((line) => line.type === 'result')], name).toEqual([false, true]);
    if (name !== 'a message behind it') expect(code, name).toBe(0); // there the script has nothing more to say
  }
  figure('P-9', `${times.length} ends of input, 0 runs, ${Math.max(...times)} ms at most`);
  expect(Math.max(...times)).toBeLessThan(10_000);
});

test(`[P-10] 50 changed inputs of seed ${seed}: exactly they run, and never the original`, async () => {
  const random = seededRandom(seed);
  const characters = [
    'a',
    ' ',
    '  ',
    "'",
    '"',
    '\\',
    '\n',
    '\t',
    '$HOME',
    '`id`',
    '$(id)',
    '!',
    '*',
    ';',
    '&',
    '🧵',
    'é',
    '\u2028',
    '%s',
  ];
  const words = Array.from({ length: 50 }, () =>
    Array.from({ length: 1 + random() * 20 }, () => characters[Math.floor(random() * characters.length)]).join(''),
  );
  const place = await makePlace((_request, at) => (at % 2 ? 'ok' : toolUse('Bash', { command: 'touch canary' })));
  const cli = startCli([...STREAM_BOTH, '--permission-prompt-tool', 'stdio'], { place });
  let exact = 0;
  for (const [at, word] of words.entries()) {
    const file = join(place.cwd, `out-${at}`);
    const command = `printf %s ${quoted(word)} > out-${at}`;
    answer(cli, await nextQuestion(cli), { behavior: 'allow', updatedInput: { command } });
    await cli.nextResult();
    if (existsSync(file) && readFileSync(file, 'utf8') === word) exact++;
  }
  figure('P-10', `${exact} of ${words.length} changed inputs ran exactly, ${canariesIn(place).length} originals`);
  expect([exact, canariesIn(place)]).toEqual([words.length, []]);
});

test('[P-8, P-9] no answer at all is no approval either', async () => {
  const { cli, place } = await asked({ API_TIMEOUT_MS: '300', BASH_DEFAULT_TIMEOUT_MS: '300' });
  await sleep(3000);
  expect([ran(place), cli.child.exitCode]).toEqual([false, null]);
});
