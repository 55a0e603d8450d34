import { expect, test } from 'vitest';
import { createHouse } from '../support.ts';

test('[K38] a field of initialize without effect is named, unless it asks for nothing', async () => {
  const house = createHouse(['Done.']);
  const client = house.connect();
  const nothing = { promptSuggestions: false, plugins: [] };
  await client.control({ subtype: 'initialize', title: 'Looms', agentProgressSummaries: true, ...nothing });
  await client.ask('go');
  const notes = house.logs.filter(({ level }) => level === 'warn').map(({ message }) => message);
  expect(notes).toEqual(['initialize.agentProgressSummaries has no effect in this version and was ignored']);
});
