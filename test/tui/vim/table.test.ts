import { describe, expect, test } from 'vitest';
import { createVimKeys } from '../../../src/tui/vim/vim-keys.ts';
import { Person } from '../focus/support.ts';

/** A person in normal mode. `|` in the text is the caret. */
function vim(before: string): Person {
  const person = new Person({ vim: createVimKeys() });
  const caret = before.indexOf('|');
  const text = before.replace('|', '');
  const { editor } = person.state;
  person.state = {
    ...person.state,
    editor: { ...editor, text, caret: Math.max(0, caret) },
    vim: { ...person.state.vim, mode: 'normal' },
  };
  return person;
}

/** The text with its caret, and in front the mode if it is not the normal one. */
function seen({ state: { editor, vim: keys } }: Person): string {
  const text = `${editor.text.slice(0, editor.caret)}|${editor.text.slice(editor.caret)}`;
  return keys.mode === 'normal' ? text : `${keys.mode}: ${text}`;
}

type Row = [before: string, keys: string, after: string];

const table = (rows: Row[]) => {
  test.each(rows)('%j, %s', (before, keys, after) => {
    expect(seen(vim(before).press(keys))).toBe(after);
  });
};

describe('modes', () => {
  table([
    ['ab|c', 'i', 'insert: ab|c'],
    ['ab|c', 'ix', 'insert: abx|c'],
    ['ab|c', 'a', 'insert: abc|'],
    ['|', 'a', 'insert: |'],
    ['  a|b', 'I', 'insert:   |ab'],
    ['a|b\nc', 'A', 'insert: ab|\nc'],
    ['a|b\nc', 'o', 'insert: ab\n|\nc'],
    ['a\nb|c', 'O', 'insert: a\n|\nbc'],
    ['ab|c', 'ix<escape>', 'ab|xc'],
    ['|abc', 'i<escape>', '|abc'],
    ['a\n|b', 'i<escape>', 'a\n|b'],
    ['ab|c', 'v', 'visual: ab|c'],
    ['ab|c', 'V', 'visual-line: ab|c'],
    ['ab|c', 'vV', 'visual-line: ab|c'],
    ['ab|c', 'vv', 'ab|c'],
    ['ab|c', 'VV', 'ab|c'],
    ['ab|c', 'vh<escape>', 'a|bc'],
    ['ab|c', '3ix<escape>', 'abxx|xc'],
    ['a|b', '2oc<escape>', 'ab\nc\n|c'],
    ['a|b', '2Ac<escape>', 'abc|c'],
  ]);
});

