import { expect, test } from 'vitest';
import { readToolPolicies } from '../../../src/mcp/config/tool-policy.ts';

test('[B-199] what a configuration says of its tools: what cannot be read asks, a ceiling only narrows', () => {
  const read = (...entries: unknown[]) => readToolPolicies(entries);
  expect(read({ name: 'a', permission_policy: 'always_allow' })).toEqual([{ tool: 'a', behavior: 'allow' }]);
  expect(read({ name: 'a', permission_policy: 'always_ask' })).toEqual([{ tool: 'a', behavior: 'ask' }]);
  expect(read({ name: 'a', permission_policy: 'always_deny' })).toEqual([{ tool: 'a', behavior: 'deny' }]);
  expect(read({ name: 'a', permission_policy: 'sometimes' })).toEqual([{ tool: 'a', behavior: 'ask' }]);
  expect(read({ permission_policy: 'always_deny' }, 7, { name: 'a' })).toEqual([]);
  const capped = (org_max_permission: string) =>
    read({ name: 'a', permission_policy: 'always_allow', org_max_permission })?.[0]?.behavior;
  expect(['allow', 'ask', 'blocked', 'unheard of'].map(capped)).toEqual(['allow', 'ask', 'deny', 'ask']);
  expect(read({ name: 'a', org_max_permission: 'allow' })).toEqual([]);
  expect(readToolPolicies(undefined)).toBeNull();
  expect(readToolPolicies({ name: 'a' })).toBeNull();
});
