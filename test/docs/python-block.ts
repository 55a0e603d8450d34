import type { Block } from './blocks.ts';
import { type Project, runInProject } from './project.ts';

/** With `parse` only its syntax is checked: code for a package that is not ours. */
const PARSE = 'import ast, sys; compile(sys.stdin.read(), "block", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)';

export async function runPython({ code, notes }: Block, project: Project): Promise<string | null> {
  const args = notes.has('parse') ? ['-c', PARSE] : ['-'];
  const finished = await runInProject(project, ['python3', ...args], code);
  return finished.code === 0 ? null : finished.stderr;
}
