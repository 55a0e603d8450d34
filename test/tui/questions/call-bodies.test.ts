import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { KEYS, terminalThatAsks } from './ask-in-terminal.ts';

const edit = (lines: string[], more: JsonObject = {}): JsonObject => ({
  ...{ tool_name: 'Edit', input: { file_path: '/project/src/a.ts' }, title: 'Heddle wants to edit: /project/src/a.ts' },
  permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  preview: {
    ...{ kind: 'patch', file: '/project/src/a.ts', is_new: false, hunks: [hunk(lines)] },
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  },
  ...more,
});
const hunk = (lines: string[]) => ({ oldStart: 10, oldLines: 9, newStart: 10, newLines: 9, lines });

test('a change shows its rows with numbers, and accepts edits for this session only', async () => {
  const { ask, keys, answer } = await terminalThatAsks();
  const shown = await ask(edit([' one', '-const a = 1;', '+const a = 2;', ' two']));
  expect(shown).toMatch(
    /changes \+1 −1 lines\n\s+10 {3}one\n\s+11 - const a = 1;\n\s+11 \+ const a = 2;\n\s+12 {3}two\n/,
  );
  expect(shown).toMatch(/2 Yes, and for this session: {2}accept edits \(mode acceptEdits\)\n\s+3 No\n/);
  await keys('2');
  const update = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  expect(await answer()).toEqual({ behavior: 'allow', updatedPermissions: [update] });
});

test('[TUI-42] a change that does not fit says how much is seen, and is to be viewed first', async () => {
  const { ask, keys, answer, answers, sees, terminal } = await terminalThatAsks({ size: { columns: 80, rows: 30 } });
  const lines = Array.from({ length: 120 }, (_, at) => `+line ${at + 1}`);
  const shown = await ask(edit(lines));
  const [, seen] = /… (\d+) of 120 changed rows: v shows all/.exec(shown) ?? [];
  expect(Number(seen)).toBe(shown.match(/\+ line \d/g)?.length);
  expect(shown).toContain('❯ v View all of it first');
  await keys(KEYS.enter);
  await sees(/Edit \/project\/src\/a\.ts \u00b7 0 %/);
  await keys('G');
  await sees('+ line 120');
  await keys('q');
  await sees('❯ 1 Yes, this once');
  expect(answers()).toEqual([]);
  // It is new to the eye: a key right now does nothing.
  terminal.type('1');
  expect(answers()).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 330));
  await keys('1');
  expect(await answer()).toEqual({ behavior: 'allow' });
});

test('of a long line the changed part is seen; w hides what differs in blanks only', async () => {
  const { ask, keys, sees, terminal } = await terminalThatAsks({ size: { columns: 80, rows: 30 } });
  const [before, after] = ['x '.repeat(2000), ' y'.repeat(2000)];
  const shown = await ask(edit([`-${before}old${after}`, `+${before}new${after}`, ' same', '-a  b', '+a b']));
  expect(shown).toMatch(/- ….*x old y.*…\n/);
  expect(shown).toMatch(/\+ ….*x new y.*…\n/);
  expect(shown).toContain('- a  b');
  await keys('w');
  await sees('… only blanks differ here');
  expect(await terminal.shown()).not.toContain('- a  b');
});

