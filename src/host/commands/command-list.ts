import type { SlashCommand } from '../../wire/control/index.ts';
import type { SessionServices } from '../thread/services.ts';

/** A command, for menus. */
export interface ListedCommand {
  name: string;
  description: string;
  argumentHint: string;
}

/** Where the commands of a session come from. */
export type CommandSources = Pick<SessionServices, 'options' | 'extensions' | 'mcp'>;

/** The commands of files come first, as the reference lists them. Empty where a session takes commands as text. */
export function commandsOf({ options, extensions, mcp }: CommandSources): readonly ListedCommand[] {
  if (options.takesCommandsAsText) return [];
  const called = extensions.current.prompts.filter(({ forUser }) => forUser);
  const ofFiles = called.map(({ name, description, argumentHint }) => ({ name, description, argumentHint }));
  return [...ofFiles, ...builtInCommands(called), ...(mcp.current?.commands() ?? [])];
}

/**
 * The commands for the menus of hosts. Hosts of the current dialect also get the other names of each command, and whether
 * it comes with the program.
 */
export function listedCommands(services: CommandSources & Pick<SessionServices, 'preferences'>): SlashCommand[] {
  const commands = [...commandsOf(services)];
  if (services.preferences.dialect === '2.1.44') return commands;
  const called = services.extensions.current.prompts.filter(({ forUser }) => forUser);
  const ofFiles = new Map(called.map((prompt) => [prompt.name, prompt]));
  const ours = new Set(builtInCommands(called).map(({ name }) => name));
  return commands.map((command) => {
    const file = ofFiles.get(command.name);
    const aliases = file?.aliases ?? [];
    return {
      ...command,
      ...(aliases.length > 0 && { aliases: [...aliases] }),
      ...((ours.has(command.name) || file?.scope === 'bundled') && { builtin: true }),
    };
  });
}

/** The commands that come with the program and that no file replaces. */
function builtInCommands(called: readonly { name: string }[]): readonly ListedCommand[] {
  return COMMANDS.filter(({ name }) => !called.some((prompt) => prompt.name === name));
}

/** All commands that come with the program. `local-commands.ts` carries them out. */
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
