import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type AnswerLike,
  brokenToolUse,
  type FakeApiRequest,
  type Fault,
  fail,
  hang,
  raw,
  reply,
  sseText,
  startFakeApi,
  text,
  toolUse,
} from '../../src/testing/index.ts';
import { apiFaults } from '../support/api-faults.ts';
import { type RunningCli, STREAM_BOTH, startCli } from '../support/cli.ts';
import { blocksOf, isResult, type Line, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText } from '../support/requests.ts';
import { readEntries, sessionFiles } from '../support/session-files.ts';

/** One turn during which something goes wrong. */
interface Trouble {
  name: string;
  /** What the API does, one answer for each request. All must be asked for, and no more. */
  answers: AnswerLike[];
  /** The text of the result. */
  result: string | RegExp;
  and?: (turn: { lines: Line[]; requests: FakeApiRequest[]; place: Place }) => void;
}

interface Ordeal {
  title: string;
  env?: Record<string, string>;
  args?: string[];
  troubles: Trouble[];
}

const FINE = 'Fine.';
const SOON = { 'retry-after-ms': '1' };
const html = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };
const page = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>';
const broken = (after: Fault['after'], how: Fault['how'], ...pieces: string[]) =>
  reply([text(...(pieces.length > 0 ? pieces : ['half an', ' answer']))], { fault: { after, how } });

const begin = sseText({ type: 'message_start', message: { id: 'm', model: 'x', usage: {} } });
const block = (value: object, delta: object) =>
  sseText({ type: 'content_block_start', index: 0, content_block: value }) +
  sseText({ type: 'content_block_delta', index: 0, delta }) +
  sseText({ type: 'content_block_stop', index: 0 });
const fine = block({ type: 'text', text: '' }, { type: 'text_delta', text: FINE });
const finish = (reason: string) =>
  sseText({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 3 } });
const end = sseText({ type: 'message_stop' });
const whole = begin + fine + finish('end_turn') + end;
const message = { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [{ type: 'text', text: FINE }] };

/** Tries again and succeeds; what the dead attempt had said is nowhere. */
const retried = (name: string, first: AnswerLike): Trouble => ({
  name,
  answers: [first, FINE],
  result: FINE,
  and({ lines, requests, place }) {
    expect(requests[1]?.text, name).toBe(requests[0]?.text);
    expect(lines.filter(({ subtype }) => subtype === 'api_retry').length, name).toBe(1);
    expect(lines.filter(({ type }) => type === 'assistant').flatMap((line) => blocksOf(line.message))).toEqual([
      { type: 'text', text: FINE },
    ]);
    expect(JSON.stringify(stored(place)), name).not.toContain('half an');
  },
});
const taken = (name: string, answer: AnswerLike): Trouble => ({ name, answers: [answer], result: FINE });
const failing = (name: string, result: RegExp, ...answers: AnswerLike[]): Trouble => ({ name, answers, result });

/** A call that cannot be run is answered with an error, and nothing happens. */
const refused = (name: string, ...calls: Parameters<typeof reply>[0]): Trouble => ({
  name,
  answers: [calls, FINE],
  result: FINE,
  and({ lines, place }) {
    const results = lines.flatMap((line) => toolResult(line) ?? []);
    expect(
      results.map(({ is_error }) => is_error),
      name,
    ).toContain(true);
    expect(results.length, name).toBe(calls.length);
    expect(existsSync(join(place.cwd, 'canary')), name).toBe(false);
  },
});

const touch = { command: 'touch canary' };
const ONCE = { CLAUDE_CODE_MAX_RETRIES: '0' };

