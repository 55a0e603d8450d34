import { lineEnd, lineStart, nextCharacter, previousCharacter } from '../editor/boundaries.ts';
import { type EditorState, spliced } from '../editor/editor.ts';
import type { VimCommand, VimText } from '../editor/vim-state.ts';
import { firstOfLine } from './motions.ts';
import { at } from './operators.ts';

/** The editor where `i`, `a`, `I`, `A`, `o` and `O` begin to insert. */
export function insertAt(editor: EditorState, verb: string): EditorState {
  const { text, caret } = editor;
  switch (verb) {
    case 'a':
      return at(editor, Math.min(lineEnd(text, caret), nextCharacter(text, caret)));
    case 'I':
      return at(editor, firstOfLine(text, caret));
    case 'A':
      return at(editor, lineEnd(text, caret));
    case 'o':
      return spliced(editor, lineEnd(text, caret), lineEnd(text, caret), '\n');
    case 'O': {
      const start = lineStart(text, caret);
      return at(spliced(editor, start, start, '\n'), start);
    }
    default:
      return at(editor, caret);
  }
}

export function startInsert({ editor, vim }: VimText, command: VimCommand): VimText {
  const insertion = { command, text: editor.text, at: editor.caret };
  return { editor, vim: { ...vim, mode: 'insert', insertion } };
}

/** Back to normal mode: a count inserts the text again, and `.` knows what was inserted. */
export function leaveInsert({ editor, vim }: VimText): VimText {
  const { insertion } = vim;
  const inserted = insertion ? insertedText(insertion, editor.text) : '';
  const command = insertion?.command;
  const again = command && COUNTED.has(command.verb) ? (command.count ?? 1) - 1 : 0;
  const whole =
    again > 0 && inserted !== ''
      ? insertAgain(editor, inserted, { again, isLine: /^o$/i.test(command?.verb ?? '') })
      : editor;
  const back = Math.max(lineStart(whole.text, whole.caret), previousCharacter(whole.text, whole.caret));
  return {
    // What is inserted next is not undone together with this.
    editor: { ...at(whole, back), group: whole.group + 1 },
    vim: { ...vim, mode: 'normal', pending: '', insertion: null, last: command ? { command, inserted } : vim.last },
  };
}

const COUNTED = new Set(['i', 'a', 'I', 'A', 'o', 'O']);
const LONGEST = 200_000;

function insertAgain(
  editor: EditorState,
  inserted: string,
  { again, isLine }: { again: number; isLine: boolean },
): EditorState {
  const copies = Math.min(again, Math.floor(LONGEST / inserted.length));
  return spliced(editor, editor.caret, editor.caret, `${isLine ? '\n' : ''}${inserted}`.repeat(copies));
}

/** Puts in what `.` inserts, and leaves insert mode. */
export function insertSame({ editor, vim }: VimText, inserted: string): VimText {
  return leaveInsert({ editor: spliced(editor, editor.caret, editor.caret, inserted), vim });
}

/** What is new between the text that was before the place and the text that was behind it. */
function insertedText({ text: before, at: place }: { text: string; at: number }, text: string): string {
  let start = 0;
  while (start < place && before[start] === text[start]) start++;
  let end = 0;
  const most = Math.min(before.length, text.length) - start;
  while (end < most && before[before.length - 1 - end] === text[text.length - 1 - end]) end++;
  return text.slice(start, text.length - end);
}
