import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../util/message-of.ts';
import { shellQuoted } from '../../util/text/shell-word.ts';
import { fromDisplay } from '../drafts/stored-draft.ts';
import { draftOf, promptOf } from '../editor/editor.ts';
import { withDraft } from '../focus/focus.ts';
import type { Stage } from '../stage/stage.ts';
import type { TypingContext, TypingInbox } from './typing-context.ts';

/**
 * Opens the draft in the person's editor program: `$VISUAL`, `$EDITOR`, else vi. The file is in a directory of its own
 * that only the user can read; pastes are unfolded in it. A program that fails changes nothing.
 */
export async function editOutside({ env }: TypingContext, stage: Stage, desk: TypingInbox): Promise<void> {
  const program = env.VISUAL?.trim() || env.EDITOR?.trim() || 'vi';
  const { editor } = desk.state;
  const { text } = promptOf(editor);
  const folder = mkdtempSync(join(tmpdir(), 'heddle-prompt-'));
  const path = join(folder, 'prompt.md');
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    const problem = await stage.lend(() => run(`${program} ${shellQuoted(path)}`, env));
    if (problem !== null) stage.notify(`${program}: ${problem}. The draft is as it was.`);
    else take(readFileSync(path, 'utf8'), desk);
  } catch (error) {
    stage.notify(`${program}: ${messageOf(error)}`);
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

/** Null when it ended well. */
async function run(commandLine: string, env: TypingContext['env']): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(commandLine, { shell: true, stdio: 'inherit', env: { ...env } });
    child.on('error', (error) => resolve(messageOf(error)));
    child.on('close', (code, signal) => resolve(code === 0 ? null : `it ended with ${signal ?? code}`));
  });
}
