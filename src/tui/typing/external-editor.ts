import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../util/message-of.ts';
import { fromDisplay } from '../drafts/stored-draft.ts';
import { draftOf, promptOf } from '../editor/editor.ts';
import { withDraft } from '../focus/focus.ts';
import type { Stage } from '../stage/stage.ts';
import { editFile } from './editor-program.ts';
import type { TypingContext, TypingInbox } from './typing-context.ts';

/**
 * Opens the draft in the person's editor program: `$VISUAL`, `$EDITOR`, else vi. The file is in a directory of its own
 * that only the user can read; pastes are unfolded in it. A program that fails changes nothing.
 */
export async function editOutside({ env }: TypingContext, stage: Stage, desk: TypingInbox): Promise<void> {
  const { editor } = desk.state;
  const { text } = promptOf(editor);
  const folder = mkdtempSync(join(tmpdir(), 'heddle-prompt-'));
  const path = join(folder, 'prompt.md');
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    await editFile(path, stage, env);
    take(readFileSync(path, 'utf8'), desk);
  } catch (error) {
    stage.notify(`${messageOf(error)}. The draft is as it was.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    stage.changed();
  }
}

/** Labels of images that are still in the text stand for these images. */
function take(written: string, desk: TypingInbox): void {
  const { state } = desk;
  const images = draftOf(state.editor).attachments.filter(({ kind }) => kind === 'image');
  // Editors end a file with a line end, which nobody has typed.
  const draft = fromDisplay(written.replace(/\r?\n$/, ''), images);
  desk.set(withDraft(state, draft));
}
