import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as heddle from '../../src/sdk/index.ts';
import { ROOT } from '../support/root.ts';

interface Name {
  in: string[];
  /** It is there at run time, too. */
  value?: true;
  /** Why it is not there. */
  missing?: string;
}

const names = JSON.parse(readFileSync(join(ROOT, 'test/types/reference-names.json'), 'utf8')) as Record<
  'sdk' | 'sdk-tools',
  Record<string, Name>
>;
const hosts = readFileSync(join(ROOT, 'test/types/reference-hosts.test-d.ts'), 'utf8');

describe('the names that the reference SDK exports', () => {
  test.each([
    ['sdk', 'heddle', 265, 112],
    ['sdk-tools', 'tools', 90, 20],
  ] as const)('[ARC-14] %s: each is exported, or missing with a reason', (part, prefix, today, then) => {
    const listed = Object.entries(names[part]);
    const count = (version: string) => listed.filter(([, { in: versions }]) => versions.includes(version)).length;
    expect([count('0.3.325'), count('0.2.44')]).toEqual([today, then]);
    const named = [...hosts.matchAll(new RegExp(`\\b${prefix}\\.(\\w+)`, 'g'))].map(([, name]) => name);
    const expected = listed.filter(([, { missing }]) => missing === undefined).map(([name]) => name);
    expect([...new Set(named)].sort()).toEqual(expected.sort());
    for (const [name, { missing }] of listed) expect(missing ?? 'there', name).not.toBe('');
  });

  test('[ARC-14] what can be called or read is there at run time', () => {
    const values = Object.entries(names.sdk).filter(([, { value, missing }]) => value && missing === undefined);
    expect(values.length).toBeGreaterThan(30);
    for (const [name] of values) expect(Object.hasOwn(heddle, name), name).toBe(true);
  });
});