describe('motions', () => {
  table([
    ['ab|c', 'h', 'a|bc'],
    ['|abc', 'h', '|abc'],
    ['a\n|b', 'h', 'a\n|b'],
    ['a|bc', 'l', 'ab|c'],
    ['ab|c', 'l', 'ab|c'],
    ['|abcd', '3l', 'abc|d'],
    ['abc|d', '2<left>', 'a|bcd'],
    ['|abcd', '<right> ', 'ab|cd'],
    ['ab|cd', '<backspace>', 'a|bcd'],
    ['|one two', 'w', 'one |two'],
    ['|one.two', 'w', 'one|.two'],
    ['|one.two x', 'W', 'one.two |x'],
    ['|a b c d', '3w', 'a b c |d'],
    ['|a\n\nb', 'w', 'a\n|\nb'],
    ['one |two', 'w', 'one tw|o'],
    ['one tw|o', 'b', 'one |two'],
    ['one |two', 'b', '|one two'],
    ['one.two |x', 'B', '|one.two x'],
    ['a b c |d', '2b', 'a |b c d'],
    ['|one two', 'e', 'on|e two'],
    ['on|e two', 'e', 'one tw|o'],
    ['|one.two x', 'E', 'one.tw|o x'],
    ['one tw|o', 'ge', 'on|e two'],
    ['a.b c|', 'gE', 'a.|b c'],
    ['  on|e', '0', '|  one'],
    ['  on|e', '<home>', '|  one'],
    ['  on|e', '^', '  |one'],
    ['o|ne\ntwo', '$', 'on|e\ntwo'],
    ['o|ne\ntwo', '2$', 'one\ntw|o'],
    ['o|ne', '<end>', 'on|e'],
    ['a\nb\n  c|', 'gg', '|a\nb\n  c'],
    ['|a\nb\n  c', 'G', 'a\nb\n  |c'],
    ['|a\nb\nc', '2G', 'a\n|b\nc'],
    ['a\nb\n|c', '2gg', 'a\n|b\nc'],
    ['|a-b-c', 'f-', 'a|-b-c'],
    ['|a-b-c', '2f-', 'a-b|-c'],
    ['|a-b-c', 'f-;', 'a-b|-c'],
    ['|a-b-c', '2f-,', 'a|-b-c'],
    ['|ab-c-d', 't-', 'a|b-c-d'],
    ['|ab-c-d', 't-;', 'ab-|c-d'],
    ['a-b-|c', 'F-', 'a-b|-c'],
    ['a-bc|d', 'T-', 'a-|bcd'],
    ['-bc-|d', 'T-,', '-bc-|d'],
    ['-a|b-c', 'T-,', '-a|b-c'],
    ['|abc', 'fx', '|abc'],
    ['|a\n-', 'f-', '|a\n-'],
    ['a|(b[c]d)e', '%', 'a(b[c]d|)e'],
    ['a(b[c]d|)e', '%', 'a|(b[c]d)e'],
    ['|a(b)', '%', 'a(b|)'],
    ['|a\nb\n\nc', '}', 'a\nb\n|\nc'],
    ['a\nb\n\nc\n|d', '{', 'a\nb\n|\nc\nd'],
    ['a\n\nb|', '2{', '|a\n\nb'],
    ['ab\nc|d', 'k', 'a|b\ncd'],
    ['a|b\ncd', 'j', 'ab\nc|d'],
    ['|a\nb\nc', '2j', 'a\nb\n|c'],
    ['a|👨‍👩‍👧b', 'l', 'a👨‍👩‍👧|b'],
    ['|漢字 x', 'w', '漢字 |x'],
  ]);
});

