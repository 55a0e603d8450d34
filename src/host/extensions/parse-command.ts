import { existsSync } from 'node:fs';
import type { ContentBlock } from '../wire/content.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { UserInput } from '../wire/messages/user.ts';

export interface CommandLine {
  name: string;
  args: string;
  /** What a host has put in front of it, in blocks of their own. */
  before?: readonly ContentBlock[];
}

/**
 * A prompt that may be a command: a slash and a word at its very beginning. Null for anything else, paths included. The
 * word may be any that a file can be named by, so that whether something answers to it is to be seen.
 */
export function parseCommand(prompt: string): CommandLine | null {
  const found = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(prompt.trim());
  return found?.[1] ? { name: found[1], args: (found[2] ?? '').trim() } : null;
}

/** The command that a message may be; null when it goes to the model. Of several blocks it is the last, as CI tools send it. */
export function commandOf(input: UserInput, settings: { takesCommandsAsText: boolean }): CommandLine | null {
  const { content } = input.message;
  if (settings.takesCommandsAsText || input.client_composed) return null;
  if (typeof content === 'string') return parseCommand(content);
  const last = content.at(-1);
  const command = last?.type === 'text' ? parseCommand(last.text) : null;
  return command && content.length > 1 ? { ...command, before: content.slice(0, -1) } : command;
}

/**
 * Whether a command that no file brings is answered here: it is ours, or somebody has misspelt one. Anything else that
 * begins with a slash is a text: `/*`, `/1.5 times`, `/tmp is full`. Today's hosts want a word that no command has to reach
 * the model as well (ruling K46).
 */
export function isAnswered({ name }: CommandLine, { dialect }: { dialect: Dialect }): boolean {
  if (isOurs(name) || dialect === '2.1.325') return isOurs(name);
  return /^[\w:-]+$/.test(name) && !existsSync(`/${name}`);
}

export function isOurs(name: string): boolean {
  return COMMAND_NAMES.includes(name);
}

/** Those that no file stands in for: with them a user or a host frees the conversation of what is in it. */
export const OURS_ALONE: readonly string[] = ['clear', 'compact'];

/** The names of all commands; `command-list.ts` has what is said of them, `local-commands.ts` what they do. */
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
