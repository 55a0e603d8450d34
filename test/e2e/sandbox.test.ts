import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { CLI, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { type Line, textsOf, toolResult } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { descendantsOf, eventually, isAlive } from '../support/processes.ts';
import { describeSandboxed, outsideFile } from '../support/sandbox.ts';

const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });
const settings = (sandbox: object = {}) => ['--settings', JSON.stringify({ sandbox: { enabled: true, ...sandbox } })];
const outputsOf = (lines: readonly Line[]) => lines.filter(toolResult).flatMap(({ message }) => textsOf(message));

test('[R-20] a run whose sandbox cannot be had does not start', async () => {
  const place = await makePlace(['never']);
  const run = await runCli([...STREAM_OUT, 'go', ...settings()], { place, env: { PATH: '/no/such/directory' } });
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toMatch(/^The sandbox cannot be used: bwrap is not installed: install bubblewrap .*\n$/);
  expect(place.api.requests).toEqual([]);
});

describeSandboxed('a confined run', () => {
  test('[SBX-01, SBX-13] by an option of the SDK', async () => {
    const outside = outsideFile();
    const place = await makePlace([bash(`echo in > in && echo out > ${outside}`), 'done']);
    const messages: Line[] = [];
    const options = { cwd: place.cwd, env: place.env, sandbox: { enabled: true }, settings: { env: { A: '1' } } };
    for await (const message of sdk.query({ prompt: 'go', options })) messages.push(message as unknown as Line);
    expect(messages[0]).toMatchObject({ subtype: 'init', sandbox: { enabled: true, provider: 'bubblewrap' } });
    expect(outputsOf(messages)[0]).toMatch(/^Exit code 1[\s\S]*\[The command ran in a sandbox/);
    expect(readFileSync(join(place.cwd, 'in'), 'utf8')).toBe('in\n');
    expect(existsSync(outside)).toBe(false);
  });

  test('[H-2] nothing of it outlives a run that is killed', async () => {
    const command = 'setsid nohup sleep 600 >/dev/null 2>&1 & env -i sleep 600 & touch started; sleep 600';
    const place = await makePlace([bash(command), 'never']);
    const cli = startCli([...STREAM_BOTH, ...settings()], { place, env: { TMPDIR: place.root } });
    cli.say('go');
    await eventually(() => existsSync(join(place.cwd, 'started')));
    const inside = descendantsOf(cli.pid);
    expect(inside.length).toBeGreaterThan(4);
    cli.kill('SIGKILL');
    await cli.finished;
    await eventually(() => !inside.some(isAlive));
  });

  test('[K36] keeps the directory and runs reading commands side by side', async () => {
    const place = await makePlace([bash('mkdir sub; cd sub'), [bash('pwd'), bash('sleep 0.1 && pwd')], 'done']);
    const { lines } = await runCli([...STREAM_OUT, 'go', ...settings()], { place });
    expect(outputsOf(lines)).toEqual(['', join(place.cwd, 'sub'), join(place.cwd, 'sub')]);
  });
});

/** Stands for a container: namespaces can be made in it, but parts of its /proc are covered, so that no other can be mounted. */
const CONTAINER = [
  '--unshare-user',
  '--unshare-pid',
  '--bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--tmpfs',
  '/proc/tty',
];

describeSandboxed('[SBX-11] in a container', () => {
  const run = (sandbox: object, outside: string, { cwd, env }: Place) => {
    const flags = settings(sandbox);
    const prompt = `run \`touch in && touch ${outside}\``;
    const args = [...CONTAINER, process.execPath, CLI, '-p', '--model', 'offline', ...flags, prompt];
    return spawnSync('bwrap', args, { cwd, env, encoding: 'utf8' });
  };

  test('the weaker sandbox works where the usual one says that it cannot', async () => {
    const [place, outside] = [await makePlace(), outsideFile()];
    const usual = run({}, outside, place);
    expect(usual.status).toBe(1);
    expect(usual.stderr).toMatch(/mount proc.*enableWeakerNestedSandbox/);
    const weaker = run({ enableWeakerNestedSandbox: true }, outside, place);
    expect(weaker.stdout).toContain('Read-only file system');
    expect(weaker.status).toBe(0);
    expect(existsSync(join(place.cwd, 'in'))).toBe(true);
    expect(existsSync(outside)).toBe(false);
  });
});
