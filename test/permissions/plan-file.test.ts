import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, edit, policyFor, read, realPolicy, rules, write } from './policy-for.ts';

const PLAN = '/home/user/.heddle/plans/calm-weaving-willow.md';
const planFile = () => PLAN;
const planning = policyFor({ mode: 'plan', planFile });

describe("the session's plan", () => {
  test('[K4, TYP-04] may be written and read in plan mode, without a question', () => {
    expect(decide(write(PLAN), planning)).toEqual({ behavior: 'allow', layer: 'mode' });
    expect(decide(edit(PLAN), planning)).toEqual({ behavior: 'allow', layer: 'mode' });
    expect(decide(read(PLAN), planning)).toEqual({ behavior: 'allow', layer: 'default' });
  });

  test.each([
    ['a neighbour', '/home/user/.heddle/plans/other.md'],
    ['the folder', '/home/user/.heddle/plans'],
    ['a name that begins like it', `${PLAN}.sh`],
    ['the settings beside it', '/home/user/.heddle/settings.json'],
    ['a file of the project', '/project/a.txt'],
  ])('[G6] and nothing else: %s', (_, path) => {
    expect(decide(write(path), planning).behavior).toBe('ask');
    expect(decide(write(PLAN, path), planning).behavior).toBe('ask');
  });

  test.each(['default', 'acceptEdits', 'bypassPermissions'] as const)(
    '[G6] in %s it is asked for to write it',
    (mode) => {
      expect(decide(write(PLAN), policyFor({ mode, planFile }))).toMatchObject({ layer: 'protected-path' });
      expect(decide(read(PLAN), policyFor({ mode, planFile })).behavior).toBe('allow');
    },
  );

  test('a shell may not write it, and rules go before', () => {
    expect(decide(bash(`echo x > ${PLAN}`), planning).behavior).toBe('ask');
    const denied = { ...planning, deny: rules('Edit(//home/user/**)') };
    expect(decide(write(PLAN), denied)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
    const asked = { ...planning, ask: rules('Write') };
    expect(decide(write(PLAN), asked)).toMatchObject({ behavior: 'ask', layer: 'ask-rule' });
  });

  test('without a name yet there is none', () => {
    expect(decide(write(PLAN), { ...planning, planFile: () => null }).behavior).toBe('ask');
  });

  test('[G6] a symlink in its place does not open what it leads to', () => {
    const { base, policy } = realPolicy({ mode: 'plan' });
    const plans = join(base, 'home/plans');
    mkdirSync(plans, { recursive: true });
    writeFileSync(join(base, 'victim'), '');
    const plan = join(plans, 'a-b-c.md');
    const here = { ...policy, planFile: () => plan };
    expect(decide(write(plan), here).behavior).toBe('allow');
    symlinkSync(join(base, 'victim'), plan);
    expect(decide(write(plan), here).behavior).toBe('ask');
    expect(decide(write(join(base, 'victim')), here).behavior).toBe('ask');
  });
});
