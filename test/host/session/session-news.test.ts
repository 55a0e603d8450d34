import { expect, test } from 'vitest';
import type { TurnTrigger } from '../../../src/host/background/turn-triggers.ts';
import { openSession } from '../../../src/host/session/open-session.ts';
import { Aborted } from '../../../src/util/abort.ts';
import type { Message } from '../../../src/wire/messages/index.ts';
import { createHouse } from '../support.ts';

test('[K26] a session that is stopped while news are on their way begins no turn for them', async () => {
  const house = createHouse([]);
  const said: Message[] = [];
  const session = await openSession(house.engine, { config: { print: true } }, (message) => {
    said.push(message);
    return undefined;
  });
  const { triggers } = session.main.services;
  triggers.add({
    isOpen: () => true,
    async take(): Promise<TurnTrigger> {
      session.stop(new Aborted('shutdown'));
      return { text: 'mail', lines: [], origin: { kind: 'auto-continuation' } };
    },
  });
  triggers.wake();
  await session.finished;
  expect([said, house.model.requests]).toEqual([[], []]);
});
