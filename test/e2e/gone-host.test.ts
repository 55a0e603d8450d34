import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { CLI, STREAM_BOTH, startCli } from '../support/cli.ts';
import { killHost, startHost } from '../support/host-killed.ts';
import { isResult, type Line } from '../support/lines.ts';
import { ORPHAN_LOADS, pidOfLoad } from '../support/orphan-loads.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';

test('[P-15] [H-3] an agent whose host went away in the middle of a large answer ends', async () => {
  const place = await makePlace(() => reply([text('x'.repeat(3_000_000))]));
  const cli = startCli(STREAM_BOTH, { place });
  cli.child.stdout?.pause();
  cli.say('go');
  await new Promise((resolve) => setTimeout(resolve, 700));
  cli.child.stdout?.destroy();
  cli.child.stdin?.destroy();
  const ended = new Promise<boolean>((resolve) => {
    cli.child.once('exit', () => resolve(true));
    setTimeout(() => resolve(false), 5000);
  });
  expect(await ended).toBe(true);
});

test('[K2, H-3] a reader that lives is served to the end, though whoever started the agent is gone', async () => {
  const place = await makePlace([toolUse('Bash', { command: 'sleep 2.5' }), 'Done.']);
  const [input, output] = [join(place.root, 'in'), join(place.root, 'out')];
  writeFileSync(input, `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`);
  const command = `"$NODE" "$CLI" ${STREAM_BOTH.join(' ')} --allowedTools Bash < "$IN" | cat > "$OUT" & sleep 1`;
  const env = { ...place.env, NODE: process.execPath, CLI, IN: input, OUT: output };
  execFileSync('sh', ['-c', command], { cwd: place.cwd, env, stdio: 'ignore' });
  const lines = () =>
    readFileSync(output, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  await eventually(() => existsSync(output) && lines().some(isResult), 15_000);
  expect(lines().find(isResult)).toMatchObject({ result: 'Done.', is_error: false });
  expect(lines().map(({ type }) => type)).toContain('keep_alive');
});

test('[H-2] a host that is killed during a silent command takes its agent along', async () => {
  const place = await makePlace([toolUse('Bash', { command: ORPHAN_LOADS.foreground })]);
  const host = startHost(place, 'go');
  await pidOfLoad(place.cwd, 'foreground');
  await killHost(host, 'SIGKILL', 10_000);
});
