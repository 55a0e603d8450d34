import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { firstIssue, kinds, oneOf, open, type Schema, word } from '../../src/wire/schema.ts';
import { ROOT } from '../support/root.ts';

function problem(schema: Schema<unknown>, value: unknown): string {
  const checked = schema.safeParse(value);
  return checked.success ? 'none' : firstIssue(checked.error);
}

test('[FWD-02] [FWD-05] open keeps unknown keys, its type does not have them', () => {
  const Point = open(() => ({ x: z.number() }));
  expect(Point.parse({ x: 1, label: 'a' })).toEqual({ x: 1, label: 'a' });
  expectTypeOf<z.infer<typeof Point>>().toEqualTypeOf<{ x: number }>();
});

test('a schema at the top of a module is built when it is first used', () => {
  let built = 0;
  const Lazy = open(() => ({ x: z.number(), built: z.literal(++built) }));
  expect(built).toBe(0);
  Lazy.safeParse({});
  Lazy.safeParse({});
  expect(built).toBe(1);
});

test('a word may be a new one, but must be a string', () => {
  const Color = word(['red', 'green']);
  expect(problem(Color, 'blue')).toBe('none');
  expect(problem(open({ color: Color }), { color: 1 })).toBe('color: expected "red" or "green", or expected string');
  expectTypeOf<z.infer<typeof Color>>().toEqualTypeOf<'red' | 'green'>();
});

test('kinds pass unknown ones, oneOf does not; both hold known ones to their shape', () => {
  const known = () => [open({ type: z.literal('a'), n: z.number() }), open({ type: z.literal('b') })];
  expect(problem(kinds('type', known), { type: 'c' })).toBe('none');
  expect(problem(oneOf('type', known), { type: 'c' })).toMatch(/^type: /);
  for (const schema of [kinds('type', known), oneOf('type', known)]) {
    expect(problem(schema, { type: 'a', n: 1, more: true })).toBe('none');
    expect(problem(schema, { type: 'a', n: 'x' })).toBe('n: expected number');
  }
});

test('the published JSON Schema is up to date', () => {
  const output = execFileSync(process.execPath, ['scripts/schema.mjs', '--check'], { cwd: ROOT, encoding: 'utf8' });
  expect(output).toContain('up to date');
});

test('the published JSON Schema defines every reference and forbids no field', () => {
  for (const name of ['messages', 'control', 'entries', 'hooks', 'permissions']) {
    const text = readFileSync(join(ROOT, 'schema', `${name}.json`), 'utf8');
    const { $defs } = JSON.parse(text) as { $defs: Record<string, unknown> };
    const references = [...text.matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, id]) => id);
    expect(references.filter((id) => !id || !(id in $defs))).toEqual([]);
    expect(text).not.toContain('"additionalProperties": false');
  }
});
