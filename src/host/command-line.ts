import type { UserInput } from '../wire/messages/user.ts';

export interface CommandLine {
  name: string;
  args: string;
}

/** A prompt that is a command: a slash and a word at its very beginning. Null for anything else, paths included. */
export function parseCommand(prompt: string): CommandLine | null {
  const found = /^\/([a-z][\w:-]*)(?:\s+([\s\S]*))?$/i.exec(prompt.trim());
  return found?.[1] ? { name: found[1], args: (found[2] ?? '').trim() } : null;
}

/** The command that a message is, or null when it goes to the model. Several blocks are a host's own composition. */
export function commandOf(input: UserInput, settings: { takesCommandsAsText: boolean }): CommandLine | null {
  const { content } = input.message;
  if (settings.takesCommandsAsText || input.client_composed) return null;
  if (typeof content === 'string') return parseCommand(content);
  const [only, more] = content;
  return only?.type === 'text' && more === undefined ? parseCommand(only.text) : null;
}

/** Names and hints of all commands, for hosts' menus; what they do is in `local-commands.ts` and loaded when used. */
export const COMMANDS: readonly { name: string; description: string; argumentHint: string }[] = [
  { name: 'branch', description: 'Copy the conversation to a new session, as /fork does', argumentHint: '[title]' },
  {
    name: 'clear',
    description: 'Start over with an empty conversation; the old one stays in the session file',
    argumentHint: '',
  },
  { name: 'compact', description: 'Replace the conversation by a summary of it', argumentHint: '[what to keep]' },
  { name: 'context', description: 'Show what fills the context window', argumentHint: '' },
  { name: 'cost', description: 'Show what this session has cost so far', argumentHint: '' },
  { name: 'fork', description: 'Copy the conversation to a new session', argumentHint: '[title]' },
  { name: 'help', description: 'List the commands', argumentHint: '' },
  { name: 'memory', description: 'List the memory files in force, and why each of them is', argumentHint: '' },
  { name: 'model', description: 'Show the model, or change it for the next turns', argumentHint: '[name]' },
];
