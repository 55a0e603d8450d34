import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { GUARD_MS, KEYS, terminalThatAsks } from './ask-in-terminal.ts';

const rule = (ruleContent: string, destination = 'session') => ({
  ...{ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent }], behavior: 'allow', destination },
});
const bash = (command: string, more: JsonObject = {}): JsonObject => ({
  ...{ tool_name: 'Bash', input: { command }, title: `Heddle wants to run: ${command}` },
  permission_suggestions: [rule(command)],
  ...more,
});

test('[TUI-42] the answers name the very rule and the file where it is kept', async () => {
  const { ask, keys, answer, sees } = await terminalThatAsks();
  const shown = await ask(bash('npm test', { description: 'No rule allows it. To allow it: --allowed-tools x' }));
  expect(shown).toContain('Heddle wants to run: npm test');
  expect(shown).toContain('why: No rule allows it.');
  expect(shown).not.toContain('--allowed-tools');
  expect(shown).toMatch(/❯ 1 Yes, this once\n/);
  expect(shown).toMatch(/2 Yes, and for this session: {2}Bash\(npm test\)\n/);
  expect(shown).toContain('3 Yes, and always in this project:  the same → .claude/settings.local.json');
  expect(shown).toContain('4 Yes, and always for me:  the same → settings.json of the config home');
  expect(shown).toMatch(/5 No\n\s+6 No, and say what to do instead …/);
  await keys('3');
  expect(await answer()).toEqual({ behavior: 'allow', updatedPermissions: [rule('npm test', 'localSettings')] });
  await sees('✓ rule Bash(npm test) → .claude/settings.local.json · Bash npm test');
});

test.each([
  ['1', { behavior: 'allow' }, '✓ allowed once · Bash npm test'],
  ['2', { behavior: 'allow', updatedPermissions: [rule('npm test')] }, '✓ rule Bash(npm test) for this session'],
  ['4', { behavior: 'allow', updatedPermissions: [rule('npm test', 'userSettings')] }, '→ settings.json of the config'],
  ['5', { behavior: 'deny', message: 'The user said no to this call.' }, '✗ denied · Bash npm test'],
])('[TUI-42] the digit %s answers', async (digit, body, row) => {
  const { ask, keys, answer, sees } = await terminalThatAsks();
  await ask(bash('npm test'));
  await keys(digit);
  expect(await answer()).toEqual(body);
  await sees(row);
});

test('[TUI-41] letters never answer, Enter takes what is selected, and only after an arrow where approval is risky', async () => {
  const { ask, keys, answer, answers, sees } = await terminalThatAsks();
  const shown = await ask(bash('rm -r x', { default_to_no: true }));
  expect(shown).toMatch(/❯ 5 No\n/);
  await keys('y', 'n', 'x', '1');
  await sees('Arrow and enter approve this one.');
  expect(answers()).toEqual([]);
  await keys(KEYS.up, KEYS.up, KEYS.up, KEYS.up);
  await sees('❯ 1 Yes, this once');
  await keys(KEYS.enter);
  expect(await answer()).toEqual({ behavior: 'allow' });
});

test('[TUI-41] a key in the first 300 ms does nothing, and one that was typed into the editor stays there', async () => {
  const rig = await terminalThatAsks();
  rig.terminal.type('a');
  await rig.sees('❯ a');
  await rig.send({ type: 'control_request', request_id: 'q-1', request: { subtype: 'can_use_tool', ...bash('ls') } });
  await rig.sees('tab answers');
  await rig.keys('1', KEYS.enter);
  await vi.waitFor(() => expect(rig.received.filter(({ type }) => type === 'user')).toHaveLength(2));
  expect(rig.received.findLast(({ type }) => type === 'user')).toMatchObject({ message: { content: 'a1' } });
  expect(rig.answers()).toEqual([]);
  await rig.sees('shift+tab: back');
  await rig.keys('5');
  expect(await rig.answer()).toMatchObject({ behavior: 'deny' });
});

