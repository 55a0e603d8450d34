import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from '../permissions/policy-for.ts';
import { seededRandom } from '../support/fuzz.ts';
import { sampleOf, shellAttacks } from '../support/shell-attacks.ts';
import { makeShims } from '../support/shims.ts';

const { bin, cwd, fires } = makeShims(['zap', 'tool push']);
const plain = shellAttacks({ name: 'zap', args: 'x', bin });
const attacks = [...plain, ...shellAttacks({ name: 'tool', args: 'push x', bin })];
const denying = policyFor({ cwd, mode: 'bypassPermissions', deny: rules('Bash(zap:*)', 'Bash(tool push:*)') });
const allowing = policyFor({
  cwd,
  allow: rules('Bash(echo:*)', 'Bash(true)', 'Bash(cat:*)', 'Bash(cd:*)', 'Bash(git --version)'),
});

describe('command lines made to get around rules', () => {
  it('the ways to run a command do run it', () => {
    const tried = sampleOf(plain, 60, seededRandom(1));
    const fired = tried.filter((command) => fires(command));
    expect(fired.length / tried.length, 'otherwise the tests below prove little').toBeGreaterThan(0.6);
  });

  it('[R-3] [R-4] [K44] none of them runs what a rule denies, not even in bypassPermissions', () => {
    const allowed = sampleOf(attacks, 2500, seededRandom(2)).filter(
      (command) => decide(bash(command), denying).behavior !== 'deny',
    );
    expect(allowed.filter((command) => fires(command))).toEqual([]);
    // What is let through, because it cannot run the denied command, is the exception.
    expect(allowed.length).toBeLessThan(250);
  });

  it('[R-1] [R-2] none of them runs because of rules for other commands', () => {
    const allowed = sampleOf(attacks, 2500, seededRandom(3)).filter(
      (command) => decide(bash(command), allowing).behavior === 'allow',
    );
    expect(allowed.filter((command) => fires(command))).toEqual([]);
    expect(allowed.length).toBeLessThan(100);
  });
});