describe('operators', () => {
  table([
    ['|one two', 'dw', '|two'],
    ['one |two', 'dw', 'one| '],
    ['|one\ntwo', 'dw', '|\ntwo'],
    ['|a b c d', 'd2w', '|c d'],
    ['|a b c d', '2dw', '|c d'],
    ['one tw|o', 'db', 'one |o'],
    ['|one two', 'de', '| two'],
    ['|one.x two', 'dW', '|two'],
    ['a|bc\nd', 'd$', '|a\nd'],
    ['a|bc\nd', 'D', '|a\nd'],
    ['ab|c', 'd0', '|c'],
    ['  ab|c', 'd^', '  |c'],
    ['a\n|b\nc', 'dd', 'a\n|c'],
    ['a\n|b', 'dd', '|a'],
    ['|a', 'dd', '|'],
    ['|a\nb\nc', '2dd', '|c'],
    ['|a\nb\nc', 'd2d', '|c'],
    ['|a\nb\nc', 'dj', '|c'],
    ['a\nb\n|c', 'dk', '|a'],
    ['a\n|b\nc', 'dG', '|a'],
    ['a\n|b\nc', 'dgg', '|c'],
    ['a|b-c-d', 'df-', 'a|c-d'],
    ['a|b-c-d', 'dt-', 'a|-c-d'],
    ['ab-c|d', 'dF-', 'ab|d'],
    ['ab-c|d', 'dT-', 'ab-|d'],
    ['a|(b)c', 'd%', 'a|c'],
    ['|a\nb\n\nc', 'd}', '|\nc'],
    ['|one two', 'cwx', 'insert: x| two'],
    ['|one two', 'cwx<escape>', '|x two'],
    ['|a b c', 'c2wx<escape>', '|x c'],
    ['one| two', 'cwx', 'insert: onex|two'],
    ['a\n  |b\nc', 'ccx', 'insert: a\nx|\nc'],
    ['a|bc', 'Cx', 'insert: ax|'],
    ['a|bc', 'sx', 'insert: ax|c'],
    ['|', 'sx', 'insert: x|'],
    ['|abcd', '2sx', 'insert: x|cd'],
    ['a\n|b\nc', 'Sx', 'insert: a\nx|\nc'],
    ['a|bc', 'x', 'a|c'],
    ['ab|c', 'x', 'a|b'],
    ['|abcd', '3x', '|d'],
    ['|ab', '9x', '|'],
    ['a|bc', '<delete>', 'a|c'],
    ['ab|c', 'X', 'a|c'],
    ['|a\nb', '>>', '  |a\nb'],
    ['|a\nb\nc', '>j', '  |a\n  b\nc'],
    ['  |a', '<lt><lt>', '|a'],
    ['\t|a', '<lt><lt>', '|a'],
    ['a|b', '~', 'a|B'],
    ['|ab c', '3~', 'AB |c'],
    ['|one Two', 'g~w', '|ONE Two'],
    ['|one two', 'gUw', '|ONE two'],
    ['|ONE two', 'guw', '|one two'],
    ['o|ne Two', 'gUU', '|ONE TWO'],
    ['o|NE Two', 'guu', '|one two'],
    ['o|ne Two', 'g~~', '|ONE tWO'],
    ['o|ne Two', 'g~g~', '|ONE tWO'],
    ['a|bc', 'rx', 'a|xc'],
    ['|abc', '2rx', 'x|xc'],
    ['ab|c', '2rx', 'ab|c'],
    ['|a\n  b', 'J', 'a| b'],
    ['|a\nb\nc', '3J', 'a b| c'],
    ['|f(\n)', 'J', 'f(|)'],
    ['|abc', 'dfx', '|abc'],
    ['a|b', 'dq', 'a|b'],
    ['a|b', 'd<escape>x', '|a'],
  ]);
});

describe('text objects', () => {
  table([
    ['one tw|o three', 'diw', 'one | three'],
    ['one tw|o three', 'daw', 'one |three'],
    ['one tw|o', 'daw', 'on|e'],
    ['one| two', 'diw', 'one|two'],
    ['a.|b c', 'diW', '| c'],
    ['a.|b c', 'daW', '|c'],
    ['|one two three', 'd2aw', '|three'],
    ['say "he|y" now', 'di"', 'say "|" now'],
    ['say "he|y" now', 'da"', 'say |now'],
    ['|say "hey"', 'di"', 'say "|"'],
    ["a 'b|c'", "ci'x", "insert: a 'x|'"],
    ['a `b|c`', 'di`', 'a `|`'],
    ['"a\\"|b"', 'di"', '"|"'],
    ['f(a, |b)', 'di(', 'f(|)'],
    ['f(a, |b)', 'da(', '|f'],
    ['f(a, |b)', 'dib', 'f(|)'],
    ['f(a(b|c))', 'd2i(', 'f(|)'],
    ['x[1|2]', 'di[', 'x[|]'],
    ['x[1|2]y', 'da]', 'x|y'],
    ['{a|b}', 'di{', '{|}'],
    ['{a|b}', 'diB', '{|}'],
    ['{a|b} c', 'daB', '| c'],
    ['a\n|b\n\nc', 'dip', '|\nc'],
    ['a\n|b\n\nc', 'dap', '|c'],
    ['a |b', 'di(', 'a |b'],
    ['f(|)', 'ci(x', 'insert: f(x|)'],
    ['one |two', 'yiwP', 'one tw|otwo'],
  ]);
});

