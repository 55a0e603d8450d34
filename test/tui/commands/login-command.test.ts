import { expect, test, vi } from 'vitest';
import { openTerminal } from '../app/open-terminal.ts';

const problem = 'No model credentials were found: set ANTHROPIC_API_KEY, or try --model offline.\n- one way\n- another';
const READY = { commands: [], models: [], capabilities: [], account: { apiKeySource: 'none', problem } };

test('[TUI-02] a model without a key is told at the start; the prompt waits in the editor, and offline is a choice', async () => {
  const { terminal, sees, received } = await openTerminal({
    prompt: 'fix the bug',
    answers: { initialize: () => READY, set_model: () => ({ model: 'offline' }) },
  });
  const shown = await sees('No model credentials were found.');
  expect(shown).toContain('❯ fix the bug');
  expect(shown).not.toContain('Store a key'); // nothing here could ask for one
  expect(received.filter(({ type }) => type === 'user')).toEqual([]);
  terminal.type('1');
  await sees('The next answer comes from offline.');
  terminal.type('\r');
  await vi.waitFor(() =>
    expect(received.findLast(({ type }) => type === 'user')).toMatchObject({ message: { content: 'fix the bug' } }),
  );
});
