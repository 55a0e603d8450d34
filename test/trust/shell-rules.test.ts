import { expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { bash, policyFor, rules } from '../permissions/policy-for.ts';
import { shellAttacks } from '../support/shell-attacks.ts';
import { makeShims } from '../support/shims.ts';
import { batches } from './size.ts';

const { bin, cwd, fires } = makeShims(['zap', 'tool push']);
const attacks = [
  ...shellAttacks({ name: 'zap', args: 'x', bin }),
  ...shellAttacks({ name: 'tool', args: 'push x', bin }),
];
const denying = policyFor({ cwd, mode: 'bypassPermissions', deny: rules('Bash(zap:*)', 'Bash(tool push:*)') });
const allowing = policyFor({ cwd, allow: rules('Bash(echo:*)', 'Bash(cat:*)', 'Bash(cd:*)', 'Bash(printf:*)') });

test.each(batches(attacks.length, 20_000))(
  '[R-2] [R-3] [R-4] attacks $from to $to run neither against a deny rule nor by a rule for something else',
  ({ from, to }) => {
    const passed = attacks.slice(from, to).filter((command) => {
      const call = bash(command);
      return decide(call, denying).behavior !== 'deny' || decide(call, allowing).behavior === 'allow';
    });
    expect(passed.filter((command) => fires(command))).toEqual([]);
  },
);
