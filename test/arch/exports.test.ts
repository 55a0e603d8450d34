import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, test } from 'vitest';
import { readPackageJson } from '../support/package-json.ts';
import { ROOT } from '../support/root.ts';

const manifest = readPackageJson();
const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === 'string' ? [] : [{ specifier: name.replace('.', 'heddle'), target }],
);

/** Has nothing to run, but must not fail a program that imports it without the word `type`. */
const TYPES_ONLY = 'heddle/sdk-tools';

test('publint finds nothing to say about the package', async () => {
  const { messages, pkg } = await publint({ pkgDir: ROOT, pack: 'npm', strict: true });
  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
});

describe.each(entries)('$specifier', ({ specifier, target }) => {
  test('has its bundle and its types', () => {
    expect([target.default, target.types].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('can be imported by name', () => {
    const code = `console.log(Object.keys(await import('${specifier}')).length)`;
    const names = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(Number(names) > 0).toBe(specifier !== TYPES_ONLY);
  });
});

test('the command can be run as it is', () => {
  const file = join(ROOT, manifest.bin.heddle ?? '');
  accessSync(file, constants.X_OK);
  expect(readFileSync(file, 'utf8').split('\n')[0]).toBe('#!/usr/bin/env node');
});
