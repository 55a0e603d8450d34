import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import type { RunConfig } from '../../src/wire/run-config.ts';
import { createHouse } from '../host/support.ts';
import { longestHold } from '../support/longest-hold.ts';

/**
 * Whole sessions, from the start to the result: between two turns of the event loop nothing may compute longer than this,
 * whatever a model asks for and whatever lies in the project.
 */
const MAX_HOLD_MS = 200;

const many = (text: string, times: number) => text.repeat(times);
const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, at) => line(at));
const record = (names: readonly string[], text: string) => Object.fromEntries(names.map((name) => [name, text]));
const notebook = (cells: object[]) => JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
const cell = (id: number, outputs: object[] = []) => ({
  cell_type: 'code',
  id: `c${id}`,
  source: 'x',
  metadata: {},
  outputs,
});

interface Ordeal {
  files?: Record<string, string>;
  calls?: (path: (name: string) => string) => [tool: string, input: JsonObject][];
  deny?: string[];
  allow?: string[];
  prompt?: string;
  config?: RunConfig;
}

const reading = (name: string, content: string, more: object = {}): Ordeal => ({
  files: { [name]: content },
  calls: (path) => [['Read', { file_path: path(name), ...more }]],
});
const editing = (content: string, old_string: string, new_string: string): Ordeal => ({
  files: { 'a.txt': content },
  calls: (path) => [
    ['Read', { file_path: path('a.txt'), limit: 5 }],
    ['Edit', { file_path: path('a.txt'), old_string, new_string, replace_all: true }],
  ],
});
const HOSTILE_RULES = [
  ...['Bash(rm:*)', 'Read(./.env)', 'Edit(./locked/**)', `Read(**/*${many('a*', 400)}b)`],
  ...[`Read(//${many('**/*a*/', 100)}x)`, `Bash(${many('*a', 300)})`, `Bash(${many('*a', 15)})`],
];
const running = (command: string, deny = HOSTILE_RULES): Ordeal => ({
  deny,
  allow: [`Bash(x ${many('*a', 15)})`, `Bash(cat ${many('* a ', 100)}b)`],
  calls: () => [
    ['Bash', { command: `false && ${command}` }],
    ['Bash', { command }],
  ],
});
const EXTENSIONS = ['skills/s/SKILL.md', 'commands/c.md', 'agents/a.md', 'rules/r.md', 'output-styles/o.md'].map(
  (name) => `.claude/${name}`,
);
const OF_PROJECT: RunConfig = { settingSources: ['user', 'project', 'local'] };

