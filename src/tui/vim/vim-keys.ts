import { atCharacter, lineEnd, lineStart, previousCharacter } from '../editor/boundaries.ts';
import { edit } from '../editor/editor.ts';
import type { EditorView } from '../editor/layout.ts';
import type { VimCommand, VimKeys, VimStep, VimTarget, VimText } from '../editor/vim-state.ts';
import { insertAt, insertSame, leaveInsert, startInsert } from './insert-mode.ts';
import { moveBy } from './motions.ts';
import { at, operate, rangeOf } from './operators.ts';
import { parseCommand } from './parse-command.ts';
import { textToPut } from './registers.ts';
import { joinLines, put, replaceCharacters, turnCase } from './single-changes.ts';
import { runVisual, selectionOf } from './visual-mode.ts';

/**
 * Vim's keys for the editor, pure: `take` gets the text, the state of vim and one key, and never throws. Sending,
 * interrupting, history and search stay the terminal's: `take` returns null for their keys, or says `after`.
 */
export function createVimKeys(escapes: readonly string[] = []): VimKeys {
  return { take: takeKey, settle: onCharacter, selection: selectionOf, escapes };
}

function takeKey(state: VimText, key: string, view: EditorView): VimStep | null {
  const { vim } = state;
  if (vim.mode === 'insert') return key === 'escape' ? leaveInsert(state) : null;
  const { pending } = vim;
  const onText = { editor: onCharacter(state), vim: { ...vim, pending: '' } };
  if (key === 'escape') {
    if (pending !== '') return onText;
    return vim.mode === 'normal' ? null : { ...onText, vim: { ...onText.vim, mode: 'normal' } };
  }
  const letter = letterOf(key, pending);
  if (letter === null) return pending === '' ? null : onText;
  const isVisual = vim.mode !== 'normal';
  const command = parseCommand(pending + letter, { isVisual });
  if (command === 'unknown') return onText;
  if (command === 'incomplete') return { ...onText, vim: { ...vim, pending: pending + letter } };
  const grouped = { ...onText, editor: { ...onText.editor, group: onText.editor.group + 1 } };
  const next = isVisual
    ? withFind(runVisual(grouped, command, view), command)
    : withFind(runNormal(grouped, command), command);
  return next.vim.mode === 'insert' ? next : { ...next, editor: onCharacter(next) };
}

/** Keys with names that do what a letter does, where no command has begun. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ left: 'h', right: 'l', up: 'k', down: 'j', home: '0', end: '$' },
  ...{ backspace: 'h', ' ': 'l', delete: 'x', 'ctrl+r': 'redo' },
};

function letterOf(key: string, pending: string): string | null {
  const isFree = /^\d*$/.test(pending);
  if (isFree && Object.hasOwn(LETTERS, key)) return LETTERS[key] ?? null;
  return [...key].length === 1 ? key : null;
}

/** In normal mode the caret stands on a character, not behind the last one of a line. */
function onCharacter({ editor, vim }: VimText): VimText['editor'] {
  if (vim.mode === 'insert') return editor;
  const { text } = editor;
  const caret = Math.min(editor.caret, text.length);
  const isBehind = caret === lineEnd(text, caret) && caret > lineStart(text, caret);
  // A selection may hold the end of a line.
  if (!isBehind || vim.mode === 'visual') return caret === editor.caret ? editor : { ...editor, caret };
  return { ...editor, caret: previousCharacter(text, caret) };
}

function withFind<Step extends VimText>(step: Step, { target }: VimCommand): Step {
  if (target?.character === undefined) return step;
  return { ...step, vim: { ...step.vim, find: { key: target.key, character: target.character } } };
}

