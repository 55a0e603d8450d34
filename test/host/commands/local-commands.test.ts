import { describe, expect, test } from 'vitest';
import { Ledger } from '../../../src/agent/ledger.ts';
import { COMMANDS } from '../../../src/host/commands/command-list.ts';
import {
  type CommandContext,
  LOCAL_COMMANDS,
  type LocalCommand,
  runLocalCommand,
} from '../../../src/host/commands/local-commands.ts';
import { HeddleError } from '../../../src/wire/errors.ts';

const MODEL = 'claude-sonnet-4-5-20250929';

describe('what a command says', () => {
  const ledger = new Ledger({ onUnknownModel: () => {} });
  const context: CommandContext = {
    model: MODEL,
    ledger,
    elapsedMs: 61_000,
    context: { tokens: 0, window: 200_000 },
    system: ['be brief'],
    tools: [],
    messages: [],
    commands: COMMANDS,
    memory: async () => [],
    setModel: async (name) => `the id of ${name}`,
    clear: async () => {},
    fork: async () => 'another-one',
  };
  const run = (name: string, args = '', changes: Partial<CommandContext> = {}) => {
    const command = LOCAL_COMMANDS.get(name) as LocalCommand;
    return runLocalCommand(command, args, { ...context, ...changes });
  };

  test('/help lists every command, as hosts get them', async () => {
    const { stream, text: help } = await run('help');
    expect(stream).toBe('stdout');
    for (const { name, description } of COMMANDS) {
      expect(help).toContain(`/${name}`);
      expect(help).toContain(description);
    }
  });

  test('/cost: what was spent, by model', async () => {
    expect((await run('cost')).text).toContain('No model was called yet');
    const spent = new Ledger({ onUnknownModel: () => {} });
    spent.add(MODEL, { input_tokens: 100_000, output_tokens: 0 });
    const { text: report } = await run('cost', '', { ledger: spent });
    expect(report).toContain('$0.3000');
    expect(report).toContain('61.0 s');
    expect(report).toContain(`${MODEL}: 100000 in, 0 out`);
  });

  test('/context: how full the window is, counted or estimated', async () => {
    const counted = await run('context', '', { context: { tokens: 50_000, window: 200_000 } });
    expect(counted.text).toContain(`${MODEL}: 50000 of 200000 tokens (25.0 %)`);
    expect(counted.text).toMatch(/Free +150000/);
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x'.repeat(4000) }] }];
    const estimated = await run('context', '', { messages });
    expect(estimated.text).toMatch(/Messages +about 10\d\d/);
    expect(estimated.text).toMatch(/: 10\d\d of 200000 tokens/);
    const over = await run('context', '', { context: { tokens: 300_000, window: 200_000 } });
    expect(over.text).toMatch(/Free +0$/);
  });

  test('/model: the model, or another from now on', async () => {
    expect((await run('model')).text).toContain(MODEL);
    expect((await run('model', 'opus')).text).toContain('the id of opus');
  });

  test('what the user can mend goes to stderr; a fault of ours is thrown', async () => {
    const refuse = (error: Error) => ({ setModel: () => Promise.reject(error) });
    expect(await run('model', 'x', refuse(new HeddleError('not_supported', 'no such model')))).toEqual({
      stream: 'stderr',
      text: 'Error: no such model',
    });
    await expect(run('model', 'x', refuse(new Error('a bug')))).rejects.toThrow('a bug');
  });
});