const ORDEALS: Record<string, Ordeal> = {
  'Edit: a large file without the text': editing(many('x = 1 line of it\n', 800_000), 'nothing\nhere', 'b'),
  'Edit: lines that are alike': editing(many('    x = 1\n', 400_000), `${many('    x = 1\n', 4000)}y`, 'z'),
  'Edit: line endings of Windows': editing(many('bbbbbbbbb\r\n', 1_000_000), 'b\nq', 'c\nd'),
  'Edit: very many places': editing(many('bbbbbbbbb\r\n', 150_000), 'b\nb', 'c\nd'),
  'a notebook of very many cells': {
    files: { 'a.ipynb': notebook(lines(50_000, () => '').map((_, at) => cell(at))) },
    calls: (path) => [
      ['Read', { file_path: path('a.ipynb') }],
      ['NotebookEdit', { notebook_path: path('a.ipynb'), cell_id: 'c49999', new_source: 'y' }],
    ],
  },
  'a notebook with deep nesting': reading(
    'a.ipynb',
    `{"cells":[{"cell_type":"code","source":"x","metadata":${many('[', 1_000_000)}${many(']', 1_000_000)}}]}`,
  ),
  'a notebook with a picture of blanks': reading(
    'a.ipynb',
    notebook([cell(1, [{ output_type: 'display_data', data: { 'image/png': many('A \n', 3_000_000) } }])]),
  ),
  'a notebook with coloured errors': reading(
    'a.ipynb',
    notebook(
      lines(20, () => '').map((_, at) =>
        cell(at, [{ output_type: 'error', traceback: [many('\u001b[31mx\u001b[', 100_000)] }]),
      ),
    ),
  ),
  'a PDF without an end': reading('a.pdf', `%PDF-1.4\n${many('<< /Type /Page >> ', 500_000)}`),
  'a file of line breaks': reading('a.txt', many('\n', 1_000_000), { limit: 100_000 }),
  'Glob: braces': { calls: () => [['Glob', { pattern: many('{a,b}', 60) }]] },
  'Grep: a million lines': {
    files: { 'a.txt': many('xyz\n', 1_000_000) },
    calls: () => [['Grep', { pattern: 'x', output_mode: 'content' }]],
  },
  'a search with many rules': {
    files: record(
      lines(1500, (at) => `d${at % 30}/f${at}.txt`),
      'x',
    ),
    calls: () => [
      ['Glob', { pattern: '**/*' }],
      ['Grep', { pattern: 'x' }],
    ],
    deny: lines(100, (at) => `Read(./f${at}/**/x*y)`),
  },
  'a command with very many words': running(`echo ${many('a ', 50_000)}`),
  'a command with very many files': running(
    `cat ${lines(5000, (at) => `d${at}/f${at}`).join(' ')}`,
    lines(300, (at) => `Read(./f${at}/**/x*y)`),
  ),
  'a command with very many patterns': running(`cat ${many('a*b*c*[d] ', 5000)}`),
  'a command with as many patterns as are read': running(`cat ${many('a*b*c*[d] ', 990)}`),
  'a command with as many words as are read': running(`cat ${many('a/b/c/d ', 5900)}`),
  'a command with a long pattern': running(`cat ${many('[a-z]a*', 1000)}`),
  'a command with many variables in a word': running(`x ${many('$a', 40_000)}`),
  'a command with many scripts for sed': running(`sed ${many("-e 's/a/b/w x' ", 5000)} x`),
  'a long row of pipes': running(`${many('cat | ', 10_000)} cat`),
  'here-documents that never end': running(many('cat <<A ', 5000)),
  'a prompt of mentions': { prompt: many('@a ', 200_000) },
  'front matter with a long list': {
    files: record(EXTENSIONS, `---\na: [${many('"x", ', 12_000)}]\n---\n`),
    config: OF_PROJECT,
  },
  'front matter with many braces': {
    files: record(EXTENSIONS, `---\npaths: "${many('{a,b}', 1000)}"\n---\n`),
    config: OF_PROJECT,
  },
  'front matter with many keys': {
    files: record(EXTENSIONS, `---\n${lines(25_000, (at) => `k${at}: v`).join('\n')}\n---\n`),
    config: OF_PROJECT,
  },
  'a memory file of mentions': { files: { 'CLAUDE.md': many('@a ', 10_000) }, config: OF_PROJECT },
};

describe('no session holds up the process', () => {
  test.each(Object.entries(ORDEALS))(
    '%s',
    async (_what, { files = {}, calls, deny = [], allow = [], prompt = 'go', config = {} }) => {
      const house = createHouse([]);
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(house.dir, name)), { recursive: true });
        writeFileSync(join(house.dir, name), content);
      }
      const asked = calls?.((name) => join(house.dir, name)) ?? [];
      const script = [...asked.map(([tool, input]) => toolUse(tool, input)), 'Done.'];
      const { connect } = createHouse([...script, ...script]);
      const settings = JSON.stringify({ permissions: { deny, allow } });
      const run = async () => {
        const client = connect(
          { settings, permissionMode: 'bypassPermissions', dangerouslySkipPermissions: true, ...config },
          { cwd: house.dir },
        );
        expect(await client.ask(prompt)).toMatchObject({ subtype: 'success', result: expect.anything() });
        await client.close();
      };
      const held = await longestHold(run);
      // Once more alone: a first run compiles, and others use the machine.
      expect(held < MAX_HOLD_MS ? held : await longestHold(run)).toBeLessThan(MAX_HOLD_MS);
    },
  );
});
