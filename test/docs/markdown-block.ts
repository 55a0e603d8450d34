import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readAgentFile } from '../../src/config/agent-files.ts';
import { readCommand } from '../../src/config/commands.ts';
import { readFrontMatter } from '../../src/config/front-matter.ts';
import type { FileSource } from '../../src/config/markdown-files.ts';
import { readRule } from '../../src/config/memory-rules.ts';
import { readOutputStyles } from '../../src/config/output-styles.ts';
import { readSkill } from '../../src/config/skills.ts';
import type { Block } from './blocks.ts';
import type { Project } from './project.ts';

/** A file for the agent is read by what reads it in a session. */
export async function checkMarkdown({ code, notes }: Block, { root }: Project): Promise<string | null> {
  const problems: string[] = [];
  const source = sourceNoting(problems);
  const folder = mkdtempSync(join(root, 'markdown-'));
  const read = READERS.find(([note]) => notes.has(note))?.[1];
  if (!read) return 'its comment does not say what it is: `<!-- markdown: agent -->`, command, skill, style or rule';
  if (!read({ code, folder, source })) problems.push('its reader found nothing in it');
  problems.push(...readFrontMatter(code).problems.map(({ line, message }) => `line ${line} ${message}`));
  return problems.length === 0 ? null : problems.join('; ');
}

interface Given {
  code: string;
  /** Empty, for the file to be put into. */
  folder: string;
  source: FileSource;
}

/** By kind: whether what reads such files makes something of it. */
const READERS: readonly [string, (given: Given) => boolean][] = [
  ['agent', ({ code, folder, source }) => readAgentFile(put(code, folder, 'one.md'), source) !== null],
  ['command', ({ code, folder, source }) => readCommand(put(code, folder, 'one.md'), folder, source) !== null],
  ['skill', ({ code, folder, source }) => readSkill(put(code, folder, 'one/SKILL.md'), source) !== null],
  [
    'style',
    ({ code, folder, source }) => {
      put(code, folder, 'one.md');
      return readOutputStyles(folder, source).length === 1;
    },
  ],
  ['rule', ({ code }) => readRule(code).globs !== null],
];

function put(code: string, folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
  return path;
}

function sourceNoting(problems: string[]): FileSource {
  const warn = (_file: string, problem: string) => problems.push(problem);
  return { scope: 'user', confinedTo: null, notes: { warn, ignore: (_file, keys) => problems.push(...keys) } };
}
