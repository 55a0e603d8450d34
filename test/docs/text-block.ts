import { COMMAND_HELP } from '../../src/cli/commands/all-help.ts';
import type { Block } from './blocks.ts';
import { tryAsAcpClient } from './json-runs.ts';
import { endProblem, type Project, runInProject } from './project.ts';

/**
 * A text is the help of a command, which is asked for it, or a synopsis, whose commands there must be. Any other says in its
 * comment why nobody tries it: `<!-- text: because=a figure -->`.
 */
export async function checkText(block: Block, project: Project): Promise<string | null> {
  const { code, notes } = block;
  if (code.startsWith('Usage: heddle')) return helpProblem(block, project);
  if (notes.has('synopsis')) return synopsisProblem(code);
  if (notes.has('acp-client')) return editorProblem(block, project);
  if (!notes.get('because')) return 'nobody tries it: its comment must say why (because=)';
  return commandProblem(code);
}

/** The lines for an editor name a program and its words, between quotes: they are started as an editor starts them. */
async function editorProblem(block: Block, project: Project): Promise<string | null> {
  const [, command, word] = /command[^\n]*?"(heddle)"[^\n]*?"(\w+)"/.exec(block.code) ?? [];
  if (command === undefined || word === undefined) return 'it names no program with its words';
  const code = JSON.stringify({ agent_servers: { editor: { command, args: [word] } } });
  return tryAsAcpClient({ ...block, code }, project);
}

/** The longest name of a command that the text begins with. */
async function helpProblem(block: Block, project: Project): Promise<string | null> {
  const usage = block.code.slice('Usage: '.length);
  const names = Object.keys(COMMAND_HELP).filter((name) => usage.startsWith(`${name} `));
  const name = names.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  const finished = await runInProject(project, [...name.split(' '), '--help']);
  const isSame = finished.stdout === block.code;
  return endProblem(block, finished) ?? (isSame ? null : `${name} --help says something else:\n${finished.stdout}`);
}

/** `heddle trust [directory]`, `heddle tasks list|show|stop …`: every command, and all of those that a group has. */
async function synopsisProblem(code: string): Promise<string | null> {
  for (const line of code.trim().split('\n')) {
    const [, group = '', listed = ''] = /^heddle ([a-z]+) ?([a-z|-]*)/.exec(line) ?? [];
    if (group === '' && line.startsWith('heddle [')) continue;
    const help = await COMMAND_HELP[`heddle ${group}`]?.();
    if (help === undefined && group !== 'help') return `there is no command heddle ${group}`;
    const own = commandsOf(group, help ?? '');
    const isWhole = own.length === 0 || own.join('|') === listed;
    if (!isWhole) return `heddle ${group} has ${own.join('|')}, not ${listed}`;
  }
  return null;
}

/** Those with a help of their own; else those of the usage lines: `heddle config list [--json]`. */
function commandsOf(group: string, help: string): string[] {
  const prefix = `heddle ${group} `;
  const split = Object.keys(COMMAND_HELP).flatMap((name) =>
    name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
  );
  if (split.length > 0) return split;
  return [...help.matchAll(new RegExp(`^(?:Usage:| {6}) ${prefix}([a-z]+)`, 'gm'))].flatMap(([, name]) => name ?? []);
}

/** Figures and output have no commands in them: those would look as if somebody had tried them. */
function commandProblem(code: string): string | null {
  const command = code.split('\n').find((line) => /^(\$|heddle|npm|node|npx|docker) /.test(line));
  return command === undefined ? null : `a command in a text (\`sh\` or \`console\` blocks are run): ${command}`;
}
