import { expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { namesCalled } from '../../src/permissions/name-rules.ts';
import { parseRules } from '../../src/permissions/rules.ts';
import { policyFor } from './policy-for.ts';

test.each<[string, string, boolean]>([
  ['review', 'review', true],
  ['/review', 'review', true],
  ['review', 'review-all', false],
  ['rev', 'review', false],
  ['kit:*', 'kit:knit', true],
  ['kit:*', 'kit', true],
  ['kit *', 'kit', true],
  ['kit:*', 'kitchen', false],
  ['kit:knit', 'kit:knit', true],
  ['knit', 'kit:knit', false],
])('Skill(%s) and %s: %s', (content, name, expected) => {
  expect(namesCalled(content, name)).toBe(expected);
});

const call = (name: string, asks: boolean) => ({
  toolName: 'Skill',
  input: { skill: name },
  access: { kind: 'named' as const, name, asks },
});
const rules = (...texts: string[]) => parseRules(texts, 'userSettings').rules;

test('a skill that is only read is allowed, also while planning; one that asks for more is asked for', () => {
  expect(decide(call('a', false), policyFor({})).behavior).toBe('allow');
  expect(decide(call('a', false), policyFor({ mode: 'plan' })).behavior).toBe('allow');
  expect(decide(call('a', true), policyFor({ mode: 'plan' })).behavior).toBe('ask');
  expect(decide(call('a', true), policyFor({}))).toMatchObject({
    behavior: 'ask',
    suggestions: [{ type: 'addRules', rules: [{ toolName: 'Skill', ruleContent: 'a' }] }],
  });
});

test('a rule means just the skill that it names, in every mode', () => {
  const denied = policyFor({ mode: 'bypassPermissions', bypassAllowed: true, deny: rules('Skill(a)') });
  expect(decide(call('a', false), denied)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
  expect(decide(call('b', false), denied).behavior).toBe('allow');
  const allowed = policyFor({ allow: rules('Skill(a)') });
  expect(decide(call('a', true), allowed)).toMatchObject({ behavior: 'allow', layer: 'allow-rule' });
  expect(decide(call('b', true), allowed).behavior).toBe('ask');
  expect(decide(call('b', true), policyFor({ allow: rules('Skill') })).behavior).toBe('allow');
});