describe('registers', () => {
  table([
    ['|one two', 'ywP', 'one| one two'],
    ['|ab', 'xp', 'b|a'],
    ['|ab', 'x2p', 'ba|a'],
    ['a\n|b', 'yyp', 'a\nb\n|b'],
    ['a\n|b', 'YP', 'a\n|b\nb'],
    ['|a\nb', 'ddp', 'b\n|a'],
    ['|a\nb', 'yy2p', 'a\n|a\na\nb'],
    ['|a\n  b', 'jyyp', 'a\n  b\n  |b'],
    ['|', 'p', '|'],
    ['|one two', 'dw"_dwP', 'one| '],
    ['|a b', '"xdw"_x"xp', 'a| '],
    ['|a b c', '"xdw"Xdw"xP', 'a b| c'],
    ['|one two', 'yw$p', 'one twoone| '],
    ['a |b', 'i<ctrl+w><escape>p', 'ba| '],
  ]);
});

describe('visual mode', () => {
  table([
    ['|abc', 'vld', '|c'],
    ['ab|c', 'vhd', '|a'],
    ['|one two', 'ved', '| two'],
    ['|one two', 'vey$p', 'one twoon|e'],
    ['a|bc', 'vcx', 'insert: ax|c'],
    ['|abcd', 'lvlohd', '|d'],
    ['a\n|b\nc', 'Vd', 'a\n|c'],
    ['|a\nb\nc', 'Vjd', '|c'],
    ['|a\nb\nc', 'vjd', '|\nc'],
    ['|a\nb', 'Vj>', '  |a\n  b'],
    ['|  a\n  b', 'Vj<lt>', '|a\nb'],
    ['|one', 'v$~', '|ONE'],
    ['|ONE', 'viwu', '|one'],
    ['|one', 'viwU', '|ONE'],
    ['|a\nb\nc', 'VjJ', 'a| b\nc'],
    ['|abc', 'vlrx', '|xxc'],
    ['one |two', 'yiw0viwp', 'tw|o two'],
    ['say "he|y"', 'vi"d', 'say "|"'],
    ['f(a|b)', 'va(d', '|f'],
    ['a\n|b\n\nc', 'vipd', '|\nc'],
    ['|abc', 'vlD', '|'],
    ['|one two', 'vwd<escape>', '|wo'],
    ['|a-b-c', 'v2f-d', '|c'],
    ['|a b c', 'vaWd', '|b c'],
    ['|abc', 'vl<escape>x', 'a|c'],
  ]);
});

describe('dot, undo and redo', () => {
  table([
    ['|a b c', 'dw.', '|c'],
    ['|a b c d e', 'dw2.', '|d e'],
    ['|one two', 'cwx<escape>w.', 'x |x'],
    ['|a\nb', 'Ax<escape>j.', 'ax\nb|x'],
    ['|abc', 'x..', '|'],
    ['|ab', 'ix<escape>l.', 'x|xab'],
    ['|a\nb\nc', '>>j.', '  a\n  |b\nc'],
    ['|a\nb\nc\nd\ne', 'Vjd.', '|e'],
    ['|abcdef', 'vld.', '|ef'],
    ['|abc', 'rxl.', 'x|xc'],
    ['|ab', '~.', 'A|B'],
    ['a |b c', 'daw.', '|a'],
    ['|abc', 'xu', '|abc'],
    ['|abc', 'xxu', '|bc'],
    ['|abc', 'xx2u', '|abc'],
    ['|abc', 'xxuu<ctrl+r>', '|bc'],
    ['|abc', 'xxuu2<ctrl+r>', '|c'],
    ['|a', 'ione two three <escape>u', '|a'],
    ['|one two', 'cwa b c<escape>u', '|one two'],
    ['|one two', 'cwa b c<escape>u<ctrl+r>', '|a b c two'],
    ['|a', 'ox<escape>u', '|a'],
    ['|a b', 'dwix<escape>uu', '|a b'],
    ['|a\nb', 'ddpu', '|b'],
  ]);
});

test('what is typed before the first Escape is one change', () => {
  const person = new Person({ vim: createVimKeys() }).press('one two three<escape>u');
  expect(seen(person)).toBe('|');
});
