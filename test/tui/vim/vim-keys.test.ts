import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atCharacter } from '../../../src/tui/editor/boundaries.ts';
import { EMPTY_EDITOR, edit } from '../../../src/tui/editor/editor.ts';
import { meaningOfEscape } from '../../../src/tui/focus/meanings.ts';
import { createVimKeys } from '../../../src/tui/vim/vim-keys.ts';
import { CHARACTERS } from '../editor/any-action.ts';
import { Person, paste } from '../focus/support.ts';

const vim = createVimKeys();

describe('[TUI-30] Escape', () => {
  test('while a turn runs: the first one leaves insert mode, the second one interrupts', () => {
    const person = new Person({ vim, phase: 'busy' }).press('draft');
    expect(meaningOfEscape(person.state, person.world)).toBe('normal mode');
    expect(person.press('<escape>').seen()).toEqual([]);
    expect(person.state.vim.mode).toBe('normal');
    expect(meaningOfEscape(person.state, person.world)).toBe('interrupt');
    expect(person.press('<escape>').seen()).toEqual([{ type: 'interrupt' }]);
    expect(person.text).toBe('draft');
  });

  test.each(['v', 'V', 'd', '2', '"a', 'vf'])('after %s it ends that first', (keys) => {
    const person = new Person({ vim, phase: 'busy' }).press(`draft<escape>${keys}`);
    expect(person.press('<escape>').seen()).toEqual([]);
    expect(person.press('<escape><escape>').seen().at(-1)).toEqual({ type: 'interrupt' });
  });

  test('a menu closes before insert mode ends', () => {
    const menu = { from: 0, to: 1, items: [{ label: '/help', insert: '/help', onEnter: 'run' as const }] };
    const person = new Person({ vim, menu }).press('/<escape>');
    expect(person.state.vim.mode).toBe('insert');
    expect(person.press('<escape>').state.vim.mode).toBe('normal');
  });

  test('in normal mode with a draft: twice puts it into history', () => {
    const person = new Person({ vim }).press('draft<escape><escape><escape>');
    expect(person.seen()).toEqual([{ type: 'remember', draft: { text: 'draft', attachments: [] } }]);
    expect(person.text).toBe('');
  });
});

describe('what stays the terminal\u2019s', () => {
  const draft = (text: string) => ({ text, attachments: [], project: '/project', sessionId: 'session' });
  const history = [draft('older'), draft('old\nnew')];

  test('Enter sends in every mode, and the next prompt begins in insert mode', () => {
    const person = new Person({ vim }).press('fix it<escape><enter>');
    expect(person.seen().at(-1)).toEqual({ type: 'submit', text: 'fix it', images: [], priority: 'next' });
    expect(person.press('x').text).toBe('x');
  });

  test('j and k go by rows, and at the edges to history and back', () => {
    const person = new Person({ vim, history }).press('now<escape>k');
    expect(person.text).toBe('old\nnew');
    expect(person.press('k').text).toBe('old\nnew');
    expect(person.press('k').text).toBe('older');
    expect(person.press('j').text).toBe('old\nnew');
    expect(person.press('3j').text).toBe('now');
    expect(person.state.editor.caret).toBe(2);
  });

  test('/ searches history; in insert mode it is text', () => {
    expect(new Person({ vim }).press('a/').text).toBe('a/');
    expect(new Person({ vim }).press('a<escape>/').state.focus).toBe('search');
  });

  test('ctrl+r is redo in normal mode and the search in insert mode', () => {
    expect(new Person({ vim }).press('a<ctrl+r>').state.focus).toBe('search');
    expect(new Person({ vim }).press('ab<escape>u<ctrl+r>').text).toBe('ab');
  });

  test('Ctrl+C interrupts whatever has begun; ? in an empty editor shows the keys', () => {
    expect(new Person({ vim, phase: 'busy' }).press('a<escape>d<ctrl+c>').seen()).toEqual([{ type: 'interrupt' }]);
    expect(new Person({ vim }).press('<escape>?').seen()).toEqual([{ type: 'act', action: 'app:help' }]);
  });

  test('a paste is text in every mode', () => {
    expect(new Person({ vim }).press('ab<escape>').give(paste('ddx')).text).toBe('addxb');
  });

  test('digits and letters that were meant for the editor answer no question', () => {
    const question = { paintedAt: 0, takesText: false, defaultToNo: false } as never;
    const person = new Person({ vim, question, phase: 'asking' }).press('a<escape>1y2dd');
    expect(person.seen().filter(({ type }) => type === 'answer')).toEqual([]);
  });
});

