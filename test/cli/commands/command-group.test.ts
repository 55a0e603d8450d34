import { expect, test } from 'vitest';
import { defineGroup } from '../../../src/cli/commands/command-group.ts';

const PARTS = {
  group: 'loom',
  about: 'Weaves.',
  notes: 'Each takes --help.',
  examples: ['loom weave'],
  exitCodes: '0 woven.',
};

test('the help of a group lists the commands that can be called, in their order and in one column', () => {
  const { actions, help } = defineGroup({
    ...PARTS,
    commands: {
      weave: { does: 'make cloth', load: async () => 'weaving' },
      'take-apart': { does: 'make threads', load: async () => 'taking' },
    },
  });
  expect(Object.keys(actions)).toEqual(['weave', 'take-apart']);
  expect(help).toBe(`Usage: heddle loom COMMAND …

Weaves.

  weave        make cloth
  take-apart   make threads

Each takes --help.

Examples:
  heddle loom weave

Exit codes: 0 woven.
`);
});

test('a command is loaded when it is called', async () => {
  const loaded: string[] = [];
  const load = async () => loaded.push('weave');
  const { actions } = defineGroup({ ...PARTS, commands: { weave: { does: 'make cloth', load } } });
  expect(loaded).toEqual([]);
  await actions.weave?.();
  expect(loaded).toEqual(['weave']);
});
