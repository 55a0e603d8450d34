import { expect, test, vi } from 'vitest';
import { type HangupPolicy, whileUnattended } from '../../../src/host/hosts/unattended.ts';
import { hang, toolUse } from '../../../src/testing/script.ts';
import { afterTest } from '../../support/after-test.ts';
import { createHouse } from '../support.ts';
import { type Shared, share } from './support.ts';

const WRITE = () => toolUse('Write', { file_path: 'made', content: 'x' });

/** The terminal is gone. */
async function leave({ session, owner }: Shared, policy: HangupPolicy, ms: number): Promise<void> {
  await owner.control({ subtype: 'detach' });
  const stop = () => session.stop();
  const limits = { finish: ms, grace: ms, idle: ms };
  afterTest(whileUnattended({ hub: session.hub, policy, clock: { now: Date.now }, stop, limits }));
}

const LONG = 60_000;

test('[TUI-74] finish: the turn goes to its end, then the session ends', async () => {
  const house = createHouse(['the end']);
  const shared = share(house);
  shared.owner.say('go');
  await leave(shared, 'finish', LONG);
  expect(await shared.session.ended).toMatchObject({ exitCode: 0 });
  expect(house.model.requests).toHaveLength(1);
});

test('[TUI-74] finish: a question waits for somebody, then it is a denial that tells when', async () => {
  const house = createHouse([WRITE(), 'done']);
  const shared = share(house);
  shared.owner.say('go');
  await shared.owner.until(() => shared.owner.of('control_request/can_use_tool').length > 0);
  await leave(shared, 'finish', 30);
  await shared.session.ended;
  expect(JSON.stringify(house.model.requests[1])).toMatch(/Nobody was there to answer: denied at 20\d\d/);
});

test('[TUI-74] finish: a turn that does not end is interrupted', async () => {
  const shared = share(createHouse([hang()]));
  shared.owner.say('go');
  await shared.owner.until(() => shared.owner.of('system/init').length > 0);
  await leave(shared, 'finish', 20);
  expect(await shared.session.ended).toMatchObject({ exitCode: expect.any(Number) });
});

test('[TUI-74] stop: the turn is interrupted and has its result', async () => {
  const shared = share(createHouse([hang()]));
  const watcher = await shared.attach({ role: 'watch' });
  shared.owner.say('go');
  await watcher.until(() => watcher.of('system/init').length > 0);
  await leave(shared, 'stop', LONG);
  await shared.session.ended;
  expect(watcher.results).toHaveLength(1);
});

test('[TUI-70, TUI-74] detach: it stays as long as somebody drives it, and a while after that', async () => {
  const shared = share(createHouse(['one', 'two']));
  await leave(shared, 'detach', 200);
  const guest = await shared.attach();
  await guest.ask('one');
  const isOver = vi.fn();
  void shared.session.ended.then(isOver);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isOver).not.toHaveBeenCalled();
  expect((await guest.ask('two')).is_error).toBe(false);
  await guest.control({ subtype: 'detach' });
  await shared.session.ended;
});
