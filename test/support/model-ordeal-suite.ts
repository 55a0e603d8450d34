import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
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
  text,
  toolUse,
} from '../../src/testing/index.ts';
import { blocksOf, type Line, toolResult } from './lines.ts';
import type { Place } from './place.ts';
import { storedEntries } from './session-files.ts';

/** One turn during which something goes wrong. */
export interface Trouble {
  name: string;
  /** What the API does, one answer for each request. All must be asked for, and no more. */
  answers: AnswerLike[];
  /** The text of the result. */
  result: string | RegExp;
  and?: (turn: { lines: Line[]; requests: FakeApiRequest[]; place: Place }) => void;
}

export interface Ordeal {
  title: string;
  env?: Record<string, string>;
  args?: string[];
  troubles: Trouble[];
}

/** What a good answer says. */
export const FINE = 'Fine.';
/** What an answer says that the provider has paused. */
export const PAUSED = '…';
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
/** The good text with another delta in its middle. */
const withDelta = (delta: object) =>
  fine.replace(
    'event: content_block_stop',
    `${sseText({ type: 'content_block_delta', index: 0, delta })}event: content_block_stop`,
  );
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
    expect(JSON.stringify(storedEntries(place)), name).not.toContain('half an');
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
export const ORDEALS: readonly Ordeal[] = [
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
        raw(begin + withDelta({ type: 'sparkle_delta', sparkle: 'x' }) + finish('end_turn') + end),
      ),
      taken(
        'an unknown field',
        raw(begin + fine.replace('"index":0}', '"index":0,"new":1}') + finish('end_turn') + end),
      ),
      taken('comments', raw(`: hello\n\n${whole.replaceAll('\n\n', '\n\n: still there\n\n')}`)),
      taken('events without names', raw(whole.replaceAll(/^event: .*\n/gm, ''))),
      taken('something behind the end', raw(`${whole}event: error\ndata: {}\n\n`)),
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
      failing('half of a JSON', /^API Error/, raw('{"content":[', { headers: json })),
      failing('JSON that is no message', /^API Error/, raw('{"hello":1}', { headers: json })),
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
      failing('pauses', /^…$/, ...Array(6).fill(reply([text(PAUSED)], { stopReason: 'pause_turn' }))),
      failing('max_tokens', /cut off/, ...Array(4).fill(reply([text('and')], { stopReason: 'max_tokens' }))),
    ],
  },
];
