import { describe, expect, test } from 'vitest';
import { createKeymap, readKeybindings } from '../../../src/tui/focus/keymap.ts';
import { Person } from './support.ts';

const file = (bindings: Record<string, string | null>, context = 'Chat') =>
  JSON.stringify({ bindings: [{ context, bindings }] }, null, 2);

describe('[TUI-55] keybindings.json', () => {
  test('gives a key another action, and takes one away', () => {
    const { bindings, problems } = readKeybindings(file({ 'ctrl+l': 'chat:modelPicker', 'ctrl+u': null }));
    expect(problems).toEqual([]);
    const person = new Person({ keymap: createKeymap(bindings ?? new Map()) }).press('abc<ctrl+l><ctrl+u>');
    expect(person.seen()).toEqual([{ type: 'act', action: 'chat:modelPicker' }]);
    expect(person.text).toBe('abc');
  });

  test.each([
    ['ctrl+x ctrl+e', 'ctrl+x ctrl+e'],
    ['Ctrl+Alt+K', 'ctrl+alt+shift+k'],
    ['opt+k', 'alt+k'],
    ['meta+k', 'alt+k'],
    ['cmd+shift+k', 'shift+super+k'],
    ['K', 'shift+k'],
    ['esc', 'escape'],
    ['PageUp', 'pageup'],
    ['ctrl++', 'ctrl++'],
  ])('%s is %s', (written, keys) => {
    const { bindings, problems } = readKeybindings(file({ [written]: 'chat:undo' }));
    expect(problems).toEqual([]);
    expect(createKeymap(bindings ?? new Map()).find(['Chat'], keys)).toBe('chat:undo');
  });

  test.each([
    ['no JSON', '{\n "bindings": [\n', /^it is no JSON|^line 3: it is no JSON/],
    ['no list', '{}', /needs "bindings"/],
    ['an unknown context', file({}, 'Nowhere'), /^line 4: there is no context Nowhere$/],
    ['an unknown modifier', file({ 'hyper+k': 'chat:undo' }), /^line 6: 'hyper' is no modifier/],
    ['an unknown key', file({ 'ctrl+enterr': 'chat:undo' }), /^line 6: 'enterr' is no key$/],
    ['Ctrl+C', file({ 'ctrl+c': 'chat:undo' }), /^line 6: ctrl\+c cannot be bound$/],
    ['Ctrl+D in a chord', file({ 'ctrl+x ctrl+d': 'chat:undo' }), /cannot be bound$/],
    ['no action', '{"bindings":[{"context":"Chat","bindings":{"k":5}}]}', /needs the name of an action/],
  ])('%s is named, with its line, and the file changes nothing', (_name, text, problem) => {
    const read = readKeybindings(text);
    expect(read.bindings).toBeNull();
    expect(read.problems[0]).toMatch(problem);
  });

  test('contexts and actions of the reference that have no effect are accepted, and named', () => {
    expect(readKeybindings(file({ j: 'scroll:down' }, 'Scroll'))).toMatchObject({
      problems: [],
      notes: ['the context Scroll has no effect here'],
    });
    expect(readKeybindings(file({ 'ctrl+j': 'chat:fly' })).notes).toEqual(['there is no action chat:fly here']);
  });
});

test('the keys of an action, for the help', () => {
  expect(createKeymap().keysOf('Chat', 'chat:externalEditor')).toEqual(['ctrl+g', 'ctrl+x ctrl+e']);
});
