import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

/** The package is ESM: programs that are not are told so, and older resolution does not know export maps. */
const SUPPORTED = ['node16-esm', 'bundler'];

test('[B-248] the types of the package resolve as its code does (are-the-types-wrong)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-pack-'));
  try {
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
    const [name = ''] = readdirSync(folder);
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, name))));
    const problems = analysis.types ? analysis.problems : ['no types at all'];
    const ours = problems.filter((problem) => {
      return (
        typeof problem === 'string' || !('resolutionKind' in problem) || SUPPORTED.includes(problem.resolutionKind)
      );
    });
    expect(ours).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);
