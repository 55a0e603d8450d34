import type { Block } from './blocks.ts';
import { npmProblem } from './npm-command.ts';
import { endProblem, type Finished, type Project, runInProject } from './project.ts';
import { setUp } from './setups.ts';

/** Runs the commands, but those of npm, which are about the repository or about installing: these are compared with it. */
export async function runShell(block: Block, project: Project): Promise<string | null> {
  const lines = block.code.split('\n');
  const ofNpm = lines.filter(isOfNpm);
  const problem = ofNpm.map(npmProblem).find((each) => each !== null);
  if (problem) return problem;
  const script = lines.filter((line) => !isOfNpm(line)).join('\n');
  if (script.trim() === '') return null;
  return endProblem(block, await runScript(block, project, script));
}

/** Commands behind `$ `, each with what it prints; `…` stands for anything in a line, or, alone, for any lines. */
export async function runConsole(block: Block, project: Project): Promise<string | null> {
  const [before = '', ...sessions] = `\n${block.code}`.split(/\n\$ /);
  if (before.trim() !== '' || sessions.length === 0) return 'a console block begins with `$ ` and a command';
  for (const session of sessions) {
    const [, command = '', printed = ''] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(session) ?? [];
    const finished = await runScript(block, project, command);
    const problem = endProblem(block, finished) ?? outputProblem(printed, finished.stdout, project);
    if (problem) return problem;
  }
  return null;
}

function isOfNpm(line: string): boolean {
  return /^(?:[A-Z_]+=\S+ )*npm /.test(line);
}

async function runScript(block: Block, project: Project, code: string): Promise<Finished> {
  const { replace } = await setUp(block.notes.get('setup'), project);
  let script = code;
  for (const [placeholder, value] of Object.entries(replace)) script = script.replaceAll(placeholder, value);
  return runInProject(project, ['bash', '--norc', '-euo', 'pipefail', '-c', script]);
}

function outputProblem(wanted: string, stdout: string, { home, cwd }: Project): string | null {
  const lines = wanted.trimEnd().replaceAll('/home/me', home).replaceAll('/srv/app', cwd).split('\n');
  const pattern = lines.map((line) => (line === '…' ? '(?:.*\\n)*' : `${linePattern(line)}\\n`)).join('');
  if (new RegExp(`^${pattern}$`).test(`${stdout.trimEnd()}\n`)) return null;
  return `it printed something else:\n${stdout}`;
}

function linePattern(line: string): string {
  const parts = line.split('…');
  return parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*');
}
