import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SDKMessage } from '../../src/sdk/index.ts';
import { text, toolUse } from '../../src/testing/index.ts';
import { sdk } from '../support/built.ts';
import { makePlace } from '../support/place.ts';
import { eventually } from '../support/processes.ts';
import { startServer } from '../support/serve-cli.ts';

test('a query outlives the server: after kill -9 in a call the next server continues, and each line comes once', async () => {
  const wait = [text('Now.'), toolUse('Bash', { command: 'echo one >> effects; sleep 0.8' })];
  const place = await makePlace([wait, toolUse('Bash', { command: 'echo two >> effects' }), 'Done.']);
  const server = await startServer(place);
  const port = new URL(server.url).port;
  const asked: string[] = [];
  const hooked: string[] = [];
  const options = {
    transport: sdk.remote(server.url, { token: server.token }),
    canUseTool: async (_name: string, input: Record<string, unknown>) => {
      asked.push(String(input.command));
      return { behavior: 'allow' as const, updatedInput: input };
    },
    hooks: {
      PreToolUse: [
        {
          hooks: [
            async (input: { tool_input?: { command?: string } }) => {
              hooked.push(String(input.tool_input?.command));
              return {};
            },
          ],
        },
      ],
    },
  };
  const seen: SDKMessage[] = [];
  const reading = (async () => {
    for await (const message of sdk.query({ prompt: 'go', options: options as never })) seen.push(message);
  })();
  await eventually(() => existsSync(join(place.cwd, 'effects')), 10_000);
  server.cli.child.kill('SIGKILL');
  await server.cli.finished;
  const next = await startServer(place, ['--port', port]);
  expect(next.url).toBe(server.url);
  await reading;
  expect(seen.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Done.' });
  const uuids = seen.map((message) => (message as { uuid?: string }).uuid);
  expect(new Set(uuids).size).toBe(uuids.length);
  expect(readFileSync(join(place.cwd, 'effects'), 'utf8')).toBe('one\ntwo\n');
  expect(asked).toEqual(['echo one >> effects; sleep 0.8', 'echo two >> effects']);
  expect(hooked).toEqual(asked);
}, 60_000);

test('a question outlives the server: it is answered while none runs, and the call runs once', async () => {
  const place = await makePlace([[text('Now.'), toolUse('Bash', { command: 'echo x >> effects' })], 'Done.']);
  const server = await startServer(place);
  const { id } = (await server.call('POST', '/v1/sessions', { body: { messages: [{ content: 'go' }] } })).body;
  await expect.poll(async () => (await server.call('GET', `/v1/sessions/${id}`)).body.state).toBe('requires_action');
  const [question] = (await server.call('GET', '/v1/questions')).body.questions;
  server.cli.child.kill('SIGKILL');
  await server.cli.finished;
  const next = await startServer(place);
  const [still] = (await next.call('GET', '/v1/questions')).body.questions;
  expect(still.id).toBe(question.id);
  const answered = await next.call('POST', `/v1/questions/${question.id}/answer`, { body: { behavior: 'allow' } });
  expect(answered.status).toBe(200);
  const turn = async () => (await next.call('GET', `/v1/sessions/${id}/turns`)).body.turns[0];
  await expect.poll(async () => (await turn()).state, { timeout: 10_000 }).toBe('ended');
  expect((await turn()).result).toMatchObject({ result: 'Done.' });
  expect(readFileSync(join(place.cwd, 'effects'), 'utf8')).toBe('x\n');
  expect((await next.call('GET', '/v1/questions')).body.questions).toEqual([]);
  const unknown = await next.call('POST', `/v1/questions/${id}/answer`, { body: { behavior: 'allow' } });
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'unknown_question']);
  const malformed = await next.call('POST', `/v1/questions/${question.id}/answer`, { body: { behavior: 'perhaps' } });
  expect(malformed.status).toBe(422);
});

test('SIGTERM: what runs may end, what waits is answered by the next server', async () => {
  const place = await makePlace([toolUse('Bash', { command: 'touch begun; sleep 1' }), 'First.', 'Second.']);
  const server = await startServer(place);
  const body = { config: { allowedTools: ['Bash'] }, messages: [{ content: 'one' }, { content: 'two' }] };
  const { id } = (await server.call('POST', '/v1/sessions', { body })).body;
  await eventually(() => existsSync(join(place.cwd, 'begun')), 10_000);
  server.cli.child.kill('SIGTERM');
  expect((await server.cli.finished).code).toBe(0);
  const next = await startServer(place);
  const turns = async () => (await next.call('GET', `/v1/sessions/${id}/turns`)).body.turns;
  await expect
    .poll(async () => (await turns()).map(({ result }: { result: { result: string } | null }) => result?.result))
    .toEqual(['Second.', 'First.']);
  expect((await turns()).map(({ attempts }: { attempts: number }) => attempts)).toEqual([1, 1]);
});

test('what a server refuses is an error with its reason', async () => {
  const place = await makePlace(['Hello.']);
  const server = await startServer(place);
  const ask = async (token: string, options: object = {}, url = server.url) => {
    for await (const _ of sdk.query({ prompt: 'hi', options: { transport: sdk.remote(url, { token }), ...options } })) {
      // only how it ends matters
    }
  };
  await expect(ask('hdl_0_0')).rejects.toMatchObject({ code: 'not_authenticated' });
  await expect(ask(server.token, {}, 'http://127.0.0.1:1')).rejects.toMatchObject({ code: 'connection_failed' });
  const resume = '11111111-1111-4111-8111-111111111111';
  await expect(ask(server.token, { resume })).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(ask(server.token, { allowedTools: ['Bash('] })).rejects.toThrow('no permission rule');
  await expect(
    ask(server.token, { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }),
  ).rejects.toMatchObject({
    code: 'not_permitted',
  });
  await expect(ask(server.token, { additionalDirectories: ['/'] })).rejects.toMatchObject({ code: 'not_permitted' });
  await expect(ask(server.token, { env: { A: 'b' } })).rejects.toMatchObject({ code: 'invalid_option' });
  expect(() => sdk.remote('localhost:1', { token: 'x' })).toThrow('remote(url, { token })');
});
