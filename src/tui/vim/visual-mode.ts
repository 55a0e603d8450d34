import { lineEnd, lineStart, nextCharacter, previousCharacter } from '../editor/boundaries.ts';
import { edit, spliced } from '../editor/editor.ts';
import type { EditorView } from '../editor/layout.ts';
import type { VimCommand, VimTarget, VimText } from '../editor/vim-state.ts';
import { startInsert } from './insert-mode.ts';
import { moveBy } from './motions.ts';
import { at, operate } from './operators.ts';
import { keepText, textToPut } from './registers.ts';
import { joinLines } from './single-changes.ts';
import { type Range, textObject } from './text-objects.ts';

/** What is selected, the character at the caret included; null outside of visual mode. */
export function selectionOf({ editor, vim }: VimText): Range | null {
  const { text, caret } = editor;
  if (vim.mode !== 'visual' && vim.mode !== 'visual-line') return null;
  const [from, to] = [Math.min(vim.anchor, caret), Math.max(vim.anchor, caret)];
  if (vim.mode === 'visual-line') return { from: lineStart(text, from), to: lineEnd(text, to), isLinewise: true };
  return { from, to: nextCharacter(text, to) };
}

/** A command on the selection, or one that changes it. */
export function runVisual(state: VimText, command: VimCommand, view: EditorView): VimText {
  const { editor, vim } = state;
  const { verb } = command;
  if (verb === 'move') return moved(state, command, view);
  if (verb === 'o') return { editor: at(editor, vim.anchor), vim: { ...vim, anchor: editor.caret } };
  if (verb === 'v' || verb === 'V') {
    const mode = verb === 'v' ? 'visual' : 'visual-line';
    return { editor, vim: { ...vim, mode: vim.mode === mode ? 'normal' : mode } };
  }
  return runOnSelection(state, command);
}

/** Keys that do on the selection what an operator does. Capitals take whole lines. */
const OPERATORS: Readonly<Record<string, string>> = {
  ...{ x: 'd', X: 'd', D: 'd', s: 'c', S: 'c', C: 'c', Y: 'y', '~': 'g~', u: 'gu', U: 'gU' },
};
const LINEWISE = new Set(['X', 'D', 'S', 'C', 'Y']);

function runOnSelection(state: VimText, command: VimCommand): VimText {
  const { verb, register, count } = command;
  const { text } = state.editor;
  const selected = selectionOf(state);
  if (!selected) return state;
  const range: Range = LINEWISE.has(verb)
    ? {
        from: lineStart(text, selected.from),
        to: lineEnd(text, Math.max(selected.from, selected.to - 1)),
        isLinewise: true,
      }
    : selected;
  const operator = OPERATORS[verb] ?? verb;
  const same: VimCommand = { ...command, verb: operator, target: sizeOf(text, range) };
  const last = operator === 'y' ? state.vim.last : { command: same, inserted: '' };
  const left: VimText = { editor: at(state.editor, range.from), vim: { ...state.vim, mode: 'normal', last } };
  switch (operator) {
    case 'p':
    case 'P':
      return { ...replaced(left, range, register, count ?? 1) };
    case 'J':
      return { ...left, editor: joinLines(left.editor, linesIn(text, range)) };
    case 'r': {
      const same = text.slice(range.from, range.to).replaceAll(/[^\n]/gu, () => command.character ?? '');
      return { ...left, editor: at(spliced(left.editor, range.from, range.to, same), range.from) };
    }
    case 'c':
      return startInsert(operate(left, 'c', range, register), same);
    default:
      return operate(left, operator, range, register);
  }
}

/** For `.`: as many lines, or as many characters. */
function sizeOf(text: string, range: Range): VimTarget {
  if (range.isLinewise) return { kind: 'lines', key: String(linesIn(text, range)) };
  return { kind: 'characters', key: String(range.to - range.from) };
}

const linesIn = (text: string, { from, to }: Range) => text.slice(from, Math.max(from, to - 1)).split('\n').length;

/** What was selected can be put next. */
function replaced(state: VimText, range: Range, register: string | null, count: number): VimText {
  const found = textToPut(state, register);
  if (!found) return state;
  const { text } = state.editor;
  const kept = keepText(state, null, { text: text.slice(range.from, range.to), isLinewise: range.isLinewise === true });
  const copies = Array.from({ length: Math.min(count, 100) }, () => found.text).join(found.isLinewise ? '\n' : '');
  const isAlone = found.isLinewise && !range.isLinewise;
  const next = spliced(kept.editor, range.from, range.to, isAlone ? `\n${copies}\n` : copies);
  return { ...kept, editor: at(next, range.isLinewise ? range.from : previousCharacter(next.text, next.caret)) };
}

function moved({ editor, vim }: VimText, { target, count }: VimCommand, view: EditorView): VimText {
  if (!target) return { editor, vim };
  if (target.kind === 'object') {
    const found = textObject(editor.text, editor.caret, target.key, count ?? 1);
    if (!found || found.to <= found.from) return { editor, vim };
    const mode = found.isLinewise ? 'visual-line' : vim.mode;
    return { editor: at(editor, previousCharacter(editor.text, found.to)), vim: { ...vim, mode, anchor: found.from } };
  }
  if (target.key === 'j' || target.key === 'k') {
    let next = editor;
    for (let left = count ?? 1; left > 0; left--) {
      next = edit(next, { type: 'move-row', by: target.key === 'j' ? 1 : -1, view });
    }
    return { editor: next, vim };
  }
  const found = moveBy(editor, target, count, vim.find);
  return { editor: found ? at(editor, found.to) : editor, vim };
}
