import { type EditorAction, type EditorState, EMPTY_EDITOR, edit } from '../../../src/tui/editor/editor.ts';
import type { EditorView } from '../../../src/tui/editor/layout.ts';

/** The editor with `|` as its caret, and `<`, `>` around a selection whose caret is at the side of the `|`. */
export function editorWith(marked: string): EditorState {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const typed = edit(EMPTY_EDITOR, { type: 'type', text });
  return { ...typed, caret, undo: [], run: null };
}

export function marked({ text, caret }: EditorState): string {
  return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

export function doing(state: EditorState, ...actions: EditorAction[]): EditorState {
  return actions.reduce(edit, state);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A terminal that draws East Asian characters and emoji two columns wide. */
export function viewOf(columns: number): EditorView {
  const clusters = (text: string) =>
    Array.from(segmenter.segment(text), ({ segment }) => ({
      text: segment,
      width: /\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(
        segment,
      )
        ? 2
        : 1,
    }));
  return {
    columns,
    widths: { clusters, of: (text) => clusters(text).reduce((sum, { width }) => sum + width, 0) },
    safe: (text) => text,
  };
}
