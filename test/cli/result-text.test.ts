import { describe, expect, test } from 'vitest';
import { commandText, resultText } from '../../src/cli/result-text.ts';

describe('resultText', () => {
  test.each([
    [
      { subtype: 'success', is_error: false, result: 'Hi' },
      { stdout: 'Hi', stderr: null },
    ],
    [
      { subtype: 'success', is_error: true, result: 'API Error: 400', errors: ['API Error: 400\nmore'] },
      { stdout: 'API Error: 400', stderr: 'heddle: API Error: 400' },
    ],
    [
      { subtype: 'success', is_error: true, result: '\u001b[2J', errors: ['API Error: \u001b[2J'] },
      { stdout: '\u001b[2J', stderr: 'heddle: API Error: \\u{1b}[2J' },
    ],
    [
      { subtype: 'error_during_execution', num_turns: 0, errors: ['first\nsecond \u009b2J'] },
      { stdout: null, stderr: 'first\nsecond \\u{9b}2J' },
    ],
    [
      { subtype: 'error_max_turns', num_turns: 3, errors: ['Reached max turns (2)'] },
      { stdout: 'Error: Reached max turns (2)', stderr: 'heddle: Reached max turns (2)' },
    ],
    [
      { subtype: 'error_max_budget_usd', num_turns: 2, errors: ['Exceeded USD budget (1)'] },
      { stdout: 'Error: Exceeded USD budget (1)', stderr: 'heddle: Exceeded USD budget (1)' },
    ],
    [
      { subtype: 'error_during_execution', num_turns: 2, errors: ['The turn was interrupted'] },
      { stdout: 'Execution error', stderr: 'heddle: The turn was interrupted' },
    ],
    [
      { subtype: 'error_during_execution', num_turns: 0, errors: ['No conversation found with session ID: x'] },
      { stdout: null, stderr: 'No conversation found with session ID: x' },
    ],
  ])('[OUT-10] [OUT-11] [P5] %j', (result, expected) => {
    expect(resultText(result)).toEqual(expected);
  });

  test('[OUT-13] a missing structured output begins with the fixed text', () => {
    const { stdout } = resultText({ subtype: 'error_max_structured_output_retries', num_turns: 6, errors: ['…'] });
    expect(stdout).toMatch(/^Error: Failed to provide valid structured output/);
  });
});

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
