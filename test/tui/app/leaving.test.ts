import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { answer, begun, opening, piece, result, system } from '../../view/lines.ts';
import { openTerminal } from './open-terminal.ts';

const working = [
  system('init', { session_id: 's', model: 'sonnet' }),
  begun('m1'),
  opening({ type: 'text', text: '' }),
  piece('working'),
];
const task = system('task_started', { task_id: 'one', task_type: 'local_bash', description: 'npm run dev' });

async function leaveWhileBusy() {
  const rig = await openTerminal({ size: { columns: 90, rows: 24 } });
  await rig.send(...working);
  await rig.sees('working');
  rig.terminal.type('/exit\r');
  await rig.sees(/Still running: a turn.*\n❯ 1 Wait[\s\S]*2 Detach[\s\S]*3 Stop/);
  const subtypes = () => rig.received.map(({ request }) => (request as { subtype?: string } | undefined)?.subtype);
  return { ...rig, subtypes };
}

test('[TUI-33] leaving while a turn runs asks; Esc stays, waiting leaves when it is over', async () => {
  const { terminal, send, sees, ended } = await leaveWhileBusy();
  terminal.type('\x1b');
  await vi.waitFor(async () => expect(await terminal.shown()).not.toContain('Still running'));
  terminal.type('\x04');
  terminal.type('\x04');
  await sees('Still running: a turn');
  terminal.type('\r');
  await sees('Leaves when the work is over');
  await send(answer('m1', { type: 'text', text: 'working' }), result());
  expect((await ended).exitCode).toBe(0);
});

test('a prompt after waiting was chosen keeps the session open', async () => {
  const { terminal, send, sees, received } = await leaveWhileBusy();
  terminal.type('\r');
  await sees('Leaves when the work is over');
  terminal.type('and then this\r');
  await vi.waitFor(() => expect(received.some(({ type }) => type === 'user')).toBe(true));
  await send(answer('m1', { type: 'text', text: 'working' }), result());
  await new Promise((resolve) => setTimeout(resolve, 1200));
  terminal.type('still here');
  await sees('❯ still here');
});

test('stopping interrupts the turn and leaves; detaching asks the session', async () => {
  const stopped = await leaveWhileBusy();
  stopped.terminal.type('\x1b[B\x1b[B\r');
  expect((await stopped.ended).exitCode).toBe(0);
  expect(stopped.subtypes()).toContain('interrupt');

  const detached = await leaveWhileBusy();
  detached.terminal.type('\x1b[B\r');
  expect((await detached.ended).lines.join()).toContain('The session continues');
  expect(detached.subtypes()).toContain('detach');
  expect(detached.subtypes()).not.toContain('interrupt');
});

test('a task in the background is work, too', async () => {
  const { terminal, send, sees, app } = await openTerminal({ size: { columns: 90, rows: 24 } });
  await send(task);
  await vi.waitFor(() => expect(app.tracker.view.tasks).toHaveLength(1));
  terminal.type('/exit\r');
  await sees('Still running: 1 task');
});

test('[TUI-33] an interrupt that was meant for the editor program ends neither the turn nor the terminal', async () => {
  const { app, send, sees, received } = await openTerminal();
  const signals = new EventEmitter();
  const { dispose } = app.handleSignals(signals as NodeJS.Process);
  await send(...working);
  await sees('working');
  const interrupts = () => received.filter((line) => JSON.stringify(line).includes('"interrupt"')).length;
  let close = () => {};
  const lent = app.lend(
    () =>
      new Promise<void>((resolve) => {
        close = resolve;
      }),
  );
  signals.emit('SIGINT');
  signals.emit('SIGINT');
  close();
  await lent;
  expect(interrupts()).toBe(0);
  signals.emit('SIGINT');
  await vi.waitFor(() => expect(interrupts()).toBe(1));
  dispose();
});
