import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchFile } from '../../../src/admin/running/watch-session.ts';
import { lastMessages } from '../../../src/sessions/files/last-messages.ts';
import { Client, tempDir } from '../../host/support.ts';
import { afterTest } from '../../support/after-test.ts';

const ID = '00000000-0000-4000-8000-000000000000';
const entry = (uuid: string, parentUuid: string | null, content: string, more: object = {}) =>
  `${JSON.stringify({ type: 'user', uuid, parentUuid, message: { role: 'user', content }, ...more })}\n`;

function file(...lines: string[]): string {
  const path = join(tempDir(), `${ID}.jsonl`);
  writeFileSync(path, lines.join(''));
  return path;
}

test('[TUI-73] a session of another program: the end of its file, then what is appended, read-only', async () => {
  const path = file(entry('a', null, 'first'), entry('b', 'a', 'second'), entry('c', 'b', 'third'));
  const stop = new AbortController();
  afterTest(() => stop.abort());
  const client = new Client(watchFile({ sessionId: ID, path, history: 2, signal: stop.signal }));
  const texts = () => client.of('user').map(({ message }) => (message as { content: string }).content);
  await client.until(() => texts().length === 2);
  appendFileSync(path, entry('d', 'c', 'fourth'));
  await client.until(() => texts().length === 3);
  expect(texts()).toEqual(['second', 'third', 'fourth']);
  client.say('a prompt');
  await client.until(() => client.of('system/input_error').length > 0);
  expect(await client.control({ subtype: 'interrupt' })).toMatchObject({ error_code: 'watching' });
  expect(await client.control({ subtype: 'initialize' })).toMatchObject({ subtype: 'success' });
  expect(await client.end()).toMatchObject({ code: 0 });
});

test('the last messages are those of the branch that was written to last', () => {
  const path = file(
    ...[entry('a', null, 'root'), entry('b', 'a', 'left branch'), entry('c', 'a', 'right branch')],
    ...['{ torn\n', entry('x', 'c', 'an agent', { isSidechain: true })],
    `${JSON.stringify({ type: 'system', uuid: 's', parentUuid: 'c' })}\n`,
    entry('d', 's', 'end'),
  );
  const texts = lastMessages(path, 10).map(({ message }) => (message as { content: string }).content);
  expect(texts).toEqual(['root', 'right branch', 'end']);
  expect(lastMessages(path, 1)).toHaveLength(1);
});
