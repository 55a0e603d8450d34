import { describe, expect, test } from 'vitest';
import { commandText, resultText } from '../../../src/cli/terminal/result-text.ts';

describe('resultText', () => {
  test.each([
    [
      { subtype: 'success', is_error: false, result: 'Hi' },
      { stdout: 'Hi', stderr: null },
    ],
    [
      { subtype: 'success', is_error: true, result: 'API Error: 400', errors: ['API Error: 400 '] },
      { stdout: 'API Error: 400', stderr: 'heddle: The model API did not accept the request (400).' },
    ],
    [
      { subtype: 'success', is_error: true, result: '\u001b[2J', errors: ['API Error: \u001b[2J'] },
      { stdout: '\u001b[2J', stderr: 'heddle: The model API did not accept the request (\\u{1b}[2J).' },
    ],
    [
      { subtype: 'error_during_execution', num_turns: 0, errors: ['first\nsecond \u009b2J'] },
      { stdout: null, stderr: 'heddle: first\nsecond \\u{9b}2J' },
    ],
    [
      { subtype: 'error_max_turns', num_turns: 3, errors: ['Reached max turns (2)'] },
      {
        stdout: 'Error: Reached max turns (2)',
        stderr: 'heddle: Reached max turns (2): --max-turns N allows more, and --continue goes on from here',
      },
    ],
    [
      { subtype: 'error_max_budget_usd', num_turns: 2, errors: ['Exceeded USD budget (1)'] },
      {
        stdout: 'Error: Exceeded USD budget (1)',
        stderr:
          'heddle: Exceeded USD budget (1): --max-budget-usd AMOUNT allows more, and --continue goes on from here',
      },
    ],
    [
      { subtype: 'error_during_execution', num_turns: 2, errors: ['The turn was interrupted'] },
      { stdout: 'Execution error', stderr: 'heddle: The turn was interrupted' },
    ],
    [
      { subtype: 'error_during_execution', num_turns: 0, errors: ['No conversation found with session ID: x'] },
      {
        stdout: null,
        stderr:
          'No conversation found with session ID: x\nheddle: see which sessions there are: heddle sessions list --all',
      },
    ],
  ])('[OUT-10] [OUT-11] [P5] %j', async (result, expected) => {
    const whole = { is_error: result.subtype !== 'success', ...result };
    expect(await resultText(whole, { isTerminal: false, denied: [] })).toEqual(expected);
  });

  test('[OUT-13] a missing structured output begins with the fixed text', async () => {
    const result = { subtype: 'error_max_structured_output_retries', num_turns: 6, errors: ['…'] };
    const { stdout } = await resultText(result, { isTerminal: false, denied: [] });
    expect(stdout).toMatch(/^Error: Failed to provide valid structured output/);
  });

  test.each([
    [
      {
        error_code: 'authentication',
        errors: [apiError(401, 'invalid x-api-key', ' · Check the API key of this model')],
      },
      'The model API refused the key (401: invalid x-api-key). heddle auth status shows which key is used, heddle doctor checks it.',
    ],
    [
      { error_code: 'rate_limit', errors: [apiError(429, 'Slow down')] },
      'The model API allows no more requests now (429: Slow down). Wait, or name another model with --model or --fallback-model.',
    ],
    [
      { error_code: 'overloaded', errors: [apiError(529, 'Busy')] },
      'The model API failed (529: Busy). Try again later, or name another model with --fallback-model.',
    ],
    [
      { error_code: 'connection', errors: ['API Error: Could not connect to 127.0.0.1:1: refused.'] },
      'Could not connect to 127.0.0.1:1: refused. Check the network, and ANTHROPIC_BASE_URL or OPENAI_BASE_URL where one is set; heddle doctor tells what is used.',
    ],
    [
      { error_code: 'invalid_request', errors: [apiError(400, 'too large\nby far')] },
      'The model API did not accept the request (400: too large).',
    ],
  ])('[K6] %j is a sentence on stderr', async (fields, sentence) => {
    const result = { subtype: 'success', is_error: true, num_turns: 1, result: 'API Error: …', ...fields };
    expect(await resultText(result, { isTerminal: false, denied: [] })).toEqual({
      stdout: 'API Error: …',
      stderr: `heddle: ${sentence}`,
    });
    expect(await resultText(result, { isTerminal: true, denied: [] })).toEqual({
      stdout: null,
      stderr: `heddle: ${sentence}`,
    });
  });
});

function apiError(status: number, message: string, more = ''): string {
  return `API Error: ${status} ${JSON.stringify({ type: 'error', error: { type: 'some_error', message } })}${more}`;
}

describe('commandText', () => {
  const line = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });

  test('takes what a local command said', () => {
    expect(commandText(line('<local-command-stdout>a\nb</local-command-stdout>'))).toEqual({
      stdout: 'a\nb',
      stderr: null,
    });
    expect(commandText(line('<local-command-stderr>Error: x</local-command-stderr>'))?.stderr).toBe('Error: x');
  });

  test('anything else is none', () => {
    expect(commandText(line('hello'))).toBeNull();
    expect(commandText(line([{ type: 'text', text: '<local-command-stdout>x</local-command-stdout>' }]))).toBeNull();
    expect(commandText({ type: 'result' })).toBeNull();
  });
});
