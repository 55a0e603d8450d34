import { expect } from 'vitest';
import { fail, reply, text, toolUse } from '../../../src/testing/index.ts';
import type { Place } from '../../support/place.ts';
import { bodyOf, conversationText } from '../../support/requests.ts';
import { BASH, bash, overloaded, type Row, SUCCESS, times, tooLong } from './row.ts';

const STOPPED = { situation: 'the model stopped without tool calls', outcome: SUCCESS };
const SHAPED = { situation: 'the answer has the shape of `--json-schema`', outcome: SUCCESS };
const LOCAL = { situation: 'a local command', outcome: SUCCESS };

const SCHEMA = ['--json-schema', '{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}'];
const handIn = (input: Record<string, unknown>) => toolUse('StructuredOutput', input);
const paused = reply([text('A moment.')], { stopReason: 'pause_turn' });
const models = ({ api }: Place) => api.requests.map((request) => bodyOf(request).model.split('-')[1]).join(' ');

/** Everything that ends well, however it got there. */
export const STOPS: Row[] = [
  { ...STOPPED, title: '[LOOP-07, LOOP-15]', script: ['Done.'], requests: 1, says: 'Done.' },
  { ...STOPPED, title: '[LOOP-06] after a round of tools', script: [bash('echo 1'), 'Done.'], args: BASH, requests: 2 },
  {
    ...STOPPED,
    title: '[K26] what is said while tools run joins the turn',
    script: [bash('sleep 0.3'), 'Both.'],
    args: BASH,
    async host(cli) {
      cli.say('one');
      await cli.next(({ type }) => type === 'assistant');
      cli.say('two');
    },
    requests: 2,
    says: 'Both.',
    and: ({ place }) => expect(conversationText(place.api.requests[1])).toMatch(/one[\s\S]*two/),
  },
  {
    ...STOPPED,
    title: '[K26] what is said during a turn without tools is a turn of its own',
    script: ['First.', 'Second.'],
    prompts: ['one', 'two'],
    requests: 2,
    says: 'Second.',
  },
  {
    ...STOPPED,
    title: '[LOOP-11] an answer that was cut off is gone on with',
    script: [reply([text('The first')], { stopReason: 'max_tokens' }), 'and the rest.'],
    requests: 2,
    says: 'and the rest.',
  },
  { ...STOPPED, title: '[K31] a pause is gone on from', script: [paused, 'Done.'], requests: 2, says: 'Done.' },
  { ...STOPPED, title: '[K31, M-11] but not more than five times', script: times(9, paused), requests: 6 },
  { ...STOPPED, title: '[K31] an empty answer is asked for again', script: [[], 'Here.'], requests: 2, says: 'Here.' },
  {
    ...STOPPED,
    title: '[K17, LOOP-14] another model answers after three overloads',
    script: [overloaded, overloaded, overloaded, 'From the other.'],
    args: ['--fallback-model', 'haiku'],
    requests: 4,
    and: ({ place }) => expect(models(place)).toBe('sonnet sonnet sonnet haiku'),
  },
  {
    ...STOPPED,
    title: '[K17] then the next of the list, for which there is no more patience',
    script: [...times(6, overloaded), 'From the third.'],
    args: ['--fallback-model', 'opus,haiku'],
    requests: 7,
    and: ({ place }) => expect(models(place)).toBe('sonnet sonnet sonnet opus opus opus haiku'),
  },
  {
    ...STOPPED,
    title: '[K17] a model that does not exist; the next turn tries the first again',
    script: [fail(404, 'not_found_error', 'no such model'), 'From the other.', 'From the first.'],
    args: ['--fallback-model', 'haiku'],
    prompts: ['one', 'two'],
    requests: 3,
    says: 'From the first.',
    and: ({ place }) => expect(models(place)).toBe('sonnet haiku sonnet'),
  },
  {
    ...STOPPED,
    title: '[K17] errors of the server, once the retries are used up',
    script: [...times(2, fail(500, 'api_error', 'broken', { 'retry-after-ms': '1' })), 'From the other.'],
    args: ['--fallback-model', 'haiku'],
    env: { CLAUDE_CODE_MAX_RETRIES: '1' },
    requests: 3,
    and: ({ lines }) => expect(lines.find(({ subtype }) => subtype === 'model_fallback')?.trigger).toBe('server'),
  },
  {
    ...STOPPED,
    title: '[M-13] a conversation that does not fit is compacted',
    script: ['First.', tooLong, '<summary>It began.</summary>', 'Second.'],
    prompts: ['one', 'two'],
    requests: 4,
    says: 'Second.',
  },
  {
    ...LOCAL,
    title: 'that is known',
    prompts: ['/help'],
    requests: 0,
    says: /^Commands:\n/,
    and: ({ lines }) => expect(String(lines.at(-2)?.message?.content)).toContain('<local-command-stdout>Commands:'),
  },
  {
    ...LOCAL,
    title: 'that is not',
    prompts: ['/frobnicate now'],
    requests: 0,
    says: 'Unknown skill: frobnicate',
  },
  {
    ...SHAPED,
    title: '[K29, OUT-08] at once, and the turn ends there',
    script: [handIn({ n: 1 }), 'never'],
    args: SCHEMA,
    requests: 1,
    says: '{"n":1}',
    and: ({ result }) => expect(result.structured_output).toEqual({ n: 1 }),
  },
  {
    ...SHAPED,
    title: '[K29] after one that was not valid',
    script: [handIn({ n: 'one' }), handIn({ n: 1 })],
    args: SCHEMA,
    requests: 2,
    and: ({ result }) => expect(result.structured_output).toEqual({ n: 1 }),
  },
  {
    ...SHAPED,
    title: '[K29] after a text that was none',
    script: ['It is one.', handIn({ n: 1 })],
    args: SCHEMA,
    requests: 2,
    and: ({ result }) => expect(result.structured_output).toEqual({ n: 1 }),
  },
];

const UNSHAPED = {
  situation: 'no valid structured output after 5 asks',
  outcome: {
    subtype: 'error_max_structured_output_retries',
    isError: true,
    terminalReason: 'structured_output_retry_exhausted',
    errorCode: 'structured_output_retry_exhausted',
    exitCode: 1,
  },
  args: SCHEMA,
  requests: 5,
  says: /^Failed to provide valid structured output[\s\S]*It is one\./,
};

/** A shape that was asked for and never came. */
export const UNSHAPED_STOPS: Row[] = [
  { ...UNSHAPED, title: '[K29, MSG-16] it was never handed in', script: times(9, 'It is one.') },
  {
    ...UNSHAPED,
    title: '[K29, MSG-16] it was never valid',
    script: times(9, [text('It is one.'), handIn({ n: 'one' })]),
  },
];
