import { noteRows } from '../rows/blocks/block-to-rows.ts';
import { besideRows, queueRows } from '../rows/live/doing-rows.ts';
import { layOutLive } from '../rows/live/live-layout.ts';
import { statusRows } from '../rows/live/status-row.ts';
import { toRow } from '../rows/row.ts';
import type { LiveRows } from '../screen/painter.ts';
import type { Size } from '../screen/screen.ts';
import type { Stage } from '../stage/stage.ts';
import { editorRows } from './editor-rows.ts';
import type { Keyboard } from './keyboard.ts';
import type { LateLook } from './late-look.ts';
import type { LateTyping } from './late-typing.ts';
import type { Overlay } from './overlay.ts';
import type { Prompts } from './prompt-sender.ts';
import type { Questions } from './questions.ts';
import type { SessionRows } from './session-rows.ts';
import type { Writing } from './writing.ts';

/** Whose rows stand below the scrollback. */
export interface LiveSources {
  stage: Pick<Stage, 'tracker' | 'context' | 'now'>;
  rows: SessionRows;
  writing: Writing;
  typing: LateTyping;
  prompts: Prompts;
  questions: Questions;
  overlay: Overlay;
  keyboard: Keyboard;
  look: LateLook;
  notice: string;
  isCalm: boolean;
}

export function liveRows(sources: LiveSources, { columns, rows }: Size): LiveRows {
  const { stage, writing, prompts, questions, notice, isCalm } = sources;
  const { tracker, context } = stage;
  const { view } = tracker;
  const picker = sources.overlay.rows({ columns, rows });
  const typing = picker ? null : (sources.typing.loaded?.rows() ?? null);
  return layOutLive(
    {
      doing: [...sources.rows.live(view, { now: stage.now(), isCalm }), ...prompts.shell.rows()],
      panel: [
        ...besideRows(prompts.beside, context),
        ...queueRows(view.queue, context),
        ...sources.keyboard.panel.rows(view, context),
      ],
      question: picker ?? typing ?? questions.rows({ columns, rows }),
      isAsked: picker !== null || typing?.hasCursor === true || questions.isFocused,
      notice: notice === '' ? [] : noteRows(`\u258f${notice}`, 'dim', context).slice(0, 3),
      editor: editorRows(
        writing.editor,
        { hint: sources.typing.loaded?.hint(writing.editor) ?? '', selected: sources.keyboard.vim.selected },
        context,
      ),
      status: statusRows(
        view,
        { own: sources.look.loaded?.statusRows() ?? [], hint: sources.keyboard.hint() },
        context,
      ),
    },
    { columns, rows, more: (count) => toRow([{ text: `\u2026 ${count} more`, styles: ['dim'] }], context.palette) },
  );
}