test('[TUI-41] the next question ignores what was meant for the one before', async () => {
  const rig = await terminalThatAsks();
  const shown = await rig.ask(bash('one'), bash('two'));
  expect(shown).toMatch(/Bash {2}1 of 2/);
  rig.terminal.type('1');
  await rig.sees('run: two');
  rig.terminal.type('1');
  await new Promise((resolve) => setTimeout(resolve, GUARD_MS));
  expect(rig.answers()).toHaveLength(1);
  await rig.keys('5');
  expect(await rig.answer(2)).toMatchObject({ behavior: 'deny' });
});

test('[TUI-41] a paste answers nothing', async () => {
  const { ask, terminal, answers, sees } = await terminalThatAsks();
  await ask(bash('ls'));
  terminal.type('\x1b[200~1\r1\r\x1b[201~');
  await sees(/❯ 1\n {2}1/);
  expect(answers()).toEqual([]);
});

test('[TUI-41] with terminal.letterAnswers y and n answer; a project cannot set it', async () => {
  const of = (source: string) => ({
    get_settings: () => ({ effective: {}, sources: [{ source, settings: { terminal: { letterAnswers: true } } }] }),
  });
  const mine = await terminalThatAsks({ answers: of('userSettings') });
  await mine.ask(bash('ls'));
  await mine.keys('y');
  expect(await mine.answer()).toEqual({ behavior: 'allow' });
  const theirs = await terminalThatAsks({ answers: of('projectSettings') });
  await theirs.ask(bash('ls'));
  await theirs.keys('y');
  expect(theirs.answers()).toEqual([]);
});

test('[TUI-43] Escape denies the call; with terminal.escDeny it ends the turn, too', async () => {
  const usual = await terminalThatAsks();
  await usual.ask(bash('ls'));
  await usual.keys(KEYS.esc);
  expect(await usual.answer()).toEqual({ behavior: 'deny', message: 'The user said no to this call.' });
  const sources = [{ source: 'userSettings', settings: { terminal: { escDeny: 'interrupt' } } }];
  const other = await terminalThatAsks({ answers: { get_settings: () => ({ sources }) } });
  await other.ask(bash('ls'));
  await other.keys(KEYS.esc);
  expect(await other.answer()).toMatchObject({ behavior: 'deny', interrupt: true });
});

test('[TUI-42] a remark goes with a denial to the model, and with an approval as a prompt', async () => {
  const rig = await terminalThatAsks();
  await rig.ask(bash('rm x'));
  await rig.keys('6', 'use git rm', KEYS.enter);
  expect(await rig.answer()).toEqual({
    behavior: 'deny',
    message: 'The user said no to this call. What to do instead: use git rm',
  });
  await rig.sees('✗ denied · Bash rm x: use git rm');
  await rig.ask(bash('ls'));
  await rig.keys(KEYS.tab, 'only once', KEYS.enter);
  expect(await rig.answer(2)).toEqual({ behavior: 'allow' });
  await vi.waitFor(() =>
    expect(rig.received.findLast(({ type }) => type === 'user')).toMatchObject({
      ...{ message: { content: 'only once' }, priority: 'next' },
    }),
  );
});

test('[TUI-42] e edits the rule: what it would cover shows at once, and one that does not cover the call is refused', async () => {
  const explain_permission = ({ updates }: JsonObject) => {
    const text = JSON.stringify(updates);
    return /npm test:\*|"npm test -- -w"/.test(text) ? { behavior: 'allow' } : { behavior: 'ask', reason: 'no rule' };
  };
  const rig = await terminalThatAsks({ answers: { explain_permission } });
  await rig.ask(bash('npm test -- -w'));
  await rig.keys('e');
  await rig.sees('rule: Bash(npm test:*)');
  await rig.sees('everything that begins with the words npm test · covers this call');
  await rig.keys(KEYS.ctrlU, 'Bash(npm run:*)');
  await rig.sees('does not cover this call: no rule');
  await rig.keys(KEYS.enter);
  await rig.sees('A rule has to cover this call.');
  await rig.keys(KEYS.ctrlU, 'Bash(npm test:*)');
  await rig.sees('· covers this call');
  await rig.keys(KEYS.enter);
  await rig.sees(/❯ 2 Yes, and for this session: {2}Bash\(npm test:\*\)/);
  expect(rig.answers()).toEqual([]);
  await rig.keys(KEYS.enter);
  expect(await rig.answer()).toEqual({ behavior: 'allow', updatedPermissions: [rule('npm test:*')] });
});

