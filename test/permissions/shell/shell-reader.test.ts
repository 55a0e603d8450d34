import { expect, it } from 'vitest';
import { judge } from '../../../src/agent/calls/judge.ts';
import { createShellReader } from '../../../src/permissions/commands/shell-reader.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { parseShell, policyFor, rules, unreadBash } from '../policy-for.ts';

const said: string[] = [];
const log = (_level: string, message: string) => void said.push(message);

it('[R-3] the gate reads a command with the parser before it decides', async () => {
  const readCommand = createShellReader({ log });
  const policy = policyFor({ mode: 'bypassPermissions', deny: rules('Bash(rm:*)'), readCommand });
  expect(await judge(unreadBash('npm $x'), policy)).toMatchObject({ behavior: 'deny' });
  expect(await judge(unreadBash('echo "$x" > out.txt && npm test'), policy)).toEqual({
    behavior: 'allow',
    layer: 'mode',
  });
  expect(await judge(unreadBash('if true; then rm x; fi'), policy)).toMatchObject({ behavior: 'deny' });
  expect(said).toEqual([]);
});

it('plain commands do not load it', async () => {
  const readCommand = createShellReader({ log, load: () => Promise.reject(new Error('not now')) });
  const policy = policyFor({ allow: rules('Bash(npm test:*)'), readCommand });
  expect((await judge(unreadBash('npm test -- --watch | tail -5'), policy)).behavior).toBe('allow');
  expect(said).toEqual([]);
});

it('[K44] without it whatever is not plain is not known, which is said once', async () => {
  let loads = 0;
  const load = () => {
    loads++;
    return Promise.reject(new Error('tree-sitter-bash.wasm is missing'));
  };
  const readCommand = createShellReader({ log, load });
  const denying = policyFor({ mode: 'bypassPermissions', deny: rules('Bash(rm:*)'), readCommand });
  expect(await judge(unreadBash('npm test 2>&1'), denying)).toMatchObject({
    behavior: 'deny',
    reason: expect.stringMatching(/what reads shell commands cannot be loaded: tree-sitter-bash\.wasm is missing/),
  });
  const allowing = policyFor({ allow: rules('Bash(npm test:*)'), readCommand });
  expect(await judge(unreadBash('npm test 2>&1'), allowing)).toMatchObject({
    behavior: 'ask',
    reason: expect.stringMatching(/cannot be loaded: tree-sitter-bash\.wasm is missing/),
  });
  expect(loads).toBe(2); // it is tried again with every command
  expect(said).toEqual([expect.stringContaining('tree-sitter-bash.wasm is missing')]);
});

it('a parser that could not be loaded once is loaded for a later command', async () => {
  let loads = 0;
  const load = async () => {
    if (++loads === 1) throw new Error('EMFILE: too many open files');
    return parseShell;
  };
  const readCommand = createShellReader({ log, load });
  const allowing = policyFor({ allow: rules('Bash(npm test:*)'), readCommand });
  expect(await judge(unreadBash('npm test 2>&1'), allowing)).toMatchObject({ behavior: 'ask' });
  expect(await judge(unreadBash('npm test 2>&1'), allowing)).toMatchObject({ behavior: 'allow' });
  expect(await judge(unreadBash('npm test 2>&1'), allowing)).toMatchObject({ behavior: 'allow' });
  expect(loads).toBe(2);
});

it('[K44] what nobody has read counts as not known', () => {
  const policy = policyFor({ mode: 'bypassPermissions', deny: rules('Bash(rm:*)') });
  expect(decide(unreadBash('npm test 2>&1'), policy).behavior).toBe('deny');
  expect(decide(unreadBash('npm test'), policy).behavior).toBe('deny');
});
