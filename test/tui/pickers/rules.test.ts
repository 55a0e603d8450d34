import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/util/json.ts';
import { openTerminal } from '../app/open-terminal.ts';

const RULES = [
  {
    behavior: 'deny',
    rule: 'Read(.env)',
    source: 'policySettings',
    editability: 'readonly',
    where: '/etc/managed.json',
  },
  {
    behavior: 'deny',
    rule: 'Bash(rm:*)',
    source: 'userSettings',
    editability: 'persistent',
    where: '/home/settings.json',
  },
  {
    behavior: 'allow',
    rule: 'Bash(ls:*)',
    source: 'session',
    editability: 'session',
    where: 'an update of this session',
  },
];

/** A session whose rules follow `update_permissions`. */
async function openRules(rules: readonly JsonObject[] = RULES) {
  let now = [...rules];
  const rig = await openTerminal({
    size: { columns: 100, rows: 24 },
    answers: {
      list_permission_rules: () => ({ state: { rules: now } }),
      update_permissions: ({ updates }) => {
        const [update] = updates as JsonObject[];
        if (update?.type === 'removeRules') now = now.filter(({ rule }) => rule !== 'Bash(rm:*)');
        return { mode: 'default' };
      },
      explain_permission: () => ({
        ...{ behavior: 'deny', layer: 'deny-rule', reason: 'A deny rule matches.' },
        ...{ rule: 'Bash(rm:*)', where: '/home/settings.json' },
      }),
    },
  });
  const asked = (subtype: string) =>
    rig.received.flatMap(({ request }) => ((request as JsonObject | undefined)?.subtype === subtype ? [request] : []));
  rig.terminal.type('/permissions\r');
  await rig.sees('Permission rules');
  return { ...rig, asked };
}

test('/permissions lists rules by scope with their file; removal asks first, and a managed rule stays', async () => {
  const { terminal, sees, asked } = await openRules();
  await sees(
    /❯ allow Bash\(ls:\*\) {2}session · an update.*\n {2}deny {2}Bash\(rm:\*\) {2}user · \/home\/settings\.json\n {2}deny {2}Read\(\.env\) {2}managed · \/etc/,
  );
  terminal.type('\x1b[F\r');
  await sees('It can only be changed where it stands: /etc/managed.json');
  terminal.type('\x1b[A\r');
  await sees(/Remove deny Bash\(rm:\*\) from \/home\/settings\.json\?.*\n❯ 1 No\n {2}2 Yes/);
  expect(asked('update_permissions')).toEqual([]);
  terminal.type('2');
  await sees('Removed: deny Bash(rm:*) · /home/settings.json');
  await sees(/Permission rules\s+· 2/);
  expect(asked('update_permissions')).toEqual([
    {
      subtype: 'update_permissions',
      updates: [
        {
          type: 'removeRules',
          rules: [{ toolName: 'Bash', ruleContent: 'rm:*' }],
          behavior: 'deny',
          destination: 'userSettings',
        },
      ],
    },
  ]);
});

test('ctrl+a adds a rule: its text, what it does, where it is kept', async () => {
  const { terminal, sees, asked } = await openRules([]);
  await sees('no rule; ctrl+a adds one');
  terminal.type('\x01');
  await sees('Rule, such as');
  terminal.type('Bash(npm test:*\r');
  await sees('This is no rule');
  await sees('Permission rules');
  terminal.type('\x01');
  await sees('Rule, such as');
  terminal.type('Bash(npm test:*)\r');
  await sees(/❯ 1 Ask each time .*everything that begins with the words npm test/);
  terminal.type('3');
  await sees(/❯ 1 This session\n {2}2 This project, for me {2}\.claude\/settings\.local\.json/);
  terminal.type('2');
  await sees('Added: allow Bash(npm test:*) · .claude/settings.local.json');
  expect(asked('update_permissions')).toEqual([
    {
      subtype: 'update_permissions',
      updates: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
          behavior: 'allow',
          destination: 'localSettings',
        },
      ],
    },
  ]);
});

test('ctrl+t tries a call, written as a rule or with JSON, and tells which rule decides', async () => {
  const { terminal, sees, asked } = await openRules();
  terminal.type('\x14');
  await sees('Call, such as');
  terminal.type('Bash(rm -r x)\r');
  await sees(/deny: Bash\(rm -r x\)\n {2}A deny rule matches\.\n {2}Bash\(rm:\*\) · \/home\/settings\.json/);
  await sees('Permission rules');
  terminal.type('\x14');
  await sees('Call, such as');
  terminal.type('mcp__a__b {"n": 1}\r');
  await sees('deny: mcp__a__b {"n": 1}');
  expect(asked('explain_permission')).toEqual([
    { subtype: 'explain_permission', tool_name: 'Bash', input: { command: 'rm -r x' } },
    { subtype: 'explain_permission', tool_name: 'mcp__a__b', input: { n: 1 } },
  ]);
});
