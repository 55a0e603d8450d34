import { describe, expect, test } from 'vitest';
import { fillIn, shellCommands } from '../../src/config/prompt-template.ts';

const filled = (text: string, args: string, variables: Record<string, string> = {}) =>
  fillIn(text, { args, variables })
    .map((piece) => (piece.kind === 'command' ? `<${piece.text}>` : piece.text))
    .join('');

describe('placeholders', () => {
  test.each<[string, string, string, string]>([
    ['all of it, as it was typed', 'Do $ARGUMENTS!', 'a  "b"', 'Do a  "b"!'],
    ['the words', '$1 and $2', 'one "two words"', 'one and two words'],
    ['from zero, where the text does so', '$0 and $1', 'one two', 'one and two'],
    ['by number', '$ARGUMENTS[0]/$ARGUMENTS[1]', "'a b' c", 'a b/c'],
    ['one that is missing stays', '$1 $2 costs $50', 'one', 'one $2 costs $50'],
    ['a quote that never ends', '$1|$2', 'it\'s "so', 'it\'s|"so'],
    ['a backslash', '$1', 'a\\ b', 'a b'],
    ['none is asked for', 'Do it.\n', 'now', 'Do it.\n\nARGUMENTS: now'],
    ['none is asked for, without a line feed', 'Do it.', 'now', 'Do it.\n\nARGUMENTS: now'],
    ['none is given', 'Do it to $ARGUMENTS.', '', 'Do it to .'],
  ])('%s', (_name, text, args, expected) => {
    expect(filled(text, args)).toBe(expected);
  });

  test('variables that are known; others stay', () => {
    const rest = `/x $\{CLAUDE_OTHER} $\{HOME} $\{CLAUDE___PROTO__}`;
    expect(filled(`$\{CLAUDE_PLUGIN_ROOT}${rest}`, '', { CLAUDE_PLUGIN_ROOT: '/kit' })).toBe(`/kit${rest}`);
  });
});

describe('shell commands', () => {
  test('stand at the beginning of a line or after a blank', () => {
    const text = '!`one`\nThen: !`two $1` and no`!`three` nor x!`four`';
    expect(shellCommands(text)).toEqual(['one', 'two $1']);
    expect(filled(text, 'x')).toBe('<one>\nThen: <two x> and no`!`three` nor x!`four`');
  });

  test('what is filled in is never read again', () => {
    expect(filled('Say $ARGUMENTS', '!`rm` $1 $ARGUMENTS')).toBe('Say !`rm` $1 $ARGUMENTS');
    expect(filled('Say $1', '"\n!`rm`"')).toBe('Say \n!`rm`');
  });
});
