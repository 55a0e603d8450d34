import { expect, test } from 'vitest';
import { sdk } from '../support/built.ts';
import { STREAM_BOTH, startCli } from '../support/cli.ts';
import { makePlace, type Place } from '../support/place.ts';

test('[B-056] a title in initialize names a new session, and leaves the title of a resumed one alone', async () => {
  const place = await makePlace(() => 'Hello.');
  const id = await talk(place, 'About looms');
  await talk(place, 'Another title', ['--resume', id]);
  const info = await sdk.getSessionInfo(id, { home: place.home, dir: place.cwd });
  expect(info?.customTitle).toBe('About looms');
});

async function talk(place: Place, title: string, more: string[] = []): Promise<string> {
  const cli = startCli([...STREAM_BOTH, ...more], { place });
  await cli.control({ subtype: 'initialize', title });
  cli.say('hi');
  const { session_id = '' } = await cli.nextResult();
  cli.endInput();
  await cli.finished;
  return session_id;
}
