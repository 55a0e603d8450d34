import type { Block } from './blocks.ts';
import { runProgram } from './program-block.ts';
import type { Project } from './project.ts';

/** What a program around such a change has. */
const AROUND = "import { spawn } from 'node:child_process';\nconst prompt = 'hi';\n";

/** Lines that go, come and stay; what comes out of it runs. */
export async function runDiff(block: Block, project: Project): Promise<string | null> {
  const { code } = block;
  const lines = code.trimEnd().split('\n');
  const odd = lines.find((line) => !/^[-+ ]/.test(line));
  if (odd !== undefined) return `no line of a diff: ${odd}`;
  const after = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
  return runProgram({ ...block, code: `${AROUND}${after.join('\n')}\n` }, project);
}
