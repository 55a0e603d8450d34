import { describe, expect, test } from 'vitest';
import { tool } from '../../../src/define/tool.ts';
import type { RunConfig } from '../../../src/wire/run-config.ts';
import { createHouse } from '../support.ts';

/** What a session says of its permissions when it is opened. */
async function notes(config: RunConfig): Promise<string[]> {
  const house = createHouse([]);
  await house.connect(config).end();
  return house.logs.filter(({ level }) => level === 'warn').map(({ message }) => message);
}

describe('a rule for a tool that does not exist', () => {
  test.each(['disallowedTools', 'allowedTools'] as const)(
    '%s: is said, with the name that was probably meant',
    async (list) => {
      expect(await notes({ [list]: ['Bashes(rm:*)', 'Edit(src/**)'] })).toEqual([
        `The rule Bashes(rm:*) (--${list}) matches nothing: there is no tool Bashes. Did you mean Bash?`,
      ]);
    },
  );

  test.each([
    ['tools', 'Bsh', 'Bash'],
    ['allowedTools', 'Bahs(ls)', 'Bash'],
    ['disallowedTools', 'bash', 'Bash'],
    ['disallowedTools', 'Thraed', 'thread'],
  ] as const)('[K51] %s: %s, one slip away from %s, starts nothing', async (list, rule, meant) => {
    const own = tool('thread', '', {}, () => '');
    const { stderr } = await createHouse([], { tools: [own] })
      .connect({ [list]: [rule] })
      .end();
    expect(stderr).toBe(`--${list} names the tool '${rule.replace(/\(.*/, '')}'; did you mean '${meant}'?`);
  });

  test('[K51] in files, a mistyped rule is said', async () => {
    const [note] = await notes({ settings: JSON.stringify({ permissions: { deny: ['Bahs'] } }) });
    expect(note).toMatch(/matches nothing: there is no tool Bahs. Did you mean Bash\?$/);
  });

  test('its text cannot act on a terminal', async () => {
    const [note] = await notes({ settings: JSON.stringify({ permissions: { ask: ['Nothing(\u001b[2K)'] } }) });
    expect(note).toContain('Nothing(\\u{1b}[2K)');
  });

  test.each(['Bash', 'MultiEdit(src/**)', 'Agent', 'mcp__any__tool', 'TaskCreate', 'WebSearch', 'AskUserQuestion'])(
    '%s is none',
    async (rule) => {
      expect(await notes({ disallowedTools: [rule] })).toEqual([]);
    },
  );
});

describe('[PRM-01, B-255] a host that wants to be asked', () => {
  const stdio = { permissionPromptTool: 'stdio' };

  test.each(['bypassPermissions', 'dontAsk'])('learns that the mode %s does not ask it', async (permissionMode) => {
    expect(await notes({ ...stdio, permissionMode })).toEqual([
      expect.stringContaining(`canUseTool will not be asked: the mode ${permissionMode}`),
    ]);
  });

  test('learns about which tools rules answer', async () => {
    expect(await notes({ ...stdio, allowedTools: ['Bash', 'Edit', 'Read(src/**)'] })).toEqual([
      'canUseTool will not be asked about Bash, Edit: allow rules cover every call (--allowedTools)',
    ]);
  });

  test('hears nothing when it will be asked', async () => {
    for (const config of [stdio, { ...stdio, permissionMode: 'plan', allowedTools: ['Bash'] }]) {
      expect(await notes(config)).toEqual([]);
    }
    expect(await notes({ permissionMode: 'dontAsk', allowedTools: ['Bash'] })).toEqual([]);
  });
});
