import { describe, expect, test } from 'vitest';
import {
  type EditorAction,
  EMPTY_EDITOR,
  edit,
  isBeforePaste,
  promptOf,
  selectedText,
  shownText,
} from '../../../src/tui/editor/editor.ts';
import { doing, editorWith, marked } from './support.ts';

const move = (to: Extract<EditorAction, { type: 'move' }>['to']): EditorAction => ({ type: 'move', to });
const kill = (to: Extract<EditorAction, { type: 'kill' }>['to']): EditorAction => ({ type: 'kill', to });
const type = (text: string): EditorAction => ({ type: 'type', text });
const del = (to: 'left' | 'right'): EditorAction => ({ type: 'delete', to });

/** As readline moves and kills. */
const READLINE: [name: string, before: string, action: EditorAction, after: string][] = [
  ['backward-char', 'ab|c', move('left'), 'a|bc'],
  ['backward-char at the beginning', '|abc', move('left'), '|abc'],
  ['backward-char over a line end', 'a\n|b', move('left'), 'a|\nb'],
  ['forward-char', 'a|bc', move('right'), 'ab|c'],
  ['forward-char at the end', 'abc|', move('right'), 'abc|'],
  ['beginning-of-line', 'one\ntw|o', move('line-start'), 'one\n|two'],
  ['end-of-line', 'o|ne\ntwo', move('line-end'), 'one|\ntwo'],
  ['forward-word', 'one| two three', move('word-right'), 'one two| three'],
  ['forward-word over punctuation', 'one|, (two) x', move('word-right'), 'one, (two|) x'],
  ['forward-word stops at an underscore', '|foo_bar', move('word-right'), 'foo|_bar'],
  ['forward-word over a line end', 'one|\ntwo', move('word-right'), 'one\ntwo|'],
  ['backward-word', 'one two| three', move('word-left'), 'one |two three'],
  ['backward-word over punctuation', 'one, (two)|', move('word-left'), 'one, (|two)'],
  ['backward-word at the beginning', '|one', move('word-left'), '|one'],
  ['backward-delete-char', 'ab|c', del('left'), 'a|c'],
  ['backward-delete-char joins lines', 'a\n|b', del('left'), 'a|b'],
  ['delete-char', 'a|bc', del('right'), 'a|c'],
  ['delete-char at the end', 'abc|', del('right'), 'abc|'],
  ['unix-word-rubout', 'git a/b-c.ts |x', kill('blank-left'), 'git |x'],
  ['unix-word-rubout takes blanks behind it, too', 'one two   |', kill('blank-left'), 'one |'],
  ['backward-kill-word', 'a/b-c.ts|', kill('word-left'), 'a/b-c.|'],
  ['kill-word', 'one| two three', kill('word-right'), 'one| three'],
  ['unix-line-discard', 'one\ntwo thr|ee', kill('line-start'), 'one\n|ee'],
  ['unix-line-discard at the beginning of a line joins it', 'one\n|two', kill('line-start'), 'one|two'],
  ['kill-line', 'o|ne\ntwo', kill('line-end'), 'o|\ntwo'],
  ['kill-line at the end of a line joins the next', 'one|\ntwo', kill('line-end'), 'one|two'],
  ['upcase-word', '|one two', { type: 'case', to: 'upper' }, 'ONE| two'],
  ['downcase-word', 'A|BC D', { type: 'case', to: 'lower' }, 'Abc| D'],
  ['capitalize-word', ' | oNE', { type: 'case', to: 'capital' }, '  One|'],
  ['beginning-of-buffer', 'a\nb|c', move('text-start'), '|a\nbc'],
  ['end-of-buffer', 'a|\nbc', move('text-end'), 'a\nbc|'],
];

describe('readline', () => {
  test.each(READLINE)('%s: %j', (_name, before, action, after) => {
    expect(marked(edit(editorWith(before), action))).toBe(after);
  });
});

