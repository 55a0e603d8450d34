import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import type { Block } from './blocks.ts';
import { endProblem, type Project, runInProject } from './project.ts';
import { setUp } from './setups.ts';

/**
 * Runs a program as a user would: in a project that has the package in reach, as a process of its own. It must be whole
 * and end by itself. `scripts/api-docs.mjs` holds that it compiles.
 */
export async function runProgram(block: Block, project: Project): Promise<string | null> {
  if (!/^import /m.test(block.code)) return 'not a whole program: it imports nothing';
  await setUp(block.notes.get('setup'), project);
  const file = join(project.root, `${block.page.replaceAll(/\W+/g, '-')}-${block.line}.mjs`);
  writeFileSync(file, (await transform(block.code, { loader: 'ts', format: 'esm', target: 'node20' })).code);
  return endProblem(block, await runInProject(project, [process.execPath, file]));
}
