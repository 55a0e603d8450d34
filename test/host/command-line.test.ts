import { describe, expect, test } from 'vitest';
import { COMMANDS, commandOf, parseCommand } from '../../src/host/command-line.ts';
import { LOCAL_COMMANDS } from '../../src/host/local-commands.ts';

describe('a prompt that is a command', () => {
  test.each([
    ['/cost', 'cost', ''],
    ['  /model opus \n', 'model', 'opus'],
    ['/compact keep the names\nand the dates', 'compact', 'keep the names\nand the dates'],
    ['/plugin:do-it now', 'plugin:do-it', 'now'],
  ])('%j', (prompt, name, args) => {
    expect(parseCommand(prompt)).toEqual({ name, args });
  });

  test.each(['/usr/bin/env is a path', '/', '/ cost', 'say /cost', '/1', '//cost', ''])('%j is none', (prompt) => {
    expect(parseCommand(prompt)).toBeNull();
  });
});

describe('a message that is a command', () => {
  const of = (content: unknown, fields = {}, takesCommandsAsText = false) => {
    const message = { role: 'user' as const, content: content as string };
    return commandOf({ type: 'user', message, ...fields }, { takesCommandsAsText });
  };
  const block = { type: 'text', text: '/cost' };

  test('is a text, or a single block of text', () => {
    expect(of('/cost')).toEqual({ name: 'cost', args: '' });
    expect(of([block])).toEqual({ name: 'cost', args: '' });
  });

  test('[B-066] is not composed by the host, and not meant as text', () => {
    expect(of([block, block])).toBeNull();
    expect(of([{ type: 'image' }])).toBeNull();
    expect(of([])).toBeNull();
    expect(of('/cost', { client_composed: true })).toBeNull();
    expect(of('/cost', {}, true)).toBeNull();
  });
});

test('[QM-06, FLD-05] every command is listed, sorted by name, with what it does', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(names).toEqual([...LOCAL_COMMANDS.keys(), 'compact'].sort());
  expect(COMMANDS.filter(({ description }) => description === '')).toEqual([]);
});
