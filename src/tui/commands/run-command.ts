import { messageOf } from '../../util/message-of.ts';
import { nearestWord } from '../../util/text/nearest.ts';
import type { SessionInfo } from '../../view/view.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';
import { BRANCH_COMMANDS } from './branch-commands.ts';
import { CONFIG_COMMANDS } from './config-commands.ts';
import { ELSEWHERE, helpLines } from './help-command.ts';
import { LOGIN_COMMAND } from './login-command.ts';
import { LOOK_COMMANDS } from './look-commands.ts';
import { MODEL_COMMANDS } from './model-commands.ts';
import { PERMISSION_COMMANDS } from './permission-commands.ts';
import { REDRAW_COMMAND } from './redraw-command.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import { SESSION_INFO_COMMANDS } from './session-info-commands.ts';
import { SETUP_COMMANDS } from './setup-commands.ts';
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
  LOGIN_COMMAND,
  ...PERMISSION_COMMANDS,
  ...SESSION_INFO_COMMANDS,
  ...SETUP_COMMANDS,
  ...LOOK_COMMANDS,
  ...CONFIG_COMMANDS,
  ...TASK_COMMANDS,
  {
    name: 'detach',
    description: 'Give the terminal back; the session continues without it',
    run: detach,
  },
  ...SESSION_COMMANDS,
  ...BRANCH_COMMANDS,
  REDRAW_COMMAND,
];

/** The process of the session does without this terminal, for as long as `docs/attach.md` says. */
async function detach(_argument: string, stage: Stage): Promise<readonly string[]> {
  await stage.call({ subtype: 'detach' });
  const { sessionId } = stage.tracker.view.info;
  const name = sessionId === null ? '' : ` ${sessionId.slice(0, 8)}`;
  await stage.leave(0, [`The session continues: heddle attach${name} joins it again`]);
  return [];
}

/** Answers a command, also one that nobody knows. False where it is the session's. */
export async function runCommand(text: string, stage: Stage): Promise<boolean> {
  const [, name = '', argument = ''] = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const command = TERMINAL_COMMANDS.find((each) => each.name === name || each.aliases?.includes(name));
  if (!command) {
    const unknown = unknownCommand(name, stage.tracker.view.info);
    if (unknown !== null) stage.print(['', unknown], 'warning');
    return unknown !== null;
  }
  try {
    const lines = await command.run(argument.trim(), stage);
    if (lines.length > 0) stage.print(['', ...lines]);
  } catch (error) {
    stage.print(['', `/${name}: ${messageOf(error)}`], 'error');
  }
  return true;
}

/** What to say of a command that neither the terminal nor the session has; null where the session may have it. */
function unknownCommand(name: string, { commands }: Pick<SessionInfo, 'commands'>): string | null {
  // A session that lists no command may take them all the same.
  if (name === '' || commands.length === 0) return null;
  const all = [...TERMINAL_COMMANDS, ...ELSEWHERE, ...commands];
  const names = all.flatMap((each) => [each.name, ...(each.aliases ?? [])]);
  if (names.includes(name)) return null;
  const near = nearestWord(name, names);
  return `There is no /${name} here.${near === null ? '' : ` Did you mean /${near}?`}`;
}
