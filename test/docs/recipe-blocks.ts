import { readPackageJson } from '../support/package-json.ts';
import type { Block } from './blocks.ts';
import type { Project } from './project.ts';
import { runShell } from './shell-block.ts';

/** A job of a CI service: the commands of its steps run, in their order. */
export async function runJob(block: Block, project: Project): Promise<string | null> {
  const commands = [...block.code.matchAll(/^ *- run: (.*)$/gm)].map(([, command]) => command);
  if (commands.length === 0) return 'no step of it runs something';
  return runShell({ ...block, code: commands.join('\n') }, project);
}

/** No image is built in a test. Its command must be ours, and what it installs and runs of Heddle is tried. */
export async function tryImage(block: Block, project: Project): Promise<string | null> {
  const instructions = block.code
    .replaceAll(/\\\n\s*/g, '')
    .trim()
    .split('\n');
  const odd = instructions.find((line) => !/^(FROM|RUN|COPY|USER|ENV|WORKDIR|ENTRYPOINT) \S/.test(line));
  if (odd) return `not an instruction: ${odd}`;
  const [, entry = ''] = /^ENTRYPOINT \["(.*)"\]$/m.exec(block.code) ?? [];
  if (!Object.hasOwn(readPackageJson().bin, entry)) return `the package has no command “${entry}”`;
  const commands = instructions.flatMap((line) => (line.startsWith('RUN ') ? line.slice(4).split(' && ') : []));
  return runShell({ ...block, code: commands.filter((each) => /^(heddle|npm) /.test(each)).join('\n') }, project);
}
