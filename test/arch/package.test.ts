import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HEDDLE_VERSION } from '../../src/wire/version.ts';
import { readPackageJson } from '../support/package-json.ts';
import { ROOT } from '../support/root.ts';

const manifest = readPackageJson();
const lockText = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
const dependencies = { ...manifest.dependencies, ...manifest.devDependencies };

test('dependencies are pinned to exact versions', () => {
  const loose = Object.entries(dependencies).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version));
  expect(loose).toEqual([]);
});

test('every dependency is explained in docs/dependencies.md', () => {
  const text = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
  expect(Object.keys(dependencies).filter((name) => !text.includes(name))).toEqual([]);
});

test('the version is the same in package.json and in the code', () => {
  expect(HEDDLE_VERSION).toBe(manifest.version);
});

test('[P7] the licence is MIT, in the manifest and in its file', () => {
  expect(manifest.license).toBe('MIT');
  expect(readFileSync(join(ROOT, 'LICENSE'), 'utf8')).toMatch(/^MIT License\n/);
});

test('[P6] how compatibility was reached is written down, and nothing comes from the packages of the vendor', () => {
  const words = readFileSync(join(ROOT, 'PROVENANCE.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(words).toContain('Type declarations (`.d.ts`) and documentation of published packages were read.');
  expect(words).toContain('They may be executed in tests of interoperation, never opened.');
  expect(lockText).not.toContain('@anthropic-ai/');
});

test('installing the package runs no script of ours', () => {
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare', 'prepublish'];
  expect(atInstall.filter((name) => name in manifest.scripts)).toEqual([]);
});

test('the lock file names no registry', () => {
  expect(lockText.match(/"resolved": *"https?:[^"]*"/g) ?? []).toEqual([]);
});

test('the lock file holds the packages of every platform, without which `npm ci` refuses to work', () => {
  const { packages } = JSON.parse(lockText) as { packages: Record<string, { optionalDependencies?: object }> };
  const optional = Object.values(packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}));
  const locked = Object.keys(packages);
  expect(optional.filter((name) => !locked.some((key) => key.endsWith(`node_modules/${name}`)))).toEqual([]);
});