test('a new file shows its text; a binary one its size', async () => {
  const write = (content: string) => ({
    ...{ tool_name: 'Write', input: { file_path: '/project/a', content }, title: 'Heddle wants to write: /project/a' },
    preview: { kind: 'file', file: '/project/a', content, added: 2, is_new: true },
  });
  const { ask, keys } = await terminalThatAsks();
  expect(await ask(write('one\ntwo\x1b[2J\n'))).toMatch(
    /new file \+2 −0 lines\n\s+1 \+ one\n\s+2 \+ two\\u\{1b\}\[2J\n/,
  );
  await keys('1');
  expect(await ask(write('PNG\0\x01'))).toContain('new content: binary, 5 characters');
});

test('a cell of a notebook is named', async () => {
  const { ask } = await terminalThatAsks();
  const input = { notebook_path: '/project/n.ipynb', cell_id: 'c-3', edit_mode: 'replace', new_source: 'print(1)' };
  expect(await ask({ tool_name: 'NotebookEdit', input })).toMatch(/cell: c-3 · replace\n[\s\S]*\+ print\(1\)/);
});

test('reading outside of the roots offers the directory, for the session or the project', async () => {
  const { ask, keys, answer } = await terminalThatAsks();
  const add = (destination: string) => ({ type: 'addDirectories', directories: ['/etc'], destination });
  const shown = await ask({
    ...{ tool_name: 'Read', input: { file_path: '/etc/hosts' }, title: 'Heddle wants to read: /etc/hosts' },
    permission_suggestions: [add('session')],
  });
  expect(shown).toContain('path: /etc/hosts');
  expect(shown).toContain('directories of this session: /project');
  expect(shown).toContain('2 Yes, and for this session:  add directory /etc');
  expect(shown).not.toContain('always for me');
  await keys('3');
  expect(await answer()).toEqual({ behavior: 'allow', updatedPermissions: [add('localSettings')] });
});

test('a page shows its whole address, also as a host in other letters reads', async () => {
  const { ask } = await terminalThatAsks();
  const rule = { toolName: 'WebFetch', ruleContent: 'domain:xn--pple-43d.com' };
  const shown = await ask({
    ...{ tool_name: 'WebFetch', input: { url: 'https://xn--pple-43d.com/a?b=c', prompt: 'What is it?' } },
    permission_suggestions: [{ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' }],
  });
  expect(shown).toContain('https://xn--pple-43d.com/a?b=c');
  expect(shown).toContain('host: xn--pple-43d.com = аpple.com');
  expect(shown).toContain('prompt: What is it?');
  expect(shown).toContain('WebFetch(domain:xn--pple-43d.com)');
});

test('a tool of a server names the server and who has defined it; its input is whole', async () => {
  const { ask } = await terminalThatAsks();
  const shown = await ask({
    ...{ tool_name: 'mcp__notes__delete', mcp_server: { name: 'notes', source: 'projectSettings' } },
    input: { id: 7, deep: { why: 'old' } },
  });
  expect(shown).toContain('? notes: delete');
  expect(shown).toContain('server: notes (defined by: projectSettings)');
  expect(shown).toMatch(/"deep": \{\n\s+"why": "old"\n/);
});

test('an agent shows its kind, prompt, tools and mode; a skill its name', async () => {
  const { ask, keys } = await terminalThatAsks();
  const input = { subagent_type: 'Explore', description: 'find it', prompt: 'Find the parser', mode: 'plan' };
  const shown = await ask({ tool_name: 'Task', input });
  for (const text of ['subagent type: Explore', 'prompt: Find the parser', 'mode: plan']) expect(shown).toContain(text);
  await keys('1');
  expect(await ask({ tool_name: 'Skill', input: { skill: 'deploy', args: 'now' } })).toMatch(
    /skill: deploy\n\s+args: now/,
  );
});

test('a command shows what it writes, where it runs, and how', async () => {
  const { ask } = await terminalThatAsks();
  const shown = await ask({
    ...{ tool_name: 'Bash', title: 'Heddle wants to run: make > out' },
    input: { command: 'make > out', timeout: 90_000, run_in_background: true, description: 'Builds it' },
    command_preview: {
      ...{ directory: '/project/sub', sandboxed: false },
      effects: [{ what: 'writes', on: '/project/sub/out' }],
    },
  });
  expect(shown).toContain('writes /project/sub/out');
  expect(shown).toContain('the model says: Builds it');
  expect(shown).toContain('runs: /project/sub · no sandbox · at most 90 s · in the background');
});

test('the tiniest windows show a question without an exception', async () => {
  const { ask, terminal, sees } = await terminalThatAsks();
  await ask(edit(['-a', '+b']));
  for (const [columns, rows] of [
    [20, 6],
    [5, 3],
    [1, 1],
    [100, 40],
  ] as const) {
    terminal.resize(columns, rows);
    await new Promise((resolve) => setTimeout(resolve, 180));
  }
  await sees('1 Yes, this once');
});