describe('characters as readers see them', () => {
  const family = '👨‍👩‍👧';
  test.each([
    ['an emoji of a family', family],
    ['a skin tone', '👍🏽'],
    ['a flag', '🇩🇪'],
    ['a letter with marks', 'é̂'],
    ['an East Asian one', '漢'],
    ['Hangul in parts', '각'],
    ['Devanagari', 'क्षि'],
  ])('%s is one character', (_name, character) => {
    const state = edit(EMPTY_EDITOR, type(`a${character}b`));
    expect(marked(doing(state, move('left'), move('left')))).toBe(`a|${character}b`);
    expect(marked(doing(state, move('text-start'), move('right'), move('right')))).toBe(`a${character}|b`);
    expect(edit(edit(state, move('left')), del('left')).text).toBe('ab');
  });

  test('words without blanks between them are words', () => {
    const state = edit(EMPTY_EDITOR, type('私は日本語を話します'));
    const back = edit(state, move('word-left'));
    expect(back.caret).toBeGreaterThan(0);
    expect(back.caret).toBeLessThan(state.caret);
  });

  test('control characters that are typed are dropped', () => {
    expect(edit(EMPTY_EDITOR, type('a\x1b[31mb\x07\r\nc')).text).toBe('a[31mb\nc');
  });
});

describe('undo', () => {
  test('takes back a word, not a letter', () => {
    const typed = doing(EMPTY_EDITOR, ...Array.from('one two', type));
    const once = edit(typed, { type: 'undo' });
    expect(once.text).toBe('one ');
    expect(edit(once, { type: 'undo' }).text).toBe('');
    expect(doing(once, { type: 'redo' }).text).toBe('one two');
  });

  test('takes back deletions in a row at once, and puts the caret where it was', () => {
    const state = doing(editorWith('abc|d'), del('left'), del('left'), { type: 'undo' });
    expect(marked(state)).toBe('abc|d');
  });

  test('a move ends the group', () => {
    const state = doing(EMPTY_EDITOR, type('a'), type('b'), move('left'), type('c'), { type: 'undo' });
    expect(state.text).toBe('ab');
  });

  test('typing after an undo forgets what could be done again', () => {
    const state = doing(EMPTY_EDITOR, type('one'), { type: 'undo' }, type('x'), { type: 'redo' });
    expect(state.text).toBe('x');
  });

  test('is 500 deep', () => {
    let state = EMPTY_EDITOR;
    for (let at = 0; at < 600; at++) state = doing(state, type('x'), move('left'));
    for (let at = 0; at < 700; at++) state = edit(state, { type: 'undo' });
    expect(state.text).toBe('x'.repeat(100));
  });
});

describe('the kill ring', () => {
  test('kills in a row are one, in their order', () => {
    const state = doing(editorWith('one two| three four'), kill('blank-left'), kill('word-right'), kill('blank-left'));
    expect(state.kills).toEqual(['one two three']);
    expect(edit(state, { type: 'yank' }).text).toBe('one two three four');
  });

  test('Alt+Y goes back through it, and only after a yank', () => {
    const killed = doing(editorWith('one two|'), kill('blank-left'), move('left'), kill('blank-left'));
    const yanked = edit(killed, { type: 'yank' });
    expect(doing(yanked, { type: 'yank-older' }).text).toContain('two');
    expect(edit(killed, { type: 'yank-older' })).toBe(killed);
  });

  test('outlives the prompt', () => {
    const state = doing(editorWith('keep|'), kill('line-start'), { type: 'clear' }, { type: 'yank' });
    expect(state.text).toBe('keep');
  });
});

describe('the selection', () => {
  const right: EditorAction = { type: 'move', to: 'right', extends: true };

  test('typing replaces it, deleting deletes it', () => {
    const chosen = doing(editorWith('a|bcd'), right, right);
    expect(selectedText(chosen)).toBe('bc');
    expect(marked(edit(chosen, type('X')))).toBe('aX|d');
    expect(marked(edit(chosen, del('left')))).toBe('a|d');
  });

  test('an arrow without Shift goes to its end', () => {
    const chosen = doing(editorWith('a|bcd'), right, right);
    expect(marked(edit(chosen, move('left')))).toBe('a|bcd');
    expect(marked(edit(chosen, move('right')))).toBe('abc|d');
  });
});

