import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readAgentFile } from '../../src/config/extensions/agent-files.ts';
import { readCommand } from '../../src/config/extensions/commands.ts';
import { readFrontMatter } from '../../src/config/extensions/front-matter.ts';
import type { FileSource } from '../../src/config/extensions/markdown-files.ts';
import { readOutputStyles } from '../../src/config/extensions/output-styles.ts';
import { readSkill } from '../../src/config/extensions/skills.ts';
import { readRule } from '../../src/config/memory/memory-rules.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type { Block } from './blocks.ts';
import { quietProblem } from './json-runs.ts';
import { type Project, runInProject } from './project.ts';

/** A file for the agent is read by what reads it in a session, and then by a session. */
export async function checkMarkdown(block: Block, project: Project): Promise<string | null> {
  const { code, notes } = block;
  const { root } = project;
  const problems: string[] = [];
  const source = sourceNoting(problems);
  const folder = mkdtempSync(join(root, 'markdown-'));
  const read = READERS.find(([note]) => notes.has(note))?.[1];
  if (!read) return 'its comment does not say what it is: `<!-- markdown: agent -->`, command, skill, style or rule';
  if (!read({ code, folder, source })) problems.push('its reader found nothing in it');
  problems.push(...readFrontMatter(code).problems.map(({ line, message }) => `line ${line} ${message}`));
  return problems.length === 0 ? tryInSession(block, project) : problems.join('; ');
}

/** Where a project has such a file, and what the first line of a session says when it is in use. */
const PLACES: Readonly<Record<string, { path: string; isListed(init: JsonObject, name: string): boolean }>> = {
  agent: { path: 'agents/one.md', isListed: ({ agents }, name) => has(agents, name) },
  command: { path: 'commands/one.md', isListed: (init) => has(init.slash_commands, 'one') },
  skill: { path: 'skills/one/SKILL.md', isListed: (init) => has(init.skills, 'one') },
  style: { path: 'output-styles/one.md', isListed: (init, name) => init.output_style === name },
  rule: { path: 'rules/one.md', isListed: () => true },
};

/** In a project that has the file, a session lists what it defines, and has nothing to say against it. */
async function tryInSession({ code, notes }: Block, project: Project): Promise<string | null> {
  const place = Object.entries(PLACES).find(([kind]) => notes.has(kind))?.[1];
  if (!place) return null;
  const file = put(code, join(project.cwd, '.claude'), place.path);
  const name = /^name: (.*)$/m.exec(code)?.[1] ?? 'one';
  const style = notes.has('style') ? ['--settings', JSON.stringify({ outputStyle: name })] : [];
  const flags = ['--trust', '--no-session-persistence', '--output-format', 'stream-json', '--verbose', ...style];
  const finished = await runInProject(project, ['heddle', '-p', 'hi', '--model', 'offline', ...flags]);
  rmSync(file);
  const problem = quietProblem(finished);
  if (problem) return problem;
  const init = JSON.parse(finished.stdout.split('\n')[0] ?? '') as JsonObject;
  return place.isListed(init, name) ? null : `a session does not list it: ${JSON.stringify(init)}`;
}

function has(list: unknown, name: string): boolean {
  return Array.isArray(list) && list.includes(name);
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
