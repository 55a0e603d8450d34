import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { text, toolUse } from '../../src/testing/index.ts';
import { makePlace } from '../support/place.ts';
import { startServer } from '../support/serve-cli.ts';

test('a message is stored, answered, and its turn has the result', async () => {
  const place = await makePlace(['Hello.', 'Again.']);
  const server = await startServer(place);
  const made = await server.call('POST', '/v1/sessions', { body: { title: 'one' } });
  expect(made.status).toBe(201);
  const path = `/v1/sessions/${made.body.id}`;
  const posted = await server.call('POST', `${path}/messages`, {
    body: { content: 'hi' },
    headers: { prefer: 'wait=10' },
  });
  expect(posted.status, JSON.stringify(posted.body)).toBe(200);
  expect(posted.body.result).toMatchObject({ type: 'result', subtype: 'success', result: 'Hello.' });
  const turns = await server.call('GET', `${path}/turns`);
  expect(turns.body.turns).toMatchObject([{ no: 1, state: 'ended', messages: [posted.body.uuid], attempts: 1 }]);
  const again = await server.call('POST', `${path}/messages`, {
    body: { content: 'more' },
    headers: { prefer: 'wait=10' },
  });
  expect(again.body.result).toMatchObject({ result: 'Again.' });
  const { body } = await server.call('GET', `${path}/events`);
  expect(body.lines.map((line: { seq: number }) => line.seq)).toEqual(
    body.lines.map((_: unknown, at: number) => at + 1),
  );
});

test('a tool asks, and a client answers', async () => {
  const place = await makePlace([[text('Now.'), toolUse('Bash', { command: 'touch done' })], 'Done.']);
  const server = await startServer(place);
  const made = await server.call('POST', '/v1/sessions', { body: { messages: [{ content: 'go' }] } });
  const path = `/v1/sessions/${made.body.id}`;
  await expect.poll(async () => (await server.call('GET', '/v1/questions')).body.questions.length).toBe(1);
  const [question] = (await server.call('GET', '/v1/questions')).body.questions;
  expect((await server.call('GET', path)).body.state).toBe('requires_action');
  const answered = await server.call('POST', `/v1/questions/${question.id}/answer`, { body: { behavior: 'allow' } });
  expect(answered.status, JSON.stringify(answered.body)).toBe(200);
  await expect.poll(async () => (await server.call('GET', `${path}/turns`)).body.turns[0]?.state).toBe('ended');
  expect(existsSync(join(place.cwd, 'done'))).toBe(true);
});
