import type { Parts } from './parts.ts';

/** A command, for menus. */
export interface ListedCommand {
  name: string;
  description: string;
  argumentHint: string;
}

/** Those of files first, as the reference lists them. None that would be taken as text. */
export function commandsOf({ takesCommandsAsText, extensions, mcp }: Parts): readonly ListedCommand[] {
  if (takesCommandsAsText) return [];
  const called = extensions.prompts.filter(({ forUser }) => forUser);
  const ofFiles = called.map(({ name, description, argumentHint }) => ({ name, description, argumentHint }));
  return [...ofFiles, ...oursBeside(called), ...(mcp?.commands() ?? [])];
}

/** What a file stands in for is called no more. */
export function oursBeside(called: readonly { name: string }[]): readonly ListedCommand[] {
  return COMMANDS.filter(({ name }) => !called.some((prompt) => prompt.name === name));
}

/** All that come with the program. What they do is in `local-commands.ts`. */
export const COMMANDS: readonly ListedCommand[] = [
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