function runNormal(state: VimText, command: VimCommand): VimStep {
  const { verb, count } = command;
  switch (verb) {
    case 'move':
      return moved(state, command);
    case 'u':
    case 'redo':
      return { ...state, editor: undoneTimes(state, verb === 'u' ? 'undo' : 'redo', count ?? 1) };
    case 'v':
    case 'V':
      return {
        ...state,
        vim: { ...state.vim, mode: verb === 'v' ? 'visual' : 'visual-line', anchor: state.editor.caret },
      };
    case '/':
      return { ...state, after: { what: 'search', times: 1 } };
    case '.':
      return repeated(state, count);
    default:
      return changed(state, ALIASES[verb]?.(command) ?? command);
  }
}

function moved(state: VimText, { target, count }: VimCommand): VimStep {
  const { editor, vim } = state;
  if (!target) return state;
  // Rows as they are seen, then history.
  if (target.key === 'j') return { ...state, after: { what: 'down', times: count ?? 1 } };
  if (target.key === 'k') return { ...state, after: { what: 'up', times: count ?? 1 } };
  const found = moveBy(editor, target, count, vim.find);
  return found ? { ...state, editor: at(editor, found.to) } : state;
}

function undoneTimes({ editor }: VimText, type: 'undo' | 'redo', count: number): VimText['editor'] {
  let next = editor;
  for (let left = count; left > 0; left--) next = edit(next, { type });
  return next.text === editor.text ? next : at(next, firstDifference(editor.text, next.text));
}

/** Where a change was made. */
function firstDifference(before: string, after: string): number {
  let place = 0;
  while (place < after.length && before[place] === after[place]) place++;
  return atCharacter(after, place);
}

/** Another count counts instead of the first one. */
function repeated(state: VimText, count: number | null): VimStep {
  const { last } = state.vim;
  if (!last) return state;
  const command = count === null ? last.command : { ...last.command, count };
  const next = changed(state, command);
  return next.vim.mode === 'insert' ? insertSame(next, last.inserted) : next;
}

const motion = (key: string): VimTarget => ({ kind: 'motion', key });

/** Keys that are short for an operator with its motion. */
const ALIASES: Readonly<Record<string, (command: VimCommand) => VimCommand>> = {
  x: (command) => ({ ...command, verb: 'd', target: motion('l') }),
  X: (command) => ({ ...command, verb: 'd', target: motion('h') }),
  s: (command) => ({ ...command, verb: 'c', target: motion('l') }),
  S: (command) => ({ ...command, verb: 'c', target: { kind: 'line', key: 'c' } }),
  D: (command) => ({ ...command, verb: 'd', target: motion('$') }),
  C: (command) => ({ ...command, verb: 'c', target: motion('$') }),
  Y: (command) => ({ ...command, verb: 'y', target: { kind: 'line', key: 'y' } }),
};

function changed(state: VimText, command: VimCommand): VimText {
  const next = change(state, command);
  if (next === null) return state;
  const isSame = command.verb === 'y' || next.vim.mode === 'insert';
  return isSame ? next : { ...next, vim: { ...next.vim, last: { command, inserted: '' } } };
}

/** Null where there is nothing to change. */
function change(state: VimText, command: VimCommand): VimText | null {
  const { verb, target, register } = command;
  const { editor } = state;
  const count = command.count ?? 1;
  if (target) {
    // `s` in an empty line, and `C` behind its end, still insert.
    const none = verb === 'c' && target.kind === 'motion' && (target.key === 'l' || target.key === '$');
    const range = rangeOf(state, command) ?? (none ? { from: editor.caret, to: editor.caret } : null);
    if (!range) return null;
    const next = operate(state, verb, range, register);
    return verb === 'c' ? startInsert(next, command) : next;
  }
  switch (verb) {
    case 'p':
    case 'P': {
      const found = textToPut(state, register);
      return found && { ...state, editor: put(editor, found, verb, count) };
    }
    case 'J':
      return { ...state, editor: joinLines(editor, count) };
    case 'r':
      return { ...state, editor: replaceCharacters(editor, command.character ?? '', count) };
    case '~':
      return { ...state, editor: turnCase(editor, count) };
    default:
      return startInsert({ ...state, editor: insertAt(editor, verb) }, command);
  }
}
