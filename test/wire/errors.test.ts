import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import {
  AbortError,
  CliNotFoundError,
  ConnectionError,
  ControlError,
  ControlTimeoutError,
  HeddleError,
  JsonDecodeError,
  MessageParseError,
  NotConnectedError,
  toHeddleError,
} from '../../src/wire/errors.ts';
import { ProcessError, RunError } from '../../src/wire/link/exit-errors.ts';

/** Texts that a host may match are wire shape (ruling P5). */
const errors: [title: string, error: HeddleError, name: string, code: string, message: string][] = [
  [
    '[ERR-01, P10] CliNotFoundError names the place',
    new CliNotFoundError('/opt/agent'),
    'CliNotFoundError',
    'cli_not_found',
    'Heddle not found: /opt/agent',
  ],
  [
    '[ERR-01, P5] CliNotFoundError, for a host that was written for the reference',
    new CliNotFoundError('/opt/agent', { program: 'Claude Code' }),
    'CliNotFoundError',
    'cli_not_found',
    'Claude Code not found: /opt/agent',
  ],
  [
    '[ERR-02, P5] ConnectionError',
    new ConnectionError('EACCES'),
    'ConnectionError',
    'connection_failed',
    'Connection error: EACCES',
  ],
  [
    '[ERR-03, P5] NotConnectedError',
    new NotConnectedError(),
    'NotConnectedError',
    'not_connected',
    'Not connected. Call connect() first.',
  ],
  [
    '[ERR-04, P5] ProcessError',
    new ProcessError({ code: 3, signal: null, stderr: '' }),
    'ProcessError',
    'process_failed',
    'Process failed with exit code 3',
  ],
  [
    '[ERR-05, P5] JsonDecodeError',
    new JsonDecodeError('line 1'),
    'JsonDecodeError',
    'json_decode',
    'JSON decode error: line 1',
  ],
  [
    '[ERR-06, P5] MessageParseError',
    new MessageParseError('type: wrong'),
    'MessageParseError',
    'message_parse',
    'Message parse error: type: wrong',
  ],
  [
    '[ERR-07, P5] ControlTimeoutError',
    new ControlTimeoutError('initialize'),
    'ControlTimeoutError',
    'control_timeout',
    'Control request timeout: initialize',
  ],
  ['[ERR-08, P5] the fallback is its text', new HeddleError('other', 'odd'), 'HeddleError', 'other', 'odd'],
  [
    '[ERR-10, P10] AbortError, with the words by which hosts know it',
    new AbortError(),
    'AbortError',
    'aborted',
    'Agent aborted by user',
  ],
  [
    'RunError tells the error behind it',
    new RunError(new HeddleError('invalid_settings', 'they are no JSON')),
    'RunError',
    'run_failed',
    'The run could not start: they are no JSON',
  ],
  ['RunError without one', new RunError(null), 'RunError', 'run_failed', 'The run ended without a result'],
  ['ControlError is the other side’s text', new ControlError('refused'), 'ControlError', 'control_error', 'refused'],
];

describe('HeddleError', () => {
  test.each(errors)('%s', (_, error, name, code, message) => {
    expect({ name: error.name, code: error.code, message: error.message }).toEqual({ name, code, message });
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(HeddleError);
    expect(HeddleError.isInstance(error)).toBe(true);
    expect(String(error)).toBe(`${name}: ${message}`);
  });

  test('isInstance knows errors of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('../../src/wire/errors.ts');
    const error = new copy.AbortError();
    expect(copy.HeddleError).not.toBe(HeddleError);
    expect(error).not.toBeInstanceOf(HeddleError);
    expect(HeddleError.isInstance(error)).toBe(true);
    expect(toHeddleError(error)).toBe(error);
  });

  test.each([[undefined], [null], ['text'], [new Error('plain')], [{ code: 'other', message: 'looks like one' }]])(
    'isInstance refuses %s',
    (value) => expect(HeddleError.isInstance(value)).toBe(false),
  );

  test('keeps facts and cause', () => {
    const cause = new Error('below');
    const error = new HeddleError('storage_failed', 'above', { facts: { path: '/x' }, cause });
    expect(error.facts).toEqual({ path: '/x' });
    expect(error.cause).toBe(cause);
    expect(new HeddleError('other', 'bare').facts).toEqual({});
    expect('cause' in new HeddleError('other', 'bare')).toBe(false);
  });
});

describe('ProcessError', () => {
  test('[ERR-04] carries exit code and stderr, and shows the last lines', () => {
    const error = new ProcessError({ code: 3, signal: null, stderr: 'first\nthe loom is broken\n' });
    expect(error.message).toBe('Process failed with exit code 3\nfirst\nthe loom is broken');
    expect(error).toMatchObject({ exitCode: 3, signal: null, stderr: 'first\nthe loom is broken\n' });
    expect(error.facts).toMatchObject({ code: 3, signal: null, stderr: 'first\nthe loom is broken\n' });
  });

  test('what is shown of it has the words of the agent once, and what is logged as JSON has them, too', () => {
    const error = new ProcessError({ code: 3, signal: null, stderr: 'the loom is broken\n' });
    expect(inspect(error).match(/the loom is broken/g)).toHaveLength(1);
    expect(inspect(error)).not.toContain('Symbol(');
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      ...{ name: 'ProcessError', message: error.message, code: 'process_failed' },
      ...{ exitCode: 3, signal: null, stderr: 'the loom is broken\n' },
    });
  });

  test.each([
    ['whole lines', `${'loom\n'.repeat(500)}the last`, /^Process failed with exit code 3\n…\nloom\n(loom\n)+the last$/],
    ['the end of a long line', `${'🧵'.repeat(2000)}x`, /^Process failed with exit code 3\n…(🧵)+x$/u],
  ])('of much on stderr the message quotes the end: %s', (_, stderr, expected) => {
    const { message } = new ProcessError({ code: 3, signal: null, stderr });
    expect(message).toMatch(expected);
    expect(message.length).toBeLessThan(900);
  });

  test('names the signal when there is no exit code', () => {
    expect(new ProcessError({ code: null, signal: 'SIGKILL', stderr: '' }).message).toBe(
      'Process failed with signal SIGKILL',
    );
    expect(new ProcessError({ code: null, signal: null, stderr: '' }).message).toMatch(/signal unknown/);
  });
});

test('ControlError carries the machine-readable word, if there is one', () => {
  expect(new ControlError('no', 'invalid_mode')).toMatchObject({
    errorCode: 'invalid_mode',
    facts: { errorCode: 'invalid_mode' },
  });
  expect(new ControlError('no').errorCode).toBeUndefined();
});

describe('toHeddleError', () => {
  test('[ERR-08] keeps the text of anything thrown, and the thing itself as cause', () => {
    const plain = new TypeError('wrong');
    expect(toHeddleError(plain)).toMatchObject({ code: 'other', message: 'wrong', cause: plain });
    expect(toHeddleError('a text')).toMatchObject({ code: 'other', message: 'a text', cause: 'a text' });
    const own = new AbortError();
    expect(toHeddleError(own)).toBe(own);
  });
});
