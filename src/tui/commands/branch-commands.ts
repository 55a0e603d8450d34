import { isObject, stringField } from '../../util/json.ts';
import { askChoice } from '../pickers/ask-choice.ts';
import { goToSession } from '../pickers/go-to-session.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';
import { RewindPicker } from '../tree/rewind-picker.ts';
import { TreePicker } from '../tree/tree-picker.ts';

/** Other branches of the session, and copies of it. */
export const BRANCH_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'tree',
    description: 'The branches of the session: look, go on elsewhere, edit and send again',
    run: async (_argument, stage) => ((await new TreePicker(stage).open()) ? [] : ['Nothing was said yet.']),
  },
  {
    name: 'rewind',
    aliases: ['undo', 'checkpoint'],
    description: 'Back to before a prompt: the conversation, the files, or both',
    run: async (_argument, stage) => ((await new RewindPicker(stage).open()) ? [] : ['Nothing was said yet.']),
  },
  {
    name: 'fork',
    aliases: ['branch'],
    argumentHint: '[title]',
    description: 'Copy the conversation into a new session',
    run: fork,
  },
];

async function fork(title: string, stage: Stage): Promise<string[]> {
  const answer = await stage.call({ subtype: 'fork_session', ...(title !== '' && { title }) });
  const id = isObject(answer) ? stringField(answer, 'session_id') : undefined;
  if (id === undefined) return [];
  askChoice(stage, `The copy is the session ${id}`, [
    { text: 'Stay here', run: () => {} },
    { text: 'Go there', run: () => goToSession(stage, { resume: id }) },
  ]);
  return [];
}
