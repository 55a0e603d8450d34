import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeGuarded, type GuardRig, guardRig } from '../../support/path-guard.ts';
import { type Form, READS, WRITES } from './canary-forms.ts';

/** The parse line is not asked: the commands go to the workspace as they are. */
describeGuarded('[G13] the kernel line alone', () => {
  let rig: GuardRig;
  beforeAll(async () => {
    rig = await guardRig(['Read(./.env)', 'Edit(./locked/**)']);
  });
  afterAll(() => rig.dispose());

  function furnish(): { secret: string; fixed: string[] } {
    for (const name of readdirSync(rig.bench.dir)) rmSync(rig.path(name), { recursive: true, force: true });
    const secret = rig.secret('.env');
    const fixed = [rig.secret('locked/a'), rig.secret('locked/deep/b')];
    mkdirSync(rig.path('sub'));
    writeFileSync(rig.path('sub/other'), 'other\n');
    symlinkSync(rig.path('.env'), rig.path('link-to-env'));
    symlinkSync('..', rig.path('sub/link-up'));
    return { secret, fixed };
  }

  test.each(READS.filter(isInstalled))('keeps .env from: $command', async ({ command }) => {
    const { secret } = furnish();
    const output = await rig.sh(command);
    const known = [output, ...textsBelow(rig.bench.dir, rig.path('.env')), decoded(output)].join('\n');
    expect(known).not.toContain(secret);
    expect(existsSync(rig.path('.env')) && readFileSync(rig.path('.env'), 'utf8')).toBe(`${secret}\n`);
  });

  test.each(WRITES.filter(isInstalled))('keeps locked/** from: $command', async ({ command }) => {
    const { fixed } = furnish();
    await rig.sh(command);
    expect([rig.read('locked/a'), rig.read('locked/deep/b')]).toEqual(fixed.map((text) => `${text}\n`));
    expect(readdirSync(rig.path('locked')).sort()).toEqual(['a', 'deep']);
  });

  test('there are enough of both, with what is installed here', () => {
    expect(READS.filter(isInstalled).length).toBeGreaterThan(60);
    expect(WRITES.filter(isInstalled).length).toBeGreaterThan(60);
  });
});

function isInstalled({ needs }: Form): boolean {
  return (
    needs === undefined || spawnSync('sh', ['-c', 'command -v "$1"', 'sh', needs], { stdio: 'ignore' }).status === 0
  );
}

/** Everything that a command may have left in the directory. */
function textsBelow(directory: string, except: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return textsBelow(path, except);
    return entry.isFile() && path !== except ? [readFileSync(path, 'latin1')] : [];
  });
}

function decoded(output: string): string {
  return Buffer.from(output.split('\n')[0] ?? '', 'base64').toString('latin1');
}
