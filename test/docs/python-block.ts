import type { Block } from './blocks.ts';
import { type Project, runInProject } from './project.ts';

/** With `parse` only its syntax is checked: code for a package that is not ours, which its comment says (`because`). */
const PARSE = 'import ast, sys; compile(sys.stdin.read(), "block", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)';

export async function runPython({ code, notes }: Block, project: Project): Promise<string | null> {
  if (notes.has('parse') && !notes.get('because')) return 'its comment must say why it is not run (because=)';
  const args = notes.has('parse') ? ['-c', PARSE] : ['-'];
  const finished = await runInProject(project, ['python3', ...args], code);
  return finished.code === 0 ? null : finished.stderr;
}
