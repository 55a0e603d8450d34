import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { text, toolUse } from '../../src/testing/index.ts';
import { isResult, kindOf, type Line } from '../support/lines.ts';
import { makePlace } from '../support/place.ts';
import { startServer } from '../support/serve-cli.ts';
import { openSocket } from '../support/socket-client.ts';

const user = (content: string, fields: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...fields,
});

test('a WebSocket carries the lines of the protocol, and is closed when the session rests after end_input', async () => {
  const place = await makePlace(['Hello.', 'Again.']);
  const server = await startServer(place);
  const { id } = (await server.call('POST', '/v1/sessions', { body: { config: { replayUserMessages: false } } })).body;
  const socket = await openSocket(server, id);
  expect(await socket.request({ subtype: 'initialize' })).toMatchObject({ subtype: 'success' });
  socket.send(user('hi'));
  await socket.next(isResult);
  const said = (lines: Line[]) => lines.filter(({ type }) => type !== 'control_response').map(kindOf);
  const expected = ['system/init', 'system/status', 'assistant', 'result/success'];
  const shown = said(socket.lines).filter((kind) => kind !== 'system/session_state_changed');
  expect(shown).toEqual(expected);
  expect(await socket.request({ subtype: 'set_model', model: 'haiku' })).toMatchObject({ subtype: 'success' });
  expect(await socket.request({ subtype: 'apply_flag_settings', settings: {} })).toMatchObject({
    subtype: 'error',
    error_code: 'not_permitted',
  });
  expect(await socket.request({ subtype: 'set_permission_mode', mode: 'bypassPermissions' })).toMatchObject({
    error_code: 'not_permitted',
  });
  expect(await socket.request({ subtype: 'end_input' })).toMatchObject({ subtype: 'success' });
  expect(await socket.closed).toMatchObject({ code: 1000, reason: '{"exit_code":0}' });
});

test('a question goes to every socket that may answer, and the first answer counts', async () => {
  const place = await makePlace([[text('Now.'), toolUse('Bash', { command: 'touch done' })], 'Done.']);
  const server = await startServer(place);
  const { id } = (await server.call('POST', '/v1/sessions', { body: {} })).body;
  const [first, second] = [await openSocket(server, id), await openSocket(server, id)];
  first.send(user('go'));
  const isQuestion = (line: Line) => line.type === 'control_request';
  const { request_id } = await first.next(isQuestion);
  await second.next(isQuestion);
  second.send({
    type: 'control_response',
    response: {
      subtype: 'success',
      request_id,
      response: { behavior: 'allow', updatedInput: { command: 'touch other' } },
    },
  });
  await first.next((line) => line.type === 'control_cancel_request' && line.request_id === request_id);
  await first.next(isResult);
  expect([existsSync(join(place.cwd, 'done')), existsSync(join(place.cwd, 'other'))]).toEqual([false, true]);
  const late = await server.call('POST', `/v1/questions/${request_id}/answer`, { body: { behavior: 'deny' } });
  expect([late.status, late.body.error.code]).toEqual([409, 'already_answered']);
});

test('a client that comes back at every line gets each line once', async () => {
  const place = await makePlace([[text('Now.'), toolUse('Bash', { command: 'echo hi' })], 'Done.']);
  const server = await startServer(place);
  const body = { config: { allowedTools: ['Bash'] }, messages: [{ content: 'go' }] };
  const { id } = (await server.call('POST', '/v1/sessions', { body })).body;
  const seen: Line[] = [];
  while (!seen.some(({ type, state }) => type === 'command_lifecycle' && state === 'completed')) {
    const socket = await openSocket(server, id, { query: `?after=${seen.length}` });
    seen.push(await socket.next(({ seq }) => seq === seen.length + 1));
    socket.end();
  }
  const log = (await server.call('GET', `/v1/sessions/${id}/events`)).body.lines;
  expect(seen).toEqual(log);
});
