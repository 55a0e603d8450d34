import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
import { answer, attachTo, eventually, isQuestion, ownersIn } from '../support/attached.ts';
import { runCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { hasTmux, openPane } from '../support/tmux-pane.ts';

if (!hasTmux) console.warn('tmux is not installed: leaving a terminal is not tried end to end');

test.skipIf(!hasTmux)('[TUI-70] /detach gives the terminal back, and the session can be joined', async () => {
  const place = await makePlace(['the first answer', 'the second answer']);
  const pane = openPane(place, '"hello"');
  await pane.sees('the first answer');
  const [owner] = ownersIn(place);
  pane.keys('/detach', 'Enter');
  await pane.sees('The session continues: heddle attach');
  expect(ownersIn(place)).toEqual([owner]);
  const host = await attachTo(place, []);
  host.say('once more');
  await host.nextResult();
  await host.control({ subtype: 'end_input' });
  await eventually(() => expect(ownersIn(place)).toEqual([]));
});

test.skipIf(!hasTmux)('[TUI-74] the terminal is gone with a question open: who attaches answers it', async () => {
  const place = await makePlace([toolUse('Write', { file_path: 'made', content: 'x' }), 'done']);
  const pane = openPane(place, '"write it"');
  await pane.sees('Write');
  process.kill(pane.pid(), 'SIGHUP');
  const host = await attachTo(place, []);
  answer(host, await host.next(isQuestion), { behavior: 'allow', updatedInput: { file_path: 'made', content: 'x' } });
  await host.nextResult();
  expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  host.endInput();
  await eventually(() => expect(ownersIn(place)).toEqual([]));
});

test.skipIf(!hasTmux)(
  '[S-1] kill -9 of the terminal in the middle of a turn: what it has shown is there, and the turn goes on',
  async () => {
    const place = await makePlace([
      reply([text('what it has said'), toolUse('Bash', { command: 'sleep 60' })]),
      'after the kill',
    ]);
    const pane = openPane(place, '--permission-mode bypassPermissions "begin"');
    await pane.sees('what it has said');
    await eventually(() => expect(ownersIn(place)).toHaveLength(1));
    const [owner = 0] = ownersIn(place);
    process.kill(owner, 'SIGKILL');
    await eventually(() => {
      expect(() => process.kill(owner, 0)).toThrow();
    });
    const shown = await runCli(['sessions', 'show'], { place });
    expect(shown.stdout).toContain('begin');
    expect(shown.stdout).toContain('what it has said');
    const { code, stdout } = await runCli(['-p', '--continue', '--continue-turn'], { place });
    expect([code, stdout]).toEqual([0, 'after the kill\n']);
    expect(JSON.stringify(place.api.requests.at(-1)?.body)).toContain('what it has said');
  },
);
