import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../src/host/commands/command-list.ts';
import { LOCAL_COMMANDS } from '../../../src/host/commands/local-commands.ts';
import { COMMAND_NAMES, commandOf, isAnswered, parseCommand } from '../../../src/host/extensions/parse-command.ts';

describe('a prompt that is a command', () => {
  test.each([
    ['/cost', 'cost', ''],
    ['  /model opus \n', 'model', 'opus'],
    ['/compact keep the names\nand the dates', 'compact', 'keep the names\nand the dates'],
    ['/plugin:do-it now', 'plugin:do-it', 'now'],
    ['/2fa on', '2fa', 'on'],
    ['/_own', '_own', ''],
    ['/-dash x', '-dash', 'x'],
    ['/v1.2 x', 'v1.2', 'x'],
    ['/größe 日本', 'größe', '日本'],
  ])('%j', (prompt, name, args) => {
    expect(parseCommand(prompt)).toEqual({ name, args });
  });

  test.each(['/usr/bin/env is a path', '/', '/ cost', 'say /cost', '//cost', ''])('%j is none', (prompt) => {
    expect(parseCommand(prompt)).toBeNull();
  });

  test.each<[string, boolean]>([
    ['cost', true],
    ['frobnicate', true],
    ['plugin:gone', true],
    ['1', true],
    ['*', false],
    ['1.5', false],
    ['größe', false],
    ['tmp', false],
  ])('/%s, which no file brings, is answered here: %j', (name, expected) => {
    expect(isAnswered({ name, args: '' }, { dialect: '2.1.44' })).toBe(expected);
  });

  test('[K46] today only our own are', () => {
    const answered = ['cost', 'compact', 'frobnicate', '1', 'tmp'].filter((name) =>
      isAnswered({ name, args: '' }, { dialect: '2.1.325' }),
    );
    expect(answered).toEqual(['cost', 'compact']);
  });
});

describe('a message that is a command', () => {
  const of = (content: unknown, fields = {}, takesCommandsAsText = false) => {
    const message = { role: 'user' as const, content: content as string };
    return commandOf({ type: 'user', message, ...fields }, { takesCommandsAsText });
  };
  const block = { type: 'text', text: '/cost' };

  test('is a text, or a block of text', () => {
    expect(of('/cost')).toEqual({ name: 'cost', args: '' });
    expect(of([block])).toEqual({ name: 'cost', args: '' });
  });

  test('is the last of several blocks, whatever stands before it', () => {
    const before = [{ type: 'text', text: 'A pull request' }, { type: 'image' }, block];
    expect(of([...before, { type: 'text', text: '/fix it' }])).toEqual({ name: 'fix', args: 'it', before });
    expect(of([block, { type: 'text', text: 'and more' }])).toBeNull();
  });

  test('[B-066] is not composed by the host, and not meant as text', () => {
    expect(of([block, { type: 'image' }])).toBeNull();
    expect(of([{ type: 'image' }])).toBeNull();
    expect(of([])).toBeNull();
    expect(of('/cost', { client_composed: true })).toBeNull();
    expect(of('/cost', {}, true)).toBeNull();
  });
});

test('[QM-06, FLD-05] every command is listed, sorted by name, with what it does', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(names).toEqual([...LOCAL_COMMANDS.keys(), 'compact'].sort());
  expect(COMMAND_NAMES).toEqual(names);
  expect(COMMANDS.filter(({ description }) => description === '')).toEqual([]);
});
