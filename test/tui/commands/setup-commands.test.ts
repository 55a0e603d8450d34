import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../app/open-terminal.ts';

const initialize = () => ({
  commands: [
    { name: 'compact', description: 'a summary', argumentHint: '' },
    { name: 'review', description: 'reviews', argumentHint: '', aliases: ['look-at'] },
  ],
});

async function open({ answers = {}, ...options }: NonNullable<Parameters<typeof openTerminal>[0]> = {}) {
  const rig = await openTerminal({ size: { columns: 100, rows: 40 }, answers: { initialize, ...answers }, ...options });
  const requests = (subtype: string) =>
    rig.received.flatMap(({ request }) =>
      (request as JsonObject)?.subtype === subtype ? [request as JsonObject] : [],
    );
  const prompts = () => rig.received.filter(({ type }) => type === 'user').map(({ message }) => message);
  return { ...rig, requests, prompts };
}

test('/status tells what the session is', async () => {
  const { terminal, send, sees } = await open();
  await send({
    ...{
      type: 'system',
      subtype: 'init',
      session_id: 's-77',
      model: 'sonnet',
      permissionMode: 'plan',
      cwd: '/project',
    },
    ...{ heddle_version: '1.2.3', apiKeySource: 'ANTHROPIC_API_KEY', slash_commands: ['compact'] },
    mcp_servers: [{ name: 'files', status: 'connected' }],
    sandbox: { enabled: true, provider: 'bubblewrap', network: 'allow-list' },
    trust: { trusted: false, ignored: ['.mcp.json'] },
  });
  await sees('sonnet');
  terminal.type('/status\r');
  const shown = await sees(/trust +the project is not trusted; left out: \.mcp\.json/);
  expect(shown).toMatch(/version +1\.2\.3\n.*session +s-77\n.*model +sonnet\n.*mode +plan\n.*directory +\/project/);
  expect(shown).toMatch(/key +ANTHROPIC_API_KEY\n.*servers +files \(connected\)\n.*bubblewrap · network allow-list/);
});

test('/keys lists the keys in force; /add-dir, /thinking and alt+t ask the session', async () => {
  const { terminal, sees, requests } = await open({ size: { columns: 100, rows: 120 }, cwd: process.cwd() });
  terminal.type('/keys\r');
  expect(await sees('tree:diff')).toMatch(
    /Global\n {2}ctrl\+c +app:interrupt[\s\S]*ctrl\+j, shift\+enter, alt\+enter +chat:newline/,
  );
  terminal.type('/add-dir src/none\r');
  await sees('There is no directory src/none.');
  terminal.type('/add-dir src/tui\r');
  await sees('src/tui is a working directory of this session now.');
  expect(requests('update_permissions')).toEqual([
    {
      subtype: 'update_permissions',
      updates: [{ type: 'addDirectories', directories: ['src/tui'], destination: 'session' }],
    },
  ]);
  terminal.type('\x1bt');
  await sees('Thinking is on');
  terminal.type('\x1bt');
  await sees('Thinking is off');
  terminal.type('/thinking 5000\r');
  await sees('up to 5000 tokens');
  terminal.type('/thinking much\r');
  await sees('takes on, off, or a number of tokens');
  const budgets = requests('set_max_thinking_tokens').map(({ max_thinking_tokens: tokens }) => tokens);
  expect(budgets).toEqual([32_000, 0, 5000]);
});

test('/plan sets the mode, then sends the task', async () => {
  const { terminal, sees, requests, prompts } = await open();
  terminal.type('/plan\r');
  await sees('The mode is plan.');
  expect(prompts()).toEqual([]);
  terminal.type('/plan move the parser\r');
  await sees('❯ move the parser');
  expect(requests('set_permission_mode')).toHaveLength(2);
  expect(prompts()).toEqual([{ role: 'user', content: 'move the parser' }]);
});

test('a command that nobody has is not sent; those of the session, their other names, and paths are', async () => {
  const { terminal, sees, prompts } = await open();
  terminal.type('/stats\r');
  await sees('There is no /stats here. Did you mean /status?');
  expect(prompts()).toEqual([]);
  for (const text of ['/review x', '/look-at y', '/etc/hosts is odd']) {
    terminal.type(`${text}\r`);
    await vi.waitFor(() => expect(prompts().at(-1)).toEqual({ role: 'user', content: text }));
  }
  const silent = await open({ answers: { initialize: () => ({ commands: [] }) } });
  silent.terminal.type('/stats\r');
  await vi.waitFor(() => expect(silent.prompts()).toHaveLength(1));
});

const said = (role: 'user' | 'assistant', uuid: string, text: string): JsonObject => ({
  ...{ type: role, uuid, session_id: 's', parent_tool_use_id: null },
  message: { id: uuid, role, content: role === 'user' ? text : [{ type: 'text', text }] },
});

test('[TUI-19] /redraw n prints the last turns again under a rule, and clears nothing', async () => {
  const pages = [
    [said('user', 'u3', 'third'), said('assistant', 'a3', 'answer three')],
    [
      said('user', 'u1', 'first'),
      said('assistant', 'a1', 'one'),
      said('user', 'u2', 'second'),
      said('assistant', 'a2', 'answer two'),
    ],
  ];
  const session_messages = ({ before }: JsonObject): JsonObject =>
    before === undefined
      ? { messages: pages[0] ?? [], total: 6, before: 'u3' }
      : { messages: pages[1] ?? [], total: 6 };
  const { terminal, sees } = await open({ answers: { session_messages } });
  terminal.type('/redraw 2\r');
  const shown = await sees('answer three');
  expect(shown).toMatch(/── the last 2 turns again ──\n\n❯ second\n\nanswer two\n\n❯ third\n\nanswer three/);
  expect(shown).toContain('heddle 1.2.3');
  expect(shown).not.toContain('first');
  terminal.type('/redraw x\r');
  await sees('takes how many turns');
});
