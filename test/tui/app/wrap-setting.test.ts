import { expect, test } from 'vitest';
import { openTerminal } from './open-terminal.ts';

const said = (text: string) => ({
  ...{ type: 'assistant', uuid: 'a1', session_id: 'the-session', parent_tool_use_id: null },
  message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text }] },
});

/** The emulator puts lines together again that it has broken itself, as a copy from a terminal does. */
test.each([
  ['word', /aaaaa bbbbb ccccc\nddddd/],
  ['terminal', /aaaaa bbbbb ccccc ddddd/],
])('terminal.wrap "%s" decides who breaks the lines of prose', async (wrap, shown) => {
  const { send, sees, app } = await openTerminal({
    size: { columns: 20, rows: 12 },
    answers: { get_settings: () => ({ sources: [{ source: 'userSettings', settings: { terminal: { wrap } } }] }) },
  });
  await expect.poll(() => app.context.leavesProse).toBe(wrap === 'terminal');
  await send(said('aaaaa bbbbb ccccc ddddd'));
  await sees(shown);
});