test('letters of the settings leave insert mode', () => {
  const person = new Person({ vim: createVimKeys(['jj']) }).press('abj').press('j');
  expect([person.text, person.state.vim.mode]).toEqual(['ab', 'normal']);
  const other = new Person({ vim: createVimKeys(['jj']) }).press('abj').press('k');
  expect([other.text, other.state.vim.mode]).toEqual(['abjk', 'insert']);
});

test('without vim nothing changes', () => {
  const person = new Person().press('dd<escape>x');
  expect(person.text).toBe('ddx');
  expect(person.state.editor.undo.every(({ group }) => group === undefined)).toBe(true);
});

const KEYS = [...'hjklwbeWBE0^$gG{}%fFtT;,dcy<>~ruUpPxXsSDCYJiaoOIAvV."a2913()[]\'`/ ', '漢', '👨‍👩‍👧'];
const NAMES = ['escape', 'escape', 'left', 'right', 'up', 'down', 'home', 'end', 'backspace', 'delete', 'ctrl+r'];

const anyKeys = fc.array(
  fc.oneof(
    fc.constantFrom(...KEYS).map((text) => ({ text })),
    fc.constantFrom(...NAMES).map((name) => ({ name })),
  ),
  { maxLength: 60 },
);

test('random keys: the caret stays in the text and on a character, nothing is sent or answered, undo goes back to the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...CHARACTERS, '(', ')', '"'), maxLength: 40 }),
      anyKeys,
      (text, keys) => {
        const person = new Person({ vim });
        const first = edit(EMPTY_EDITOR, { type: 'paste', text }).text;
        const { editor: empty, vim: fresh } = person.state;
        person.state = { ...person.state, editor: { ...empty, text: first }, vim: { ...fresh, mode: 'normal' } };
        for (const key of keys) {
          if ('name' in key) person.press(`<${key.name}>`);
          else for (const character of key.text) person.give({ type: 'text', text: character });
          const { editor, vim: state, focus } = person.state;
          expect(editor.caret).toBeGreaterThanOrEqual(0);
          expect(editor.caret).toBe(atCharacter(editor.text, editor.caret));
          if (
            state.mode === 'normal' &&
            focus === 'editor' &&
            editor.text[editor.caret - 1] !== '\n' &&
            editor.text !== ''
          ) {
            expect(editor.caret).toBeLessThan(editor.text.length);
          }
          if (focus === 'search') person.press('<ctrl+c>');
          const selected = vim.selection(person.state);
          if (selected) expect(selected.to).toBeGreaterThanOrEqual(selected.from);
        }
        const did = person.seen().map(({ type }) => type);
        expect(did.filter((type) => type === 'submit' || type === 'answer' || type === 'leave')).toEqual([]);
        // Twice Escape in normal mode puts the draft into history: then there is nothing to go back to.
        for (let left = 3; left > 0 && meaningOfEscape(person.state, person.world) === 'normal mode'; left--)
          person.press('<escape>');
        if (did.includes('remember')) return;
        for (let left = 500; left > 0 && person.state.editor.undo.length > 0; left--) person.press('u');
        expect(person.text).toBe(first);
      },
    ),
    { numRuns: 1500 },
  );
});
