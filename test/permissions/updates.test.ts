import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { applyAs, applyUpdate } from '../../src/permissions/updates.ts';
import { bash, edit, policyFor, read, rules } from './policy-for.ts';

const session = 'session' as const;

describe('applyUpdate', () => {
  it('[PRM-07] addRules makes a rule effective', () => {
    const before = policyFor();
    const after = applyUpdate(before, {
      type: 'addRules',
      rules: [{ toolName: 'Bash', ruleContent: 'npm test' }],
      behavior: 'allow',
      destination: session,
    });
    expect(decide(bash('npm test'), before).behavior).toBe('ask');
    expect(decide(bash('npm test'), after).behavior).toBe('allow');
    expect(before.allow).toEqual([]);
  });

  it('[PRM-08] replaceRules replaces only rules of its own destination', () => {
    const deny = [
      ...rules('WebFetch'),
      { toolName: 'Read', source: 'userSettings' },
      { toolName: 'Edit', source: session },
    ];
    const after = applyUpdate(policyFor({ deny }), {
      type: 'replaceRules',
      rules: [{ toolName: 'Write' }],
      behavior: 'deny',
      destination: session,
    });
    expect(after.deny.map((rule) => rule.toolName)).toEqual(['WebFetch', 'Read', 'Write']);
  });

  it('[PRM-09] removeRules makes the call ask again, but lifts no rule of another destination', () => {
    const added = [{ toolName: 'Bash', ruleContent: 'npm test', source: session }];
    const removal = {
      type: 'removeRules',
      rules: [{ toolName: 'Bash', ruleContent: 'npm test' }],
      destination: session,
    } as const;
    const after = applyUpdate(policyFor({ allow: added }), {
      ...removal,
      rules: [...removal.rules],
      behavior: 'allow',
    });
    expect(decide(bash('npm test'), after).behavior).toBe('ask');
    const denied = policyFor({ deny: [{ toolName: 'Bash', ruleContent: 'npm test', source: 'userSettings' }] });
    expect(applyUpdate(denied, { ...removal, rules: [...removal.rules], behavior: 'deny' }).deny).toHaveLength(1);
  });

  it('adds the same rule once', () => {
    const update = { type: 'addRules', rules: [{ toolName: 'Read' }], behavior: 'ask', destination: session } as const;
    const add = { ...update, rules: [...update.rules] };
    expect(applyUpdate(applyUpdate(policyFor(), add), add).ask).toHaveLength(1);
  });

  it('[PRM-13] refuses a rule that is none', () => {
    const update = { type: 'addRules', behavior: 'allow', destination: session } as const;
    for (const rule of [{ toolName: 'B@sh' }, { toolName: 'Bash', ruleContent: ' ' }]) {
      expect(() => applyUpdate(policyFor(), { ...update, rules: [rule] })).toThrow(
        expect.objectContaining({ code: 'invalid_option' }),
      );
    }
  });

  it('[PRM-10] setMode changes the mode, manual meaning default', () => {
    const policy = policyFor({ mode: 'plan' });
    expect(applyUpdate(policy, { type: 'setMode', mode: 'acceptEdits', destination: session }).mode).toBe(
      'acceptEdits',
    );
    expect(applyUpdate(policy, { type: 'setMode', mode: 'manual', destination: session }).mode).toBe('default');
  });

  it('[PRM-18] [K4] refuses bypassPermissions unless it was permitted at launch', () => {
    const update = { type: 'setMode', mode: 'bypassPermissions', destination: session } as const;
    expect(applyUpdate(policyFor({ bypassAllowed: true }), update).mode).toBe('bypassPermissions');
    expect(() => applyUpdate(policyFor({ bypassAllowed: false }), update)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
  });

  it('[PRM-11] [PRM-12] addDirectories grants and removeDirectories revokes', () => {
    const granted = applyUpdate(policyFor(), {
      type: 'addDirectories',
      directories: ['/data', '../lib'],
      destination: session,
    });
    expect(granted.roots).toEqual(['/project', '/data', '/lib']);
    expect(decide(read('/data/a'), granted).behavior).toBe('allow');
    const revoked = applyUpdate(granted, { type: 'removeDirectories', directories: ['/data'], destination: session });
    expect(decide(read('/data/a'), revoked).behavior).toBe('ask');
  });

  it('[PRM-11] a directory below the home is written as in the settings', () => {
    const update = { type: 'addDirectories', directories: ['~/data', '~', '~other'], destination: session } as const;
    const granted = applyUpdate(policyFor({ home: '/home/user' }), {
      ...update,
      directories: ['~/data', '~', '~other'],
    });
    expect(granted.roots).toEqual(['/project', '/home/user/data', '/home/user', '/project/~other']);
  });

  it('[PRM-09] an update in the name of another source changes the rules of that one only', () => {
    const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
    const update = { type: 'addRules', behavior: 'deny', rules, destination: 'userSettings' } as const;
    const held = applyAs(applyUpdate(policyFor(), update), { update: { ...update, rules }, source: 'kept' });
    expect(held.deny.map(({ source }) => source)).toEqual(['userSettings', 'kept']);
    const removed = applyAs(held, { update: { ...update, type: 'replaceRules', rules: [] }, source: 'kept' });
    expect(removed.deny.map(({ source }) => source)).toEqual(['userSettings']);
  });

  it('keeps the working directory, and refuses a directory that leads nowhere known', () => {
    const remove = { type: 'removeDirectories', directories: ['.'], destination: session } as const;
    const invalid = expect.objectContaining({ code: 'invalid_option' });
    expect(() => applyUpdate(policyFor(), { ...remove, directories: ['.'] })).toThrow(invalid);
    const add = { type: 'addDirectories', directories: ['/x'], destination: session } as const;
    expect(() => applyUpdate(policyFor({ realPath: () => null }), { ...add, directories: ['/x'] })).toThrow(invalid);
  });

  it('[PRM-03] [PRM-15] the suggestions of an ask, applied, let the same call pass', () => {
    for (const call of [
      edit('/project/a'),
      edit('/data/a'),
      read('/data/a'),
      bash('touch a'),
      bash('npm test | tail'),
    ]) {
      const policy = policyFor();
      const decision = decide(call, policy);
      if (decision.behavior !== 'ask') throw new Error('expected an ask');
      expect(decision.suggestions.length).toBeGreaterThan(0);
      expect(decide(call, decision.suggestions.reduce(applyUpdate, policy)).behavior).toBe('allow');
    }
  });
});

it.each(['removeRules', 'replaceRules', 'addRules'] as const)(
  '[PRM-09] %s lifts no deny rule of the launch',
  (type) => {
    const launched = rules('Bash(touch:*)').map((rule) => ({ ...rule, source: 'cliArg', where: '--disallowedTools' }));
    const rule = { toolName: 'Bash', ruleContent: 'touch:*' };
    for (const destination of ['cliArg', 'session'] as const) {
      const update = { type, behavior: 'deny', rules: type === 'replaceRules' ? [] : [rule], destination } as const;
      const after = applyUpdate(policyFor({ mode: 'bypassPermissions', deny: launched }), update);
      expect(decide(bash('touch x'), after).behavior).toBe('deny');
    }
  },
);
