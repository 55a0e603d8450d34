import { expect, test } from 'vitest';
import { assemble } from '../../src/host/assemble.ts';
import { Session } from '../../src/host/session.ts';
import type { SessionTeam } from '../../src/host/team.ts';
import { Aborted } from '../../src/util/abort.ts';
import type { Message } from '../../src/wire/messages/index.ts';
import { createHouse } from './support.ts';

test('[K26] a session that is stopped while news are on their way begins no turn for them', async () => {
  const house = createHouse([]);
  const parts = await assemble(house.engine, { config: { print: true } }, {});
  const said: Message[] = [];
  const team = {
    onNews: () => {},
    isOpen: () => true,
    async take() {
      session.stop(new Aborted('shutdown'));
      return { text: 'mail', lines: [] };
    },
    begin: async () => {},
    active: () => [],
    inputEnded: () => {},
    close: async () => {},
  };
  parts.team = team as unknown as SessionTeam;
  const session = new Session(parts, (message) => {
    said.push(message);
    return undefined;
  });
  team.onNews();
  await session.finished;
  expect([said, house.model.requests]).toEqual([[], []]);
});
