import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, text, toolUse } from '../../src/testing/index.ts';
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

test('a turn in which three runs have died is given up, and the next message is answered', async () => {
  const place = await makePlace(({ body }) => {
    const isLast = JSON.stringify(body).includes('and now?');
    return isLast
      ? 'Still here.'
      : reply([text('never ', 'complete')], { fault: { after: { block: 0 }, how: 'hang' } });
  });
  let server = await startServer(place);
  const { id } = (await server.call('POST', '/v1/sessions', { body: { messages: [{ content: 'go' }] } })).body;
  const path = `/v1/sessions/${id}`;
  const attempts = async () => (await server.call('GET', `${path}/turns/1`)).body.attempts;
  for (let run = 1; run <= 3; run++) {
    await expect.poll(attempts, { timeout: 10_000, interval: 150 }).toBe(run);
    server.cli.child.kill('SIGKILL');
    await server.cli.finished;
    server = await startServer(place);
  }
  const turn = async () => (await server.call('GET', `${path}/turns/1`)).body;
  await expect.poll(async () => (await turn()).state, { timeout: 10_000, interval: 150 }).toBe('abandoned');
  expect((await turn()).result).toMatchObject({ is_error: true, error_code: 'turn_abandoned' });
  const next = { body: { content: 'and now?' }, headers: { prefer: 'wait=10' } };
  expect((await server.call('POST', `${path}/messages`, next)).body.result).toMatchObject({ result: 'Still here.' });
}, 60_000);

test('idempotency, withdrawal, an interrupt, a full queue and unknown numbers have typed answers', async () => {
  const place = await makePlace(() =>
    reply([text('never ', 'complete')], { fault: { after: { block: 0 }, how: 'hang' } }),
  );
  const server = await startServer(place, ['--rate', '1000']);
  const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
  const path = `/v1/sessions/${id}`;
  expect((await server.call('POST', `${path}/interrupt`)).body.error.code).toBe('no_turn');
  const key = { headers: { 'idempotency-key': 'one' } };
  const first = await server.call('POST', `${path}/messages`, { body: { content: 'go' }, ...key });
  const again = await server.call('POST', `${path}/messages`, { body: { content: 'go' }, ...key });
  expect([first.status, again.status, again.body.uuid]).toEqual([202, 200, first.body.uuid]);
  const other = await server.call('POST', `${path}/messages`, { body: { content: 'other' }, ...key });
  expect([other.status, other.body.error.code]).toEqual([409, 'uuid_conflict']);
  const state = async () => (await server.call('GET', path)).body.state;
  await expect.poll(state).toBe('running');
  const waiting = (await server.call('POST', `${path}/messages`, { body: { content: 'later' } })).body.uuid;
  expect((await server.call('DELETE', `${path}/messages/${waiting}`)).body).toEqual({ cancelled: true });
  expect((await server.call('DELETE', `${path}/messages/${first.body.uuid}`)).body.error.code).toBe('already_taken');
  const statuses: number[] = [];
  for (let no = 0; no < 101; no++) {
    const { status, headers } = await server.call('POST', `${path}/messages`, { body: { content: `${no}` } });
    statuses.push(status);
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect([statuses.filter((each) => each === 202).length, statuses.at(-1)]).toEqual([99, 429]);
  expect((await server.call('DELETE', path)).body.error.code).toBe('turn_running');
  expect((await server.call('POST', `${path}/interrupt`)).status).toBe(200);
  const unknown = await server.call('GET', `${path}/events/stream`, { headers: { 'last-event-id': '99999' } });
  expect([unknown.status, unknown.body.error.code]).toEqual([400, 'cursor_unknown']);
  expect((await server.call('DELETE', `${path}?force=true`)).status).toBe(202);
  expect((await server.call('GET', path)).body.error.code).toBe('session_not_found');
});