/** Each is one session that lives through all of its troubles. */
const ORDEALS: Ordeal[] = [
  {
    title: '[M-1] is tried again',
    troubles: [
      retried('429', fail(429, 'rate_limit_error', 'slow down', SOON)),
      retried('529', fail(529, 'overloaded_error', 'busy', SOON)),
      ...[500, 502, 503, 504, 408, 409].map((status) => retried(`${status}`, fail(status, 'api_error', 'oh', SOON))),
      retried('a page of a proxy', raw(page, { status: 502, headers: { ...html, ...SOON } })),
      retried('a connection that is reset', broken({ bytes: 0 }, 'cut')),
    ],
  },
  {
    title: '[M-5, K27] a half answer is neither said nor stored, and is asked for again',
    args: ['--include-partial-messages'],
    troubles: [
      retried('cut in a text', broken({ block: 0 }, 'cut')),
      retried('a clean end in a text', broken({ block: 0 }, 'end')),
      retried('an error in the stream', broken({ block: 0 }, { error: { type: 'overloaded_error', message: 'busy' } })),
      retried(
        'cut in the input of a call',
        reply([toolUse('Bash', { command: 'touch canary; echo half an input' })], {
          fault: { after: { block: 0 }, how: 'cut' },
        }),
      ),
    ],
  },
  {
    title: '[M-3] is given up at once when the wait would be too long, or after the last attempt',
    env: { CLAUDE_CODE_MAX_RETRIES: '2' },
    troubles: [
      failing('an hour', /^API Error: 429/, fail(429, 'rate_limit_error', 'slow', { 'retry-after': '3600' })),
      failing('for ever', /^API Error: 429/, ...Array(3).fill(fail(429, 'rate_limit_error', 'slow', SOON))),
    ],
  },
  {
    title: '[M-4] is not tried again',
    troubles: [400, 401, 403, 404].map((status) => failing(`${status}`, /no way/, fail(status, 'x', 'no way', SOON))),
  },
  {
    title: '[M-6] silence is bounded',
    env: { ...ONCE, API_TIMEOUT_MS: '300' },
    troubles: [
      failing('before the head', /sent nothing/, hang()),
      failing('after the head', /sent nothing/, broken({ events: 0 }, 'hang')),
      failing('in a text', /sent nothing/, broken({ block: 0 }, 'hang')),
      failing('nothing but pings', /sent nothing/, broken({ block: 0 }, { pings: { everyMs: 20 } })),
    ],
  },
  {
    title: '[M-7] slow but alive is not cut off',
    env: { ...ONCE, API_TIMEOUT_MS: '1200' },
    troubles: [taken('for longer than the limit', reply([text('F', 'i', 'n', 'e', '.')], { deltaMs: 300 }))],
  },
  {
    title: '[M-8] odd streams do no harm',
    env: ONCE,
    troubles: [
      taken('CRLF', raw(whole.replaceAll('\n', '\r\n'))),
      taken('an unknown event', raw(`${begin}event: new\ndata: {"type":"new"}\n\n${fine}${finish('end_turn')}${end}`)),
      taken(
        'an unknown delta',
        raw(begin + fine.replace('"index":0}', '"index":0,"new":1}') + finish('end_turn') + end),
      ),
      taken(
        'an unknown block',
        raw(begin + block({ type: 'hologram' }, { type: 'x' }) + fine + finish('end_turn') + end),
      ),
      taken(
        'an unknown index',
        raw(begin + sseText({ type: 'content_block_stop', index: 7 }) + fine + finish('x') + end),
      ),
      taken('an unknown stop reason', raw(begin + fine + finish('because') + end)),
      taken('no message_stop', raw(begin + fine + finish('end_turn'))),
      {
        name: 'characters in pieces',
        answers: [reply([text('naïve 🧵 织')], { chunkBytes: 1 })],
        result: 'naïve 🧵 织',
      },
      failing(
        'an error in the stream',
        /broken/,
        broken({ block: 0 }, { error: { type: 'api_error', message: 'broken' } }),
      ),
      failing('half an event', /API Error/, raw(`${begin}event: content_block_delta\ndata: {"ty\n\n${end}`)),
    ],
  },
  {
    title: '[M-9] what is no stream is taken or told',
    env: ONCE,
    troubles: [
      taken('a wrong content type', raw(whole, { headers: html })),
      taken('JSON', raw(JSON.stringify({ ...message, stop_reason: 'end_turn', usage: {} }), { headers: json })),
      failing('an empty body', /^API Error/, raw('')),
      failing('a page', /^API Error/, raw(page, { headers: html })),
    ],
  },
  {
    title: '[M-10] calls that make no sense are answered and not run',
    args: ['--allowedTools', 'Bash'],
    troubles: [
      refused('broken JSON', brokenToolUse('Bash', ['{"command": "touch ', 'canary"'])),
      refused('a wrong type', brokenToolUse('Bash', ['{"command": ["touch canary"]}'])),
      refused('a missing parameter', toolUse('Bash', { description: 'touch canary' })),
      refused('a scalar', brokenToolUse('Bash', ['"touch canary"'])),
      refused('keys of the prototype', brokenToolUse('Bash', ['{"__proto__": {"command": "touch canary"}}'])),
      refused('an unknown tool', toolUse('Frobnicate', touch)),
      refused('a name of the prototype', toolUse('constructor', touch)),
      refused('a name that the API refuses', toolUse('run the: shell!', touch)),
      refused('no name', toolUse('', touch)),
      refused('one id twice', toolUse('Bash', { command: 'true' }, 'toolu_same'), toolUse('Bash', touch, 'toolu_same')),
      refused('half a character', brokenToolUse('Bash', ['{"com\\ud83d": "touch canary"}'])),
    ],
  },
  {
    title: '[M-11] answers that say nothing have an end',
    troubles: [
      failing('no content', /^The model gave an empty answer twice$/, [], []),
      failing('white space', /^The model gave an empty answer twice$/, [text(' \n')], [text('\t')]),
      failing('a refusal', /refused/, reply([], { stopReason: 'refusal' })),
      failing('pauses', /^…$/, ...Array(6).fill(reply([text('…')], { stopReason: 'pause_turn' }))),
      failing('max_tokens', /cut off/, ...Array(4).fill(reply([text('and')], { stopReason: 'max_tokens' }))),
    ],
  },
];

