import type { Block } from './blocks.ts';
import { runDiff } from './diff-block.ts';
import { checkJson, JSON_NOTES } from './json-block.ts';
import { checkMarkdown } from './markdown-block.ts';
import { runProgram } from './program-block.ts';
import type { Project } from './project.ts';
import { runPython } from './python-block.ts';
import { runJob, tryImage } from './recipe-blocks.ts';
import { runConsole, runShell } from './shell-block.ts';
import { checkText } from './text-block.ts';

/** What is done with the blocks of a language; resolves with what is wrong with one, or null. */
interface Look {
  /** Words that a comment before the block may use. */
  notes: readonly string[];
  look(block: Block, project: Project): Promise<string | null>;
}

const RUN_NOTES = ['setup', 'exit'];

/** Every language that pages may use. A block in another one, or in none, is an error: nobody would look at it. */
const LOOKS: Readonly<Record<string, Look>> = {
  sh: { notes: RUN_NOTES, look: runShell },
  bash: { notes: RUN_NOTES, look: runShell },
  console: { notes: RUN_NOTES, look: runConsole },
  ts: { notes: RUN_NOTES, look: runProgram },
  js: { notes: RUN_NOTES, look: runProgram },
  mjs: { notes: RUN_NOTES, look: runProgram },
  python: { notes: ['parse'], look: runPython },
  json: { notes: JSON_NOTES, look: checkJson },
  markdown: { notes: ['agent', 'command', 'skill', 'style', 'rule'], look: checkMarkdown },
  diff: { notes: [], look: runDiff },
  yaml: { notes: RUN_NOTES, look: runJob },
  dockerfile: { notes: [], look: tryImage },
  text: { notes: ['synopsis', 'acp-client'], look: checkText },
};

/** Looks at a block as its language asks for; resolves with what is wrong, or null. */
export async function lookAt(block: Block, project: Project): Promise<string | null> {
  const look = Object.hasOwn(LOOKS, block.language) ? LOOKS[block.language] : undefined;
  if (!look) return `nobody looks at the language “${block.language}”; output and figures are \`text\``;
  const unknown = [...block.notes.keys()].filter((note) => note !== 'because' && !look.notes.includes(note));
  if (unknown.length > 0) return `its comment says ${unknown.join(', ')}, which means nothing for ${block.language}`;
  return look.look(block, project);
}
