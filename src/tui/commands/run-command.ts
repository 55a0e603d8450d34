import { messageOf } from '../../util/message-of.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';
import { BRANCH_COMMANDS } from './branch-commands.ts';
import { helpLines } from './help-command.ts';
import { MODEL_COMMANDS } from './model-commands.ts';
import { PERMISSION_COMMANDS } from './permission-commands.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import { SESSION_INFO_COMMANDS } from './session-info-commands.ts';
import { TASK_COMMANDS } from './task-commands.ts';

/**
 * Behind the same door: what a session that is continued shows, and questions of the terminal itself.
 * @public
 */
export { printEarlier } from '../pager/earlier-rows.ts';
export { askChoice } from '../pickers/ask-choice.ts';

/** The commands that the terminal answers itself; every other one is the session's. */
export const TERMINAL_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'help',
    description: 'Keys and commands',
    run: (_argument, { tracker }) => helpLines(TERMINAL_COMMANDS, tracker.view.info.commands),
  },
  ...MODEL_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...SESSION_INFO_COMMANDS,
  ...TASK_COMMANDS,
  {
    name: 'detach',
    description: 'Give the terminal back; the session continues without it',
    run: detach,
  },
  ...SESSION_COMMANDS,
  ...BRANCH_COMMANDS,
  {
    name: 'redraw',
    description: 'Draw the screen again',
    run(_argument, stage) {
      stage.redraw();
      return [];
    },
  },
];

/** The process of the session does without this terminal, for as long as `docs/attach.md` says. */
async function detach(_argument: string, stage: Stage): Promise<readonly string[]> {
  await stage.call({ subtype: 'detach' });
  const { sessionId } = stage.tracker.view.info;
  const name = sessionId === null ? '' : ` ${sessionId.slice(0, 8)}`;
  await stage.leave(0, [`The session continues: heddle attach${name} joins it again`]);
  return [];
}

/** Answers a command. False where the terminal has no such command: the session may have it. */
export async function runCommand(text: string, stage: Stage): Promise<boolean> {
  const [, name = '', argument = ''] = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const command = TERMINAL_COMMANDS.find((each) => each.name === name || each.aliases?.includes(name));
  if (!command) return false;
  try {
    const lines = await command.run(argument.trim(), stage);
    if (lines.length > 0) stage.print(['', ...lines]);
  } catch (error) {
    stage.print(['', `/${name}: ${messageOf(error)}`], 'error');
  }
  return true;
}
