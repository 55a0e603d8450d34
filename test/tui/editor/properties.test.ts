import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EditorAction, type EditorState, EMPTY_EDITOR, edit } from '../../../src/tui/editor/editor.ts';
import { anyAction, CHARACTERS } from './any-action.ts';

/** The simplest editor that can be: a list of characters, and a number. */
interface Model {
  characters: string[];
  caret: number;
}

type Step = { action: EditorAction; model: (before: Model) => Model };

const typing = fc.constantFrom(...CHARACTERS).map(
  (text): Step => ({
    action: { type: 'type', text },
    model: ({ characters, caret }) => ({ characters: characters.toSpliced(caret, 0, text), caret: caret + 1 }),
  }),
);

const lineStart = ({ characters, caret }: Model) => characters.slice(0, caret).lastIndexOf('\n') + 1;
const lineEnd = ({ characters, caret }: Model) => {
  const end = characters.indexOf('\n', caret);
  return end < 0 ? characters.length : end;
};
const cut = ({ characters }: Model, from: number, to: number): Model => ({
  characters: characters.toSpliced(from, to - from),
  caret: from,
});

const SIMPLE: Step[] = [
  { action: { type: 'move', to: 'left' }, model: (m) => ({ ...m, caret: Math.max(0, m.caret - 1) }) },
  {
    action: { type: 'move', to: 'right' },
    model: (m) => ({ ...m, caret: Math.min(m.characters.length, m.caret + 1) }),
  },
  { action: { type: 'move', to: 'line-start' }, model: (m) => ({ ...m, caret: lineStart(m) }) },
  { action: { type: 'move', to: 'line-end' }, model: (m) => ({ ...m, caret: lineEnd(m) }) },
  { action: { type: 'move', to: 'text-start' }, model: (m) => ({ ...m, caret: 0 }) },
  { action: { type: 'move', to: 'text-end' }, model: (m) => ({ ...m, caret: m.characters.length }) },
  { action: { type: 'delete', to: 'left' }, model: (m) => cut(m, Math.max(0, m.caret - 1), m.caret) },
  {
    action: { type: 'delete', to: 'right' },
    model: (m) => cut(m, m.caret, Math.min(m.characters.length, m.caret + 1)),
  },
  {
    action: { type: 'kill', to: 'line-end' },
    model: (m) => cut(m, m.caret, lineEnd(m) > m.caret ? lineEnd(m) : Math.min(m.characters.length, m.caret + 1)),
  },
  {
    action: { type: 'kill', to: 'line-start' },
    model: (m) => cut(m, lineStart(m) < m.caret ? lineStart(m) : Math.max(0, m.caret - 1), m.caret),
  },
];

test('the editor does what the simplest model of one does', () => {
  // Flags side by side are read in pairs, and a joiner joins: the model knows nothing of that.
  const isApart = (text: string) => !/\p{Regional_Indicator}{3}|\u200d$/u.test(text);
  fc.assert(
    fc.property(fc.array(fc.oneof(typing, fc.constantFrom(...SIMPLE)), { maxLength: 120 }), (steps) => {
      let state = EMPTY_EDITOR;
      let model: Model = { characters: [], caret: 0 };
      for (const step of steps) {
        const next = step.model(model);
        fc.pre(isApart(next.characters.join('')));
        state = edit(state, step.action);
        model = next;
        expect(state.text).toBe(model.characters.join(''));
        expect(state.caret).toBe(model.characters.slice(0, model.caret).join('').length);
      }
    }),
    { numRuns: 300 },
  );
});

function expectWhole(state: EditorState): void {
  const { text, caret, anchor } = state;
  expect(text).not.toMatch(/[^\P{Cc}\n\t]|\p{Cs}/u);
  for (const at of [caret, anchor ?? 0]) {
    expect(at >= 0 && at <= text.length).toBe(true);
    expect(text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) < 0xe000).toBe(false);
  }
}

test('any actions: no exception, the caret is never inside of a character code, the text has no controls', () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 80 }), (actions) => {
      let state = EMPTY_EDITOR;
      for (const action of actions) {
        state = edit(state, action);
        expectWhole(state);
      }
    }),
    { numRuns: 300 },
  );
});

test('whatever was typed can be had back: undoing everything and doing it again gives the same text', () => {
  const undoable = anyAction.filter(({ type }) => !['clear', 'undo', 'redo'].includes(type));
  fc.assert(
    fc.property(fc.array(undoable, { maxLength: 60 }), (actions) => {
      const done = actions.reduce(edit, EMPTY_EDITOR);
      let state = done;
      for (let at = done.undo.length; at > 0; at--) state = edit(state, { type: 'undo' });
      expect(state.text).toBe('');
      for (let at = done.undo.length; at > 0; at--) state = edit(state, { type: 'redo' });
      expect(state.text).toBe(done.text);
    }),
    { numRuns: 200 },
  );
});
