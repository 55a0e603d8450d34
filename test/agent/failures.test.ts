import { describe, expect, test } from 'vitest';
import { describeFailure } from '../../src/agent/failures.ts';
import type { Failure, FailureClass } from '../../src/model/model.ts';
import { fail } from '../../src/testing/script.ts';
import { createRig } from './support.ts';

const body = '{"type":"error","error":{"message":"why"}}';

describe('how a failure is told', () => {
  test.each<[FailureClass, string]>([
    ['authentication', 'authentication_failed'],
    ['billing', 'billing_error'],
    ['rate_limit', 'rate_limit'],
    ['invalid_request', 'unknown'],
    ['prompt_too_long', 'invalid_request'],
    ['model_not_found', 'model_not_found'],
    ['overloaded', 'server_error'],
    ['server', 'server_error'],
    ['connection', 'server_error'],
    ['timeout', 'server_error'],
    ['malformed', 'server_error'],
    ['aborted', 'unknown'],
  ])('[FLD-12, ERR-11, K24] %s is the word %s', (kind, word) => {
    expect(describeFailure({ class: kind, message: 'why' }, 'm').error).toBe(word);
  });

  test('an answer of the API is quoted with its status and body', () => {
    const failure: Failure = { class: 'server', message: 'why', status: 500, body };
    expect(describeFailure(failure, 'm').text).toBe(`API Error: 500 ${body}`);
    expect(describeFailure({ class: 'connection', message: 'refused' }, 'm').text).toBe('API Error: refused');
  });

  test('what can be done about it is said', () => {
    const told = (failure: Failure) => describeFailure(failure, 'claude-x').text;
    expect(told({ class: 'authentication', message: 'why', status: 401, body })).toMatch(/API[ _]key/i);
    expect(told({ class: 'authentication', message: 'set a key' })).toBe('set a key');
    expect(told({ class: 'model_not_found', message: 'why', status: 404 })).toMatch(/claude-x.*--model/);
    expect(told({ class: 'prompt_too_long', message: 'why', status: 400 })).toContain('Prompt is too long');
    expect(told({ class: 'billing', message: 'why', status: 400 })).toContain('Credit balance');
  });
});

test.each([
  [400, 'invalid_request_error', 'bad', 'unknown'],
  [400, 'invalid_request_error', 'prompt is too long: 210000 tokens', 'invalid_request'],
  [400, 'invalid_request_error', 'Your credit balance is too low', 'billing_error'],
  [401, 'authentication_error', 'invalid x-api-key', 'authentication_failed'],
  [403, 'permission_error', 'forbidden', 'authentication_failed'],
  [404, 'not_found_error', 'model: x', 'model_not_found'],
  [429, 'rate_limit_error', 'slow down', 'rate_limit'],
  [500, 'api_error', 'oops', 'server_error'],
  [529, 'overloaded_error', 'Overloaded', 'server_error'],
])('[FLD-12, ERR-11] status %i %s (%s) becomes a line with the error %s', async (status, type, message, word) => {
  const rig = createRig([fail(status, type, message)]);
  expect(await rig.ask('go')).toMatchObject({ kind: 'api_error' });
  expect(rig.lines).toHaveLength(1);
  expect(rig.lines[0]).toMatchObject({
    type: 'assistant',
    error: word,
    message: { model: '<synthetic>', role: 'assistant', stop_reason: 'stop_sequence', content: [{ type: 'text' }] },
  });
});
