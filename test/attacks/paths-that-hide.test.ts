import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { protectedPaths } from '../../src/permissions/paths.ts';
import { nodeRealPath } from '../../src/permissions/real-path.ts';
import { bash, edit, read, realPolicy, rules } from '../permissions/policy-for.ts';

const { base, cwd, policy } = realPolicy();
mkdirSync(join(cwd, 'secrets'), { recursive: true });
mkdirSync(join(cwd, 'out'));
mkdirSync(join(base, 'home/.heddle/cache'), { recursive: true });
mkdirSync(join(base, 'elsewhere/deep'), { recursive: true });
writeFileSync(join(cwd, 'secrets/key'), 'the secret');
symlinkSync('/proc/self/cwd/secrets/key', join(cwd, 'link'));
symlinkSync(join(base, 'home/.heddle/cache'), join(cwd, 'cache'));
symlinkSync(join(base, 'elsewhere/deep'), join(cwd, 'out/deep'));

describe('a deny rule holds for every name of a file', () => {
  const denying = {
    ...policy,
    mode: 'bypassPermissions' as const,
    deny: rules('Read(secrets/**)', 'Edit(secrets/**)'),
  };

  it.each([
    ['/proc/self/root', join(cwd, 'secrets/key')].join(''),
    '/proc/self/cwd/secrets/key',
    `/proc/${process.pid}/cwd/secrets/key`,
    `/proc/self/task/${process.pid}/cwd/secrets/key`,
    '/proc/sys/../self/cwd/secrets/key',
    '/dev/fd/../cwd/secrets/key',
    join(cwd, 'link'),
  ])('[R-8] %s', (path) => {
    expect(decide(read(path), denying)).toMatchObject({ behavior: 'deny', layer: 'deny-rule' });
    expect(decide(edit(path), denying).behavior).toBe('deny');
    expect(decide(bash(`cat ${path}`), denying).behavior).toBe('deny');
    expect(decide(bash(`cat < ${path}`), denying).behavior).toBe('deny');
  });

  it('[R-8] the root of a process is the root', () => {
    expect(readFileSync(`/proc/self/root${cwd}/secrets/key`, 'utf8')).toBe('the secret');
  });

  it.each([
    'cd -- secrets; cat key',
    'cat 0<secrets/key',
    'cat 0<>secrets/key',
    'cat <>secrets/key',
    "bash -c 'cat 0<secrets/key'",
    'c=cat; $c secrets/key',
    'shuf secrets/key',
    'iconv secrets/key',
  ])('[R-8] %s', (command) => {
    expect(decide(bash(command), denying).behavior).toBe('deny');
  });

  it.each([
    'cat /proc/cpuinfo',
    'cat /proc/self/status',
    'ls | cat /dev/stdin',
    'echo x > /dev/stderr',
    'cd -- out; ls',
    'cat out/x 2>/dev/null',
  ])('[R-6] but not for other files: %s', (command) => {
    expect(decide(bash(command), denying).behavior).toBe('allow');
  });
});

describe('`..` behind a link is where the link leads, not what stands before it', () => {
  it('[R-11] a redirection into the config home asks in every mode', () => {
    const guarded = {
      ...policy,
      mode: 'bypassPermissions' as const,
      protectedPath: protectedPaths({ configHome: join(base, 'home/.heddle'), realPath: nodeRealPath }),
    };
    expect(decide(bash('echo {} > cache/../settings.json'), guarded)).toMatchObject({ layer: 'protected-path' });
    expect(decide(bash('echo {} > out/../plain'), guarded).behavior).toBe('allow');
  });

  it('[R-9] an allow rule for a directory does not let a redirection leave it', () => {
    const allowing = { ...policy, allow: rules('Edit(out/**)', 'Read(out/**)') };
    expect(decide(bash('echo x > out/deep/../file'), allowing).behavior).toBe('ask');
    expect(decide(bash('cat < out/deep/../file'), allowing).behavior).toBe('ask');
    expect(decide(bash('echo x > out/file'), allowing).behavior).toBe('allow');
  });
});
