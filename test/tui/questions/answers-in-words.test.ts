import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEYS, terminalThatAsks } from './ask-in-terminal.ts';

const plan = (more = {}) => ({
  tool_name: 'ExitPlanMode',
  input: { plan: '# Plan\n\n- one **bold** step\n- two', ...more },
});
const setMode = (mode: string) => [{ type: 'setMode', mode, destination: 'session' }];

test.each([
  ['1', { behavior: 'allow', updatedPermissions: setMode('acceptEdits') }],
  ['2', { behavior: 'allow', updatedPermissions: setMode('default') }],
])('a plan is shown as Markdown, and the digit %s approves it', async (digit, body) => {
  const { ask, keys, answer } = await terminalThatAsks();
  const shown = await ask(plan());
  expect(shown).toMatch(/\? Plan\n[\s\S]*- one bold step\n- two\n/);
  await keys(digit);
  expect(await answer()).toEqual(body);
});

test('a plan that is not approved goes back with what is missing', async () => {
  const { ask, keys, answer } = await terminalThatAsks();
  await ask(plan());
  await keys('3', 'tests first', KEYS.enter);
  expect(await answer()).toEqual({
    behavior: 'deny',
    message: 'The user does not approve the plan yet: stay in plan mode and change it. The user says: tests first',
  });
});

test('a long plan scrolls, and has a pager', async () => {
  const { ask, keys, sees, answers } = await terminalThatAsks({ size: { columns: 80, rows: 24 } });
  const text = Array.from({ length: 60 }, (_, at) => `- step ${at + 1}`).join('\n');
  await ask(plan({ plan: text }));
  await keys(KEYS.pageDown);
  await sees(/rows (?:[5-9]|1\d) to \d+ of 60/);
  await keys('v', 'G');
  await sees('- step 60');
  await keys('q');
  await sees('1 Go on with this plan');
  expect(answers()).toEqual([]);
});

test('e opens the file of the plan in the editor; what is approved is what the file says then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-plan-'));
  const file = join(folder, 'plan.md');
  writeFileSync(file, 'first');
  const { ask, keys, sees, answer, terminal } = await terminalThatAsks({ env: { EDITOR: 'printf "other plan" >' } });
  await ask(plan({ plan: 'first', planFilePath: file }));
  await keys('e');
  await sees('the plan as you have changed it');
  expect(readFileSync(file, 'utf8')).toBe('other plan');
  expect(terminal.isEntered).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 330));
  await keys('2');
  expect(await answer()).toEqual({
    ...{ behavior: 'allow', updatedPermissions: setMode('default') },
    updatedInput: { plan: 'other plan', planFilePath: file },
  });
});

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'warm', preview: 'a { color: red }' },
    { label: 'Blue', description: 'cold' },
  ],
};
const parts = {
  question: 'Which parts?',
  header: 'Parts',
  multiSelect: true,
  options: [{ label: 'Head' }, { label: 'Foot' }, { label: 'Body' }],
};
const asks = (...questions: object[]) => ({ tool_name: 'AskUserQuestion', input: { questions } });

test('one question with one pick is answered by a digit', async () => {
  const { ask, keys, answer, sees } = await terminalThatAsks();
  const shown = await ask(asks(colour));
  expect(shown).toMatch(/Which colour\?\n❯ 1 Red {2}warm\s+│ a \{ color: red \}/);
  await keys('2');
  expect(await answer()).toEqual({
    behavior: 'allow',
    updatedInput: { questions: [colour], answers: { 'Which colour?': 'Blue' } },
  });
  await sees('✓ answered · Colour: Blue');
});

test('several questions are tabs: several picks, own words, and Enter at the end sends all', async () => {
  const { ask, keys, answer, answers, sees } = await terminalThatAsks();
  await ask(asks(colour, parts));
  await keys('3', 'green, please', KEYS.enter);
  await sees('Which parts?');
  await keys('1', '3', KEYS.left);
  await sees(/something else … {2}green, please/);
  await keys(KEYS.right, KEYS.enter);
  await sees(/Colour: green, please\n\s+Parts: Head, Body\n❯ Send these answers/);
  expect(answers()).toEqual([]);
  await keys(KEYS.enter);
  expect(await answer()).toEqual({
    behavior: 'allow',
    updatedInput: {
      questions: [colour, parts],
      answers: { 'Which colour?': 'green, please', 'Which parts?': 'Head, Body' },
    },
  });
});

test('Escape gives no answer', async () => {
  const { ask, keys, answer } = await terminalThatAsks();
  await ask(asks(colour));
  await keys(KEYS.esc);
  expect(await answer()).toEqual({ behavior: 'deny', message: 'The user gave no answer.' });
});

const form = {
  ...{ subtype: 'elicitation', mcp_server_name: 'shop', message: 'Your order' },
  property_order: ['name', 'count', 'gift', 'size'],
  requested_schema: {
    type: 'object',
    required: ['name', 'count'],
    properties: {
      size: { type: 'string', enum: ['S', 'M', 'L'], default: 'M' },
      name: { type: 'string', minLength: 2 },
      count: { type: 'integer', minimum: 1, maximum: 9 },
      gift: { type: 'boolean' },
    },
  },
};

test('a form has text, number, switch and choice, is checked while one types, and is sent whole', async () => {
  const { ask, keys, answer, answers, sees } = await terminalThatAsks();
  const shown = await ask(form);
  expect(shown).toMatch(/\? shop: a server asks\n\s+Your order\n❯ name \*:/);
  await keys('Jo', KEYS.enter, '12');
  await sees('may be at most 9');
  await keys(KEYS.enter, ' ', KEYS.enter, KEYS.right, KEYS.enter, KEYS.enter);
  await sees('count: may be at most 9');
  expect(answers()).toEqual([]);
  await keys(KEYS.backspace, KEYS.down, KEYS.down, KEYS.down, KEYS.enter);
  expect(await answer()).toEqual({ action: 'accept', content: { name: 'Jo', count: 1, gift: true, size: 'L' } });
});

test('a form is cancelled by Escape, and declined by its last answer', async () => {
  const { ask, keys, answer } = await terminalThatAsks();
  await ask(form);
  await keys(KEYS.esc);
  expect(await answer()).toEqual({ action: 'cancel' });
  await ask({ ...form, requested_schema: { type: 'object', properties: {} } });
  await keys(KEYS.down, KEYS.enter);
  expect(await answer(2)).toEqual({ action: 'decline' });
});

test('an address is opened by nothing but Enter on the answer that says so', async () => {
  const { ask, keys, answer, answers, sees } = await terminalThatAsks();
  const url = 'javascript:alert(1)';
  const shown = await ask({ subtype: 'elicitation', mcp_server_name: 's', message: 'Sign in', mode: 'url', url });
  expect(shown).toContain(`address: ${url}`);
  expect(shown).toContain('❯ 2 Decline');
  await keys('1');
  await sees('Arrow and enter open the address.');
  await keys(KEYS.up, KEYS.enter);
  await sees('Only http and https addresses are opened.');
  expect(answers()).toEqual([]);
  await keys(KEYS.down, KEYS.enter);
  expect(await answer()).toEqual({ action: 'decline' });
});
