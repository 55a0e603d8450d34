import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { toolUse } from '../../src/testing/script.ts';
import { createHouse, resultsOf } from '../host/support.ts';
import { bash, realPolicy, rules } from '../permissions/policy-for.ts';

const { base, cwd, policy } = realPolicy({ mode: 'acceptEdits' });
const nest = join(cwd, 'nest');
mkdirSync(join(nest, 'own'), { recursive: true });
mkdirSync(join(cwd, '.git/hooks'), { recursive: true });
mkdirSync(join(cwd, 'secrets'));
symlinkSync(base, join(nest, 'out'));
symlinkSync(join(cwd, 'secrets'), join(nest, 'innocent'));

const judge = (command: string, shellCwd: string, changes: Partial<typeof policy> = {}) =>
  decide(bash(command), { ...policy, shellCwd, ...changes });

it('[R-9] what a command names is judged from where it will run, not from the working directory', () => {
  expect(judge('touch own/x', nest).behavior).toBe('allow');
  expect(judge('cat own/x', nest).behavior).toBe('allow');
  for (const command of ['touch out/x', 'cat out/x', 'rm -rf out/x', 'ls out', 'mv own/x out/x']) {
    expect(judge(command, cwd).behavior, `${command}, harmless where no such link is`).toBe('allow');
    expect(judge(command, nest).behavior, command).toBe('ask');
  }
});

it('[R-9, G6] nor does a protected place become open by entering it first', () => {
  for (const command of ['touch config', 'touch hooks/pre-commit', 'mv x hooks/pre-commit']) {
    expect(judge(command, join(cwd, '.git')).behavior, command).toBe('ask');
  }
});

it('[R-9] nor does a hidden one', () => {
  const deny = rules('Read(secrets/**)', 'Edit(secrets/**)');
  for (const command of ['cat key', 'rm key', 'head -n 1 key', 'cp key ../copy']) {
    expect(judge(command, join(cwd, 'secrets'), { deny }).behavior, command).toBe('deny');
  }
  expect(judge('cat innocent/key', nest, { deny }).behavior).toBe('deny');
  expect(judge('cat key', nest, { deny }).behavior).toBe('allow');
});

it('[R-9] the rules themselves stay relative to the working directory', () => {
  const deny = rules('Read(./own/**)');
  expect(judge('cat own/x', nest, { deny }).behavior).toBe('allow');
  expect(judge('cat own/x', cwd, { deny }).behavior).toBe('deny');
});

it('[R-9] the question says where', () => {
  expect(judge('touch out/x', nest)).toMatchObject({ behavior: 'ask', blockedPath: join(nest, 'out/x') });
});

it('[R-9] a session: cd in one call, a relative write in the next', async () => {
  const house = createHouse([
    toolUse('Bash', { command: 'cd nest' }, 'enter'),
    toolUse('Bash', { command: 'touch out/written' }, 'outside'),
    toolUse('Bash', { command: 'touch own-file' }, 'inside'),
    toolUse('Bash', { command: 'cat key' }, 'not-there'),
    toolUse('Bash', { command: 'cd ../secrets' }, 'enter-secrets'),
    toolUse('Bash', { command: 'cat key' }, 'hidden'),
    'done',
  ]);
  mkdirSync(join(house.dir, 'nest'));
  mkdirSync(join(house.dir, 'secrets'));
  writeFileSync(join(house.dir, 'secrets/key'), 'the secret');
  symlinkSync(join(house.dir, '..'), join(house.dir, 'nest/out'));
  const client = house.connect({
    permissionMode: 'acceptEdits',
    allowedTools: ['Bash(cd:*)'],
    disallowedTools: ['Read(secrets/**)'],
  });
  await client.ask('go');
  const contents = Object.fromEntries(resultsOf(client.lines).map((block) => [block.tool_use_id, block.content]));
  expect(contents.enter).toBe('');
  expect(contents.outside).toMatch(/needs permission/);
  expect(contents.inside).toBe('');
  expect(contents['not-there']).toMatch(/No such file/);
  expect(contents.hidden).toMatch(/denied.*Read\(secrets/);
  expect(JSON.stringify(client.lines)).not.toContain('the secret');
});
