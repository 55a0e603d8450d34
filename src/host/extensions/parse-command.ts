import { existsSync } from 'node:fs';
import type { ContentBlock } from '../../wire/api/content.ts';
import type { Dialect } from '../../wire/dialect.ts';
import type { UserInput } from '../../wire/messages/user.ts';

export interface CommandLine {
  name: string;
  args: string;
  /** Content blocks that the host put before the command. */
  before?: readonly ContentBlock[];
}

/**
 * Reads a prompt that may be a command: a slash and a word at its beginning. Null for anything else, paths included.
 * The word may be any file name, so that the caller has to find out whether such a command exists.
 */
export function parseCommand(prompt: string): CommandLine | null {
  const found = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(prompt.trim());
  return found?.[1] ? { name: found[1], args: (found[2] ?? '').trim() } : null;
}

/**
 * The command that a message may be; null: it goes to the model. Only the last of several blocks can be a command, as
 * CI tools send it.
 */
export function commandOf(input: UserInput, settings: { takesCommandsAsText: boolean }): CommandLine | null {
  const { content } = input.message;
  if (settings.takesCommandsAsText || input.client_composed) return null;
  if (typeof content === 'string') return parseCommand(content);
  const last = content.at(-1);
  const command = last?.type === 'text' ? parseCommand(last.text) : null;
  return command && content.length > 1 ? { ...command, before: content.slice(0, -1) } : command;
}

/**
 * Whether the session itself answers a command that no file defines: a built-in one, or a misspelt one. Any other text
 * with a slash goes to the model: `/*`, `/1.5 times`, `/tmp is full`. In today's dialect, unknown words go to the model
 * as well.
 */
export function isAnswered({ name }: CommandLine, { dialect }: { dialect: Dialect }): boolean {
  if (isOurs(name) || dialect === '2.1.325') return isOurs(name);
  return /^[\w:-]+$/.test(name) && !existsSync(`/${name}`);
}

export function isOurs(name: string): boolean {
  return COMMAND_NAMES.includes(name);
}

/** Commands that no file can replace: users and hosts rely on them to empty the conversation. */
export const OURS_ALONE: readonly string[] = ['clear', 'compact'];

/** The names of all commands; `command-list.ts` describes them, `local-commands.ts` runs them. */
export const COMMAND_NAMES: readonly string[] = [
  'branch',
  'clear',
  'compact',
  'context',
  'cost',
  'fork',
  'help',
  'memory',
  'model',
];