describe('what the model API does wrong', () => {
  test.each(ORDEALS.map((ordeal) => [ordeal.title, ordeal] as const))('%s', async (_title, ordeal) => {
    const queue: AnswerLike[] = [];
    const place = await makePlace(() => queue.shift() ?? 'one request too many');
    const cli = startCli([...STREAM_BOTH, ...(ordeal.args ?? [])], { place, ...(ordeal.env && { env: ordeal.env }) });
    for (const trouble of ordeal.troubles) await liveThrough(trouble, cli, place, queue);
    queue.push('Still here.');
    cli.say('are you there?');
    expect(await cli.nextResult()).toMatchObject({ subtype: 'success', is_error: false, result: 'Still here.' });
    cli.endInput();
    const { code, stderr } = await cli.finished;
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(validity(place)).toEqual([]);
  });
});

test('[M-2] retry-after is kept to the second', async () => {
  const place = await makePlace([fail(429, 'rate_limit_error', 'slow', { 'retry-after': '1' }), FINE]);
  expect(await ask(place)).toMatchObject({ result: FINE });
  const [first = 0, second = 0] = place.api.requests.map(({ time }) => time);
  expect(second - first).toBeGreaterThanOrEqual(995);
});

test('[K27, M-5, S-8] what a dead attempt had completed is called superseded, kept aside, and never sent', async () => {
  const dead = [text('First look.'), toolUse('Bash', { command: 'touch canary' }), text('half')];
  const place = await makePlace([reply(dead, { fault: { after: { block: 2 }, how: 'cut' } }), FINE, 'Again.']);
  const cli = startCli([...STREAM_BOTH, '--allowedTools', 'Bash'], { place });
  cli.say('go');
  expect(await cli.nextResult()).toMatchObject({ result: FINE });
  cli.say('again');
  await cli.nextResult();
  const [text1, call] = cli.lines.filter(({ type }) => type === 'assistant');
  const superseded = cli.lines.find(({ subtype }) => subtype === 'superseded');
  expect(superseded?.superseded_uuids).toEqual([text1?.uuid, call?.uuid]);
  expect(stored(place).map(({ uuid }) => uuid)).toEqual(expect.arrayContaining([text1?.uuid, call?.uuid]));
  expect(conversationText(place.api.requests[2])).not.toContain('First look.');
  expect(existsSync(join(place.cwd, 'canary'))).toBe(false);
  expect(validity(place)).toEqual([]);
});