test('[TUI-42] no rule is offered that would not answer the next time, and the rule that asks is named', async () => {
  const { ask, keys, answer } = await terminalThatAsks();
  const shown = await ask(
    bash('git push', {
      suppress_always_allow_rule: true,
      matched_ask_rule: { source: 'projectSettings', tool_name: 'Bash', rule_content: 'git push:*' },
    }),
  );
  expect(shown).toContain('a rule of .claude/settings.json asks for this each time: Bash(git push:*)');
  expect(shown).not.toContain('always in this project');
  expect(shown).toMatch(/1 Yes, this once\n\s+2 No\n\s+3 No, and say/);
  await keys('1');
  expect(await answer()).toEqual({ behavior: 'allow' });
});

test('? explains the decision', async () => {
  const explain_permission = () => ({ behavior: 'ask', layer: 'default', reason: 'No rule allows it.' });
  const { ask, keys, sees } = await terminalThatAsks({ answers: { explain_permission } });
  await ask(bash('ls'));
  await keys('?');
  await sees(/decided by: default\n\s+because: No rule allows it\./);
});

test('[TUI-44] questions that the chosen rule answers, too, are answered with it and named; others stay', async () => {
  const asked: JsonObject[] = [];
  const explain_permission = (request: JsonObject) => {
    asked.push(request);
    return { behavior: (request.input as JsonObject).command === 'npm test' ? 'allow' : 'ask' };
  };
  const rig = await terminalThatAsks({ answers: { explain_permission } });
  await rig.ask(bash('npm test'), bash('npm test'), bash('rm x'), bash('npm test', { default_to_no: true }));
  await rig.keys('2');
  expect(await rig.answer(1)).toEqual({ behavior: 'allow', updatedPermissions: [rule('npm test')] });
  expect(await rig.answer(2)).toEqual({ behavior: 'allow' });
  await rig.sees('✓ allowed by the same rule · Bash npm test');
  expect(await rig.sees('run: rm x')).toMatch(/1 of 2/);
  expect(rig.answers()).toHaveLength(2);
  expect(asked).toContainEqual(expect.objectContaining({ updates: [rule('npm test')] }));
});

test('[TUI-45] a withdrawn question leaves a row that says who', async () => {
  const { ask, send, sees, terminal, answers } = await terminalThatAsks();
  await ask(bash('ls'));
  await send({ type: 'control_cancel_request', request_id: 'q-1' });
  await sees('✗ withdrawn by the session · Bash ls');
  expect(await terminal.shown()).not.toContain('Yes, this once');
  expect(answers()).toEqual([]);
});

test('[TUI-45] a question that another host has answered names that host', async () => {
  const { ask, send, sees, answers } = await terminalThatAsks();
  await ask(bash('ls'));
  await send({ type: 'control_cancel_request', request_id: 'q-1', answered_by: 'ada, process 7 on loom' });
  await sees('\u2713 answered by ada, process 7 on loom \u00b7 Bash ls');
  expect(answers()).toEqual([]);
});

test('[TUI-40, TUI-94] an agent’s question has its name; what the model wrote is escaped, and stands behind a colon', async () => {
  const { ask, send, terminal } = await terminalThatAsks();
  await send({
    ...{ type: 'system', subtype: 'task_started', task_id: 'a-7', task_type: 'local_agent', session_id: 's-1' },
    ...{ description: 'find the parser', subagent_type: 'Explore', tool_use_id: 't-0', uuid: 'u' },
  });
  const command = 'echo \x1b]52;c;eA==\x07hi\u202e\n? Bash\n❯ 1 Yes, this once';
  const shown = await ask(bash('', { agent_id: 'a-7', input: { command }, title: 'Heddle wants to run what is long' }));
  expect(shown).toContain('? find the parser · Bash');
  expect(shown).toContain('  echo \\u{1b}]52;c;eA==\\u{7}hi\\u{202e}');
  // The real answers begin at the left edge; the model's text is indented.
  expect(shown.match(/^❯ 1 Yes, this once/gm)).toHaveLength(1);
  expect(terminal.emulator.effects).toEqual([]);
});
