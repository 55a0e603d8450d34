import { expect, test, vi } from 'vitest';
import { system } from '../../view/lines.ts';
import { openTerminal } from './open-terminal.ts';

const agent = (id: string) =>
  system('task_started', {
    ...{ task_id: id, task_type: 'local_agent', subagent_type: 'Explore', description: `look at ${id}` },
    is_backgrounded: true,
  });
const todos = (statuses: readonly string[]) => [
  {
    ...{ type: 'assistant', uuid: 'a', session_id: 's', parent_tool_use_id: null },
    message: { id: 'm', role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'TodoWrite', input: {} }] },
  },
  {
    ...{ type: 'user', uuid: 'r', session_id: 's', parent_tool_use_id: null },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
    tool_use_result: {
      newTodos: statuses.map((status, at) => ({ content: `step ${at + 1}`, status, activeForm: `doing ${at + 1}` })),
    },
  },
];

test('[TUI-14] ctrl+t shows the todo list in five rows, from what is not done; and hides it', async () => {
  const { terminal, send, sees, app } = await openTerminal({ size: { columns: 80, rows: 30 } });
  terminal.type('\x14');
  await sees('There are no todos.');
  await send(...todos(['completed', 'completed', 'in_progress', 'pending', 'pending', 'pending', 'pending']));
  await vi.waitFor(() => expect(app.tracker.view.todos).toHaveLength(7));
  terminal.type('\x14');
  await sees(/todos · 2 of 7 done · ctrl\+t closes\n {2}◐ doing 3\n {2}○ step 4\n {2}○ step 5\n… 2 more\n/);
  terminal.type('\x14');
  await vi.waitFor(async () => expect(await terminal.shown()).not.toContain('ctrl+t closes'));
});

test('three agents that run beside the turn have rows, with what they do; the todo list takes their place', async () => {
  const { terminal, send, sees, app } = await openTerminal({ size: { columns: 80, rows: 30 } });
  await send(agent('one'), agent('two'), agent('three'), agent('four'));
  await send(
    system('task_progress', { task_id: 'one', last_tool_name: 'Read', usage: { tool_uses: 12, total_tokens: 4100 } }),
  );
  await sees(
    /◐ Explore look at one · 12 calls · Read · 4\.1k tokens\n◐ Explore look at two\n◐ Explore look at three\n {2}1 more \(\/tasks\)\n/,
  );
  await send(...todos(['pending']));
  await vi.waitFor(() => expect(app.tracker.view.todos).toHaveLength(1));
  terminal.type('\x14');
  expect(await sees('0 of 1 done')).not.toContain('look at one');
});
