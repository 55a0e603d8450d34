import { describe, expect, test } from 'vitest';
import { fillIn, shellCommands } from '../../../src/config/extensions/prompt-template.ts';

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

  test.each<[string, string, string]>([
    ['lines', 'Now:\n```!\necho one\necho $1\n```\nDone.', 'Now:\n<echo one\necho x>\nDone.'],
    ['with a language', '```!bash\ndate\n```', '<date>'],
    ['the first on the line that opens', '```! date\npwd\n```', '<date\npwd>'],
    ['on one line', '```!date```\nand', '<date>\nand'],
    ['indented, as in a list', '- Now:\n  ```!\n  cat <<E\n    in\n  E\n  ```\nx', '- Now:\n  <cat <<E\n  in\nE>\nx'],
    ['with more backquotes', '````!\necho ```\n````', '<echo ```>'],
    ['inline ones within belong to the lines', '```!\necho !`date`\n```\n!`pwd`', '<echo !`date`>\n<pwd>'],
    ['at the very end', 'a\n```!\ndate\n```', 'a\n<date>'],
    ['with nothing in it', '```!\n\n```', '```!\n\n```'],
    ['not an example in another fence', '````markdown\n```!\nrm x\n```\n````', '````markdown\n```!\nrm x\n```\n````'],
    ['not in the middle of a line', 'say ```!\nrm x\n```\n', 'say ```!\nrm x\n```\n'],
    ['not one that is never closed', '```!\nrm x\n', '```!\nrm x\n'],
    ['not one of another kind', '```\n!rm x\n```\n~~~!\nrm\n~~~', '```\n!rm x\n```\n~~~!\nrm\n~~~'],
  ])('fenced: %s', (_name, text, expected) => {
    expect(filled(text, expected.includes('echo x') ? 'x' : '')).toBe(expected);
  });

  test('what is filled in is never read again', () => {
    expect(filled('Say $ARGUMENTS', '!`rm` $1 $ARGUMENTS')).toBe('Say !`rm` $1 $ARGUMENTS');
    expect(filled('Say $1', '"\n!`rm`"')).toBe('Say \n!`rm`');
  });
});
