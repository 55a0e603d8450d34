import { isObject, type JsonObject } from '../../util/json.ts';
import { messageOf } from '../../util/message-of.ts';
import { printEarlier } from '../pager/earlier-rows.ts';
import { askMessages } from '../pager/transcript.ts';
import { askChoice } from '../pickers/ask-choice.ts';
import { goToSession } from '../pickers/go-to-session.ts';
import { safeLine } from '../rows/safe-text.ts';
import type { Stage } from '../stage/stage.ts';
import { type BranchTree, type Turn, turnsApart } from './branch-tree.ts';
import { clock } from './tree-rows.ts';

/** A row of the tree as something to go to. */
export interface TreePosition {
  /** The row is a prompt: one continues before it. Else behind `end`. */
  readonly isPrompt: boolean;
  readonly prompt: Turn | null;
  readonly end: string;
  readonly tree: BranchTree;
}

/** The rows of a branch that are printed after a switch. */
const LAST_ROWS = 30;

/** The prompt in the editor, for a branch of its own. Nothing is switched before it is sent. */
export function editPrompt(stage: Stage, { prompt }: TreePosition): void {
  if (!prompt) return;
  void reporting(stage, async () => {
    stage.draftBeside(await promptText(stage, prompt), { parentUuid: prompt.parentUuid, title: prompt.text });
  });
}

/** The conversation continues behind a message. */
export function goBehind(stage: Stage, place: TreePosition): void {
  void reporting(stage, async () => switchTo(stage, place, place.end));
}

/** As Enter, and files as they were then, once the person knows what that changes. */
export function goWithFiles(stage: Stage, place: TreePosition): void {
  void reporting(stage, async () => {
    const { isPrompt, prompt, end } = place;
    const target = isPrompt ? prompt?.parentUuid : end;
    if (!target) throw new Error('Before the first prompt there is no state of files to go back to.');
    const asked = { subtype: 'switch_leaf', leaf_uuid: target, restore_files: true };
    const files = changesText((await stage.call({ ...asked, dry_run: true })).files);
    const text = isPrompt && prompt ? await promptText(stage, prompt) : null;
    const after = () => {
      if (text !== null) stage.draft(text);
    };
    askChoice(stage, `Files as they were then: ${files.text}`, [
      {
        text: 'The conversation only',
        run: () => void reporting(stage, async () => switchTo(stage, place, target).then(after)),
      },
      ...(files.isPossible
        ? [
            {
              text: 'The conversation and the files',
              detail: 'the present state is copied first, so a switch back restores it',
              run: () =>
                void reporting(stage, async () => switchTo(stage, place, target, { restore_files: true }).then(after)),
            },
          ]
        : []),
    ]);
  });
}

/** A new session up to here; asks whether to go there. */
export function forkAt(stage: Stage, { isPrompt, prompt, end }: TreePosition): void {
  void reporting(stage, async () => {
    const at = isPrompt ? prompt?.uuid : end;
    const { session_id: id } = await stage.call({ subtype: 'fork_session', ...(at && { at_uuid: at }) });
    askChoice(stage, `The copy is the session ${String(id)}`, [
      { text: 'Stay here', run: () => {} },
      { text: 'Go there', run: () => goToSession(stage, { resume: String(id) }) },
    ]);
  });
}

async function switchTo(
  stage: Stage,
  { prompt, tree }: TreePosition,
  leaf: string,
  { restore_files }: { restore_files?: true } = {},
): Promise<void> {
  if (stage.isBusy) throw new Error('The branch cannot be changed while a turn runs.');
  const left = turnsApart(tree.here, prompt);
  const asked = { subtype: 'switch_leaf', leaf_uuid: leaf, ...(restore_files && { restore_files }) };
  const { files } = await stage.call(asked);
  printSwitch(stage, { title: prompt?.text ?? '', at: prompt?.at ?? 0, left });
  if (files !== undefined) stage.print([changesText(files).text], 'dim');
  await printEarlier(stage, { most: LAST_ROWS });
}

/** The row that stays in the scrollback where the conversation has gone elsewhere. */
export function printSwitch(stage: Stage, { title, at, left }: { title: string; at: number; left: number }): void {
  const from = at === 0 ? '' : `, from${clock(at).replace(' \u00b7', '')}`;
  const turns = left === 0 ? '' : ` \u00b7 left: ${left} turn${left === 1 ? '' : 's'} (/tree)`;
  const name = safeLine(title).trim();
  stage.print(['', `\u2500\u2500 on the branch \u201c${name}\u201d${from}${turns} \u2500\u2500`], 'dim');
}

/** The whole text of a prompt. */
export async function promptText(stage: Stage, { uuid, text }: Pick<Turn, 'uuid' | 'text'>): Promise<string> {
  const { messages } = await askMessages(stage, { leaf: uuid, limit: 1 });
  const message = messages.at(-1)?.message;
  const content = isObject(message) ? message.content : null;
  if (typeof content === 'string') return content;
  const texts = Array.isArray(content) ? content.filter(isObject).flatMap(textIn) : [];
  return texts.length > 0 ? texts.join('\n') : text;
}

function textIn(block: JsonObject): string[] {
  return block.type === 'text' && typeof block.text === 'string' ? [block.text] : [];
}

/** What a change of files is, or would be. */
export function changesText(files: unknown): { text: string; isPossible: boolean } {
  if (!isObject(files)) return { text: 'no files are known', isPossible: false };
  if (files.canRewind === false) return { text: safeLine(String(files.error ?? 'not possible')), isPossible: false };
  const changed = Array.isArray(files.filesChanged) ? files.filesChanged.length : 0;
  if (changed === 0) return { text: 'no file differs', isPossible: true };
  const text = `${changed} file${changed === 1 ? '' : 's'}, +${Number(files.insertions ?? 0)} \u2212${Number(files.deletions ?? 0)}`;
  return { text, isPossible: true };
}

/** Does something, and prints why it could not. */
export async function reporting(stage: Stage, doing: () => Promise<void>): Promise<void> {
  try {
    await doing();
  } catch (error) {
    stage.print(['', messageOf(error)], 'error');
  }
}
