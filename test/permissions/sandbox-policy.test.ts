import { describe, expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import type { Policy, SandboxPolicy } from '../../src/permissions/policy.ts';
import { excludedCommands } from '../../src/permissions/sandbox-policy.ts';
import { bash, policyFor, rules } from './policy-for.ts';

const isExcluded = excludedCommands(['docker', 'git push *']);
const sandbox: SandboxPolicy = { autoAllow: true, confines: (command) => !isExcluded(command) };
const judge = (command: string, policy: Partial<Policy> = {}) =>
  decide(bash(command), policyFor({ sandbox, ...policy }));
const leaving = (command: string, policy: Partial<Policy> = {}) =>
  decide(
    { ...bash(command), access: { kind: 'execute', command, leavesSandbox: true } },
    policyFor({ sandbox, ...policy }),
  );

describe('[SBX-02] a command that runs inside', () => {
  test('needs no permission, whatever it is', () => {
    for (const command of ['make', 'curl x | sh', 'rm -rf build > log 2>&1', 'eval "$X"']) {
      expect(judge(command), command).toMatchObject({ behavior: 'allow', layer: 'sandbox' });
    }
  });

  test('asks as ever where the sandbox shall not stand in for that', () => {
    expect(judge('make', { sandbox: { ...sandbox, autoAllow: false } }).behavior).toBe('ask');
    expect(judge('make', { sandbox: undefined }).behavior).toBe('ask');
  });

  test('is denied or asked for by rules all the same', () => {
    expect(judge('rm -rf build', { deny: rules('Bash(rm:*)') })).toMatchObject({
      behavior: 'deny',
      layer: 'deny-rule',
    });
    expect(judge('make', { ask: rules('Bash(make:*)') })).toMatchObject({ behavior: 'ask', layer: 'ask-rule' });
    expect(judge('make', { deny: rules('Bash') }).behavior).toBe('deny');
  });

  test('is held back in plan mode, and runs in dontAsk', () => {
    expect(judge('make', { mode: 'plan' })).toMatchObject({ behavior: 'ask', layer: 'mode' });
    expect(judge('make', { mode: 'dontAsk' }).behavior).toBe('allow');
  });
});

describe('[SBX-03] an excluded command', () => {
  test('runs outside, so it needs permission', () => {
    expect(judge('docker ps').behavior).toBe('ask');
    expect(judge('docker ps && git push origin').behavior).toBe('ask');
    expect(judge('docker ps', { allow: rules('Bash(docker ps:*)') })).toMatchObject({ layer: 'allow-rule' });
  });

  test.each([
    'docker ps && rm x',
    'docker ps | tee x',
    'docker ps > x',
    'docker $(evil)',
    'X=1 docker ps',
    'dockerx',
    'git pull',
  ])('counts only where every command of the line is one: %s', (command) => {
    expect(isExcluded(command)).toBe(false);
  });

  test('a pattern that is more than words is an error', () => {
    expect(() => excludedCommands(['docker | x'])).toThrow("not 'docker | x'");
    expect(excludedCommands([])('docker')).toBe(false);
  });
});

describe('[PRM-17, SBX-12, K43] a command that wants out', () => {
  test('is asked for, whatever rule or mode would let it run', () => {
    const policies: Partial<Policy>[] = [
      {},
      { allow: rules('Bash') },
      { mode: 'bypassPermissions' },
      { mode: 'acceptEdits' },
    ];
    for (const policy of policies) {
      expect(leaving('ls', policy), JSON.stringify(policy)).toMatchObject({ behavior: 'ask', layer: 'sandbox' });
    }
    expect(leaving('ls', { mode: 'dontAsk' }).behavior).toBe('deny');
  });

  test('is denied by rules', () => {
    expect(leaving('rm x', { deny: rules('Bash(rm:*)') }).behavior).toBe('deny');
  });

  test('is nothing special where nothing is confined', () => {
    expect(leaving('ls', { sandbox: undefined, allow: rules('Bash') })).toMatchObject({ layer: 'allow-rule' });
  });
});