test('[M-12] 20 MB arrive whole, and 30 MB of a tool go to the model in part', async () => {
  const piece = 'weft 🧵 and warp '.repeat(60_000);
  const pieces = Array.from({ length: 20 }, (_, at) => `${at} ${piece}`);
  const command = `${process.execPath} -e "process.stdout.write('x'.repeat(30e6))"`;
  const place = await makePlace([toolUse('Bash', { command }), reply([text(...pieces)])]);
  const result = await ask(place, '--allowedTools', 'Bash');
  expect(result.result === pieces.join('')).toBe(true);
  expect(place.api.requests[1]?.text.length).toBeLessThan(2e6);
  expect(validity(place)).toEqual([]);
});

test('[M-13] a conversation that nothing makes fit ends with an error, after five requests at most', async () => {
  const tooLong = fail(400, 'invalid_request_error', 'prompt is too long: 201000 tokens > 200000 maximum');
  const full = reply([text('First.')], { usage: { input_tokens: 190_000 } });
  const place = await makePlace((_request, index) => (index === 0 ? full : tooLong));
  const cli = startCli(STREAM_BOTH, { place });
  cli.say('one');
  await cli.nextResult();
  cli.say('two');
  expect(await cli.nextResult()).toMatchObject({ is_error: true, error_code: 'prompt_too_long' });
  expect(place.api.requests.length - 1).toBeLessThanOrEqual(5);
  expect(validity(place)).toEqual([]);
});

test('[M-14] the key does not follow a redirect to another origin', async () => {
  const thief = await startFakeApi(['stolen']);
  const place = await makePlace([raw('', { status: 307, headers: { location: `${thief.url}/v1/messages` } })]);
  expect(await ask(place)).toMatchObject({ is_error: true });
  expect(thief.requests).toEqual([]);
  await thief.close();
});

async function ask(place: Place, ...args: string[]): Promise<Line> {
  const cli = startCli([...STREAM_BOTH, ...args], { place });
  cli.say('go');
  const result = await cli.nextResult();
  cli.endInput();
  await cli.finished;
  return result;
}

async function liveThrough(trouble: Trouble, cli: RunningCli, place: Place, queue: AnswerLike[]): Promise<void> {
  const { name, answers } = trouble;
  const [linesBefore, requestsBefore] = [cli.lines.length, place.api.requests.length];
  queue.push(...answers);
  cli.say(name);
  const result = await cli.nextResult();
  const lines = cli.lines.slice(linesBefore);
  const requests = place.api.requests.slice(requestsBefore);
  const said = result.result ?? (result.errors as string[] | undefined)?.[0] ?? '';
  expect(lines.filter(isResult).length, name).toBe(1);
  expect(requests.length, name).toBe(answers.length);
  if (typeof trouble.result === 'string') expect(said, name).toBe(trouble.result);
  else expect(said, name).toMatch(trouble.result);
  trouble.and?.({ lines, requests, place });
}

/** [M-15] What is wrong with any request of the run. */
function validity({ api }: Place): string[] {
  return api.requests.flatMap((request, at) => {
    const body = bodyOf(request);
    const isPaused = JSON.stringify(body.messages.at(-1)?.content).includes('…');
    return apiFaults(body, { isPaused }).map((fault) => `request ${at + 1}: ${fault}`);
  });
}

function stored(place: Place): Line[] {
  return sessionFiles(place).flatMap((file) => readEntries(file));
}
