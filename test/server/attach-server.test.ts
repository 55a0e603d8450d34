import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, startCli } from '../support/cli.ts';
import { isResult } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { startServer } from '../support/serve-cli.ts';
import { openSocket } from '../support/socket-client.ts';

test('heddle attach URL joins a session of a server, with what was said before', async () => {
  const place = await makePlace(['Before.', 'After.']);
  const server = await startServer(place);
  const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
  const first = { body: { content: 'hi' }, headers: { prefer: 'wait=10' } };
  await server.call('POST', `/v1/sessions/${id}/messages`, first);
  const attached = startCli(['attach', '--stdio', `${server.url}/${id}`], { place });
  const said = () => JSON.stringify(attached.lines);
  await eventually(() => said().includes('Before.'), 10_000);
  expect(attached.lines[0]).toMatchObject({ type: 'control_response', response: { response: { session_id: id } } });
  expect(await attached.control({ subtype: 'initialize' })).toMatchObject({ subtype: 'success' });
  const results = () => attached.lines.filter(isResult).length;
  attached.say('and now?');
  await eventually(() => results() === 2, 10_000);
  expect(said()).toContain('After.');
  attached.endInput();
  expect((await attached.finished).code).toBe(0);
  expect((await server.call('GET', `/v1/sessions/${id}`)).body.state).toBe('idle');
});

test('heddle attach --watch URL sends nothing, and without a token the error says where to get one', async () => {
  const place = await makePlace(['Never asked.']);
  const server = await startServer(place);
  const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
  const watching = startCli(['attach', '--stdio', '--watch', `${server.url}/${id}`], { place });
  await eventually(() => watching.lines.length > 0, 10_000);
  watching.say('hello');
  watching.endInput();
  expect((await watching.finished).code).toBe(0);
  expect((await server.call('GET', `/v1/sessions/${id}/turns`)).body.turns).toEqual([]);
  const elsewhere = await runCli(['attach', '--stdio', `http://127.0.0.1:1/${id}`], { place });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining('HEDDLE_SERVER_TOKEN')]);
  const env = { HEDDLE_SERVER_TOKEN: 'hdl_0_0' };
  const wrong = await runCli(['attach', '--stdio', `${server.url}/${id}`], { place, env });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('heddle serve token create')]);
});

test('who only joins takes no hooks from the program that has brought them', async () => {
  const place = await makePlace();
  const server = await startServer(place);
  const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
  const hooks = { PreToolUse: [{ hookCallbackIds: ['one'] }] };
  const driver = await openSocket(server, id);
  expect(await driver.request({ subtype: 'initialize', hooks })).toMatchObject({ subtype: 'success' });
  const guest = await openSocket(server, id);
  expect(await guest.request({ subtype: 'initialize' })).toMatchObject({ subtype: 'success' });
  const other = await guest.request({ subtype: 'initialize', hooks });
  expect(other).toMatchObject({ subtype: 'error', error_code: 'driver_connected' });
  const rows = readFileSync(join(place.home, 'serve', 'sessions.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(JSON.parse(rows.at(-1) ?? '').initialize.hooks).toEqual(hooks);
});
