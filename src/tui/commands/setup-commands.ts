import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { CONTEXTS, DEFAULT_KEYS } from '../focus/default-keys.ts';
import type { Keymap } from '../focus/keymap.ts';
import type { Stage } from '../stage/stage.ts';
import type { TerminalCommand } from '../stage/terminal-command.ts';
import { statusLines } from './status-command.ts';

/** What the session may reach and how it works, and what keys do. */
export const SETUP_COMMANDS: readonly TerminalCommand[] = [
  {
    name: 'status',
    description: 'Version, session, model, key, servers, sandbox, trust',
    run: (_argument, { tracker }) => statusLines(tracker.view.info),
  },
  { name: 'plan', argumentHint: '[task]', description: 'Plan first: change nothing until you agree', run: plan },
  { name: 'thinking', argumentHint: '[on|off|tokens]', description: 'Let the model think, or not', run: think },
  { name: 'add-dir', argumentHint: '<path>', description: 'Another working directory for this session', run: addDir },
  {
    name: 'vim',
    argumentHint: '[on|off]',
    description: 'Vim\u2019s keys in the editor, or the usual ones',
    run: switchVim,
  },
  {
    name: 'keys',
    description: 'The keys in force, those of keybindings.json too',
    run: (_argument, { keymap }) => keyLines(keymap),
  },
];

async function plan(task: string, stage: Stage): Promise<string[]> {
  await stage.call({ subtype: 'set_permission_mode', mode: 'plan' });
  if (task !== '') stage.submit(task);
  return task === '' ? ['The mode is plan.'] : [];
}

/** As much as the SDK gives a model whose thinking has no budget of its own. */
const USUAL_TOKENS = 32_000;

/** What this terminal has set, by session: no line tells it. */
const budgets = new WeakMap<object, number>();

async function think(argument: string, stage: Stage): Promise<string[]> {
  const before = (stage.link && budgets.get(stage.link)) ?? 0;
  const tokens = tokensOf(argument.toLowerCase(), before);
  if (tokens === null) return ['/thinking takes on, off, or a number of tokens.'];
  await stage.call({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: tokens });
  if (stage.link) budgets.set(stage.link, tokens);
  const how = tokens === 0 ? 'off' : `on, with up to ${tokens} tokens,`;
  stage.notify(`Thinking is ${how} from the next turn on.`);
  return [];
}

function tokensOf(argument: string, before: number): number | null {
  if (argument === '') return before === 0 ? USUAL_TOKENS : 0;
  if (argument === 'on') return USUAL_TOKENS;
  if (argument === 'off') return 0;
  return /^\d{1,7}$/.test(argument) ? Number(argument) : null;
}

/** For this terminal at once, and for those to come. A guest does not change the settings of another machine. */
async function switchVim(argument: string, stage: Stage): Promise<string[]> {
  if (!['', 'on', 'off'].includes(argument)) return ['/vim takes on or off.'];
  const isOn = argument === '' ? stage.vim.mode === null : argument === 'on';
  stage.vim.use(isOn);
  stage.changed();
  const keys = isOn ? 'Vim\u2019s keys' : 'The usual keys';
  if (stage.place.isGuest) return [`${keys} are in force here.`];
  const settings = { editorMode: isOn ? 'vim' : 'normal' };
  await stage.call({ subtype: 'update_settings', source: 'userSettings', settings });
  return [`${keys} are in force, here and in new sessions: editorMode of your settings is "${settings.editorMode}".`];
}

/** The session of another process may stand on another machine: only that one can tell. */
async function isThere(path: string, { cwd, isGuest }: Stage['place']): Promise<boolean> {
  if (isGuest) return true;
  const below = /^~(?:\/|$)/.test(path) ? join(homedir(), path.slice(1)) : resolve(cwd, path);
  const found = await stat(below).catch(() => null);
  return found?.isDirectory() === true;
}

async function addDir(path: string, stage: Stage): Promise<string[]> {
  if (path === '') return ['/add-dir takes the path of a directory.'];
  if (!(await isThere(path, stage.place))) return [`There is no directory ${path}.`];
  const update = { type: 'addDirectories', directories: [path], destination: 'session' };
  await stage.call({ subtype: 'update_permissions', updates: [update] });
  return [`${path} is a working directory of this session now.`];
}

/** The keys in force, by context. An action without a key is left out. */
function keyLines(keymap: Keymap): string[] {
  return CONTEXTS.flatMap((context) => {
    const rows = Object.keys(DEFAULT_KEYS[context]).flatMap((action) => {
      const keys = keymap.keysOf(context, action);
      return keys.length === 0 ? [] : [`  ${keys.join(', ').padEnd(32)} ${action}`];
    });
    return rows.length === 0 ? [] : [context, ...rows];
  });
}