describe('pastes', () => {
  const long = Array.from({ length: 121 }, (_, at) => `line ${at}`).join('\n');

  test('a long one is folded, one character for every movement, and sent whole', () => {
    const state = doing(EMPTY_EDITOR, type('see '), { type: 'paste', text: long }, type(' !'));
    expect(shownText(state)).toBe('see [Pasted text #1 +120 lines] !');
    expect(promptOf(state).text).toBe(`see ${long} !`);
    expect(shownText(doing(state, move('left'), move('left'), del('left')))).toBe('see  !');
  });

  test('Enter or Right before it unfolds it', () => {
    const state = doing(EMPTY_EDITOR, { type: 'paste', text: long }, move('line-start'));
    expect(isBeforePaste(state)).toBe(true);
    expect(edit(state, move('right')).text).toBe(long);
    expect(doing(state, { type: 'unfold' }, { type: 'undo' }).text).toBe(state.text);
  });

  test('a short one is text, with its tabs; line ends become one kind', () => {
    expect(edit(EMPTY_EDITOR, { type: 'paste', text: 'a\r\n\tb\rc' }).text).toBe('a\n\tb\nc');
  });

  test('characters that stand for attachments cannot be pasted', () => {
    const state = doing(EMPTY_EDITOR, { type: 'paste', text: long }, { type: 'paste', text: '\u{10f001}' });
    expect(promptOf(state).text).toBe(`${long}\ufffd`);
  });

  test('one that was killed can be yanked into the next prompt', () => {
    const state = doing(
      EMPTY_EDITOR,
      { type: 'paste', text: long },
      kill('line-start'),
      { type: 'clear' },
      { type: 'yank' },
    );
    expect(promptOf(state).text).toBe(long);
  });
});

test('images have labels, are removed with Backspace, and are sent apart', () => {
  const image = { mediaType: 'image/png', data: 'aGk=', size: '1280×720' };
  const state = doing(EMPTY_EDITOR, type('look '), { type: 'attach', image });
  expect(shownText(state)).toBe('look [Image #1 1280×720]');
  expect(promptOf(state)).toEqual({ text: 'look [Image #1]', images: [{ kind: 'image', id: 1, ...image }] });
  expect(promptOf(edit(state, del('left')))).toEqual({ text: 'look ', images: [] });
});

test('the whole text can be set, with its pastes, and that can be undone', () => {
  const first = doing(EMPTY_EDITOR, { type: 'paste', text: 'x'.repeat(900) });
  const other = doing(EMPTY_EDITOR, { type: 'paste', text: 'y'.repeat(900) }, type(' end'));
  const state = edit(first, { type: 'set', text: other.text, attachments: other.attachments });
  expect(promptOf(state).text).toBe(`${'y'.repeat(900)} end`);
  expect(promptOf(edit(state, { type: 'undo' })).text).toBe('x'.repeat(900));
});

test('a completion replaces part of the text', () => {
  const state = edit(editorWith('see @ma| now'), { type: 'replace', from: 4, to: 7, text: '@src/main.ts' });
  expect(marked(state)).toBe('see @src/main.ts| now');
});

test('[TUI-16] a hundred thousand characters: a key takes less than half a millisecond', () => {
  let state = edit(EMPTY_EDITOR, type(`${'lorem ipsum dolor '.repeat(40)}\n`.repeat(140)));
  expect(state.text.length).toBeGreaterThan(100_000);
  for (let at = 0; at < 1000; at++) state = edit(state, move('left'));
  const begun = process.cpuUsage();
  for (let at = 0; at < 1000; at++) state = doing(state, type('x'), move('word-left'));
  const { user, system } = process.cpuUsage(begun);
  expect((user + system) / 2000 / 1000).toBeLessThan(0.5);
});
