import { EMPTY_ROW, type Row } from '../row.ts';

/** Where the cursor stands among rows: in which, and behind which beginning of it. */
export interface RowCaret {
  row: number;
  before: Row;
}

/** Rows with the cursor in them. */
export interface RowsWithCaret {
  rows: readonly Row[];
  caret: RowCaret;
}

/** The parts of the live rows, from top to bottom. */
export interface LiveParts {
  /** The part of the answer that is not finished, and calls that run. */
  doing: readonly Row[];
  /** Prompts that wait, tasks, todos: at most one of them. */
  panel: readonly Row[];
  question: RowsWithCaret | null;
  /** Whether the cursor is in the question; else it is in the editor. */
  isAsked: boolean;
  notice: readonly Row[];
  editor: RowsWithCaret;
  status: readonly Row[];
}

export interface LiveSize {
  columns: number;
  rows: number;
  /** The row that stands for `count` rows without room. */
  more: (count: number) => Row;
}

const PANEL_ROWS = 5;
/** Three of the person's own, and what a key would do. */
const STATUS_ROWS = 4;
const NARROWEST = 24;
const LOWEST = 8;

/** Fits the parts into the window: what has no room is scrolled inside of its part. */
export function layOutLive(parts: LiveParts, { columns, rows, more }: LiveSize): RowsWithCaret {
  const most = Math.max(rows - 1, 1);
  if (columns < NARROWEST || rows < LOWEST) return tiny(parts, most);
  const third = Math.max(3, Math.floor(rows / 3));
  const status = parts.status.slice(0, STATUS_ROWS);
  const editor = aroundCaret(parts.editor, third);
  const question = parts.question ? aroundCaret(parts.question, Math.max(1, rows - 4)) : null;
  let left = most - editor.rows.length - status.length - (question?.rows.length ?? 0);
  const take = (from: readonly Row[], limit: number) => {
    const shown = from.slice(0, Math.max(0, Math.min(limit, left)));
    left -= shown.length;
    return shown;
  };
  const notice = take(parts.notice, 3);
  const panel = withMore(parts.panel, Math.min(PANEL_ROWS, left), more);
  left -= panel.length;
  const doing = left > 0 ? parts.doing.slice(-Math.min(third, left)) : [];
  left -= doing.length;
  // A blank row sets the live rows off from the scrollback, where there is room.
  const gap = left > 0 && doing[0] !== EMPTY_ROW ? [EMPTY_ROW] : [];
  const above = [...gap, ...doing, ...(doing.length > 0 && left > 1 ? [EMPTY_ROW] : []), ...panel];
  const top = [...above, ...(question?.rows ?? []), ...notice];
  const all = [...top, ...editor.rows, ...status].slice(-most);
  const cut = top.length + editor.rows.length + status.length - all.length;
  const asked = parts.isAsked ? question : null;
  const base = (asked ? above.length : top.length) - cut;
  const { caret } = asked ?? editor;
  return { rows: all, caret: { row: Math.max(0, base + caret.row), before: caret.before } };
}

/** One row of the editor, or as much of a question as fits. */
function tiny({ question, isAsked, editor }: LiveParts, most: number): RowsWithCaret {
  return question && isAsked ? aroundCaret(question, most) : aroundCaret(editor, 1);
}

/** The rows around the cursor. */
function aroundCaret({ rows, caret }: RowsWithCaret, most: number): RowsWithCaret {
  if (rows.length <= most) return rows.length > 0 ? { rows, caret } : { rows: [EMPTY_ROW], caret };
  const from = Math.min(Math.max(0, caret.row - most + 1), rows.length - most);
  return { rows: rows.slice(from, from + most), caret: { row: caret.row - from, before: caret.before } };
}

function withMore(rows: readonly Row[], most: number, more: (count: number) => Row): readonly Row[] {
  if (most <= 0) return [];
  if (rows.length <= most) return rows;
  return [...rows.slice(0, most - 1), more(rows.length - most + 1)];
}
