import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';

test('[K52] a launcher named claude starts this heddle with the same arguments', async () => {
  const place = await makePlace(["the model's answer"]);
  const folder = join(place.root, "it's here", 'bin');
  const launcher = join(folder, 'claude');
  const { code, stdout } = await runCli(['shim', folder], { place });
  expect(code).toBe(0);
  expect(stdout).toContain(`${launcher} starts Heddle.`);
  expect(stdout).toMatch(/^To put it on the PATH: export PATH='.*here\/bin':"\$PATH"$/m);
  expect(stdout).toMatch(/^To undo it: rm '.*\/claude'$/m);
  expect(statSync(launcher).mode & 0o777).toBe(0o755);

  // The line that was told, in a shell: `claude` is found, and arguments arrive whole.
  const line = /export PATH=.*/.exec(stdout)?.[0] ?? '';
  const shell = (command: string) =>
    spawnSync('/bin/sh', ['-c', `${line}\n${command}`], { cwd: place.cwd, env: place.env, encoding: 'utf8' });
  expect(shell('claude --version').stdout).toMatch(/^2\.1\.44 \(Heddle /);
  expect(shell(`claude config set model "a  b'c"; claude config get model`).stdout).toContain("\na  b'c\n");
});

test('what heddle shim has not made is left alone; its own launcher is made again', async () => {
  const place = await makePlace();
  const [program, link, folder] = ['a', 'b', 'c'].map((name) => join(place.root, name, 'claude')) as [
    string,
    string,
    string,
  ];
  for (const path of [program, link, folder]) mkdirSync(join(path, '..'));
  writeFileSync(program, '#!/bin/sh\necho mine\n');
  symlinkSync('/bin/sh', link);
  mkdirSync(folder);
  for (const path of [program, link, folder]) {
    const { code, stderr } = await runCli(['shim', join(path, '..')], { place });
    expect(code).toBe(1);
    expect(stderr).toContain(`${path} is there already, and heddle shim has not made it`);
  }
  expect(readFileSync(program, 'utf8')).toBe('#!/bin/sh\necho mine\n');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  const own = join(place.root, 'own');
  await runCli(['shim', own], { place });
  writeFileSync(join(own, 'claude'), `${readFileSync(join(own, 'claude'), 'utf8')}# changed\n`);
  expect((await runCli(['shim', own], { place })).code).toBe(0);
  expect(readFileSync(join(own, 'claude'), 'utf8')).not.toContain('# changed');
});

test('another claude that the PATH finds first is named', async () => {
  const place = await makePlace();
  const first = join(place.root, 'first');
  mkdirSync(first);
  writeFileSync(join(first, 'claude'), '#!/bin/sh\n', { mode: 0o755 });
  const own = join(place.root, 'own');
  const PATH = `${first}:${own}:${place.env.PATH}`;
  expect((await runCli(['shim', own], { place, env: { PATH } })).stdout).toContain(
    `The PATH finds ${join(first, 'claude')} first. To put this one before ${first}: export PATH=${own}:"$PATH"`,
  );
  const found = await runCli(['shim', own], { place, env: { PATH: `${own}:${PATH}` } });
  expect(found.stdout).toContain('It is the claude of this PATH.');
  expect(await runCli(['shim'], { place })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('DIR is missing'),
  });
  const unwritable = await runCli(['shim', '/proc/nope'], { place });
  expect(unwritable).toMatchObject({ code: 1, stderr: expect.stringContaining('/proc/nope/claude cannot be written') });
  expect(existsSync('/proc/nope')).toBe(false);
});
