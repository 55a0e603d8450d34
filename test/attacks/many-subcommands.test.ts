import { expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from '../permissions/policy-for.ts';

it.each([51, 60, 200, 5000])('[R-3] a deny rule holds behind %i harmless commands', (count) => {
  const policy = policyFor({ mode: 'bypassPermissions', deny: rules('Bash(rm:*)') });
  for (const separator of ['; ', ' && ', ' || ', '\n']) {
    const chain = Array.from({ length: count }, () => 'true');
    expect(decide(bash([...chain, 'rm x'].join(separator)), policy).behavior).toBe('deny');
    expect(decide(bash(chain.join(separator)), policy).behavior).toBe('allow');
  }
});

it('[R-2] an allow rule does not reach past the commands it names, however many', () => {
  const policy = policyFor({ allow: rules('Bash(npm test:*)') });
  const chain = Array.from({ length: 200 }, () => 'npm test');
  expect(decide(bash(chain.join(' && ')), policy).behavior).toBe('allow');
  expect(decide(bash([...chain, 'npm publish'].join(' && ')), policy).behavior).toBe('ask');
});
