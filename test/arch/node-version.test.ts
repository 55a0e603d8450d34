import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import type { DoctorContext } from '../../src/admin/doctor/check.ts';
import { gatherVersions } from '../../src/admin/doctor/program-checks.ts';
import { readPackageJson } from '../support/package-json.ts';
import { ROOT } from '../support/root.ts';

const manifest = readPackageJson();
const least = '20.19';
const folder = mkdtempSync(join(tmpdir(), 'heddle-old-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs this Node as if it were another one. */
function runAs(version: string, file: string): { status: number | null; stderr: string } {
  const preload = join(folder, `as-${version}.cjs`);
  const versions = `{ ...process.versions, node: '${version}' }`;
  writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  const env = { PATH: process.env.PATH, HOME: folder, HEDDLE_HOME: join(folder, 'home') };
  return spawnSync(process.execPath, ['--require', preload, file, '--version'], { env, encoding: 'utf8' });
}

function importing(entry: string): string {
  const file = join(folder, 'program.mjs');
  writeFileSync(file, `await import('${pathToFileURL(join(ROOT, entry)).href}');`);
  return file;
}

const entries = Object.values(manifest.exports).flatMap((target) => (typeof target === 'string' ? [] : target.default));

describe('a Node that is too old is told so, first of all', () => {
  test('package.json and doctor ask for the same', async () => {
    expect(manifest.engines.node).toBe(`>=${least}`);
    const [node] = await gatherVersions({ nodeVersion: '20.18.3' } as DoctorContext);
    expect(node).toMatchObject({ status: 'problem', facts: { least } });
  });

  test.each(['18.20.8', '20.18.3', '9.11.2'])('by the command line, on %s', (version) => {
    for (const file of ['heddle.cjs', 'cli.js']) {
      const { status, stderr } = runAs(version, join(ROOT, 'dist', file));
      expect(stderr).toBe(`heddle needs Node ${least} or newer; this is ${version} (${process.execPath})\n`);
      expect(status).toBe(1);
    }
  });

  test.each(entries)('by %s', (entry) => {
    const { status, stderr } = runAs('18.20.8', importing(entry));
    expect(stderr).toContain(`Error: heddle needs Node ${least} or newer; this is 18.20.8 (${process.execPath})\n`);
    expect(status).toBe(1);
  });

  test.each(['20.19.0', '22.0.0', '100.1.0'])('and not %s', (version) => {
    expect(runAs(version, join(ROOT, 'dist/heddle.cjs'))).toMatchObject({ status: 0, stderr: '' });
    expect(runAs(version, importing('dist/index.js'))).toMatchObject({ status: 0, stderr: '' });
  });

  test('in words that an old one can read', async () => {
    const read = (file: string) => readFileSync(join(ROOT, 'dist', file), 'utf8');
    await expect(transform(read('node-version.js'), { target: 'es5' })).resolves.toMatchObject({ warnings: [] });
    // Whatever Node 12 could not read would be written in another way for it.
    const [forOld, asItIs] = await Promise.all(
      ['node12.22', 'esnext'].map((target) => transform(read('heddle.cjs'), { target })),
    );
    expect(forOld?.code).toBe(asItIs?.code);
  });

  test('also in a bundle of a program: bundlers may not leave it out', () => {
    expect(manifest.sideEffects).toContain('./dist/node-version.js');
  });
});
