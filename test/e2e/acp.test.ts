import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { hang, toolUse } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { CLI, runCli, startCli } from '../support/cli.ts';
import { makePlace } from '../support/place.ts';
import { isAlive } from '../support/processes.ts';

const line = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const initialize = line(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });

test('the client of the protocol’s own SDK opens a session, answers a question and sees the result', async () => {
  const place = await makePlace([toolUse('Write', { file_path: 'made.txt', content: 'hello' }), 'All done.']);
  const child = spawn(process.execPath, [CLI, 'acp'], {
    cwd: place.cwd,
    env: place.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdin, stdout } = child;
  const stream = ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
  );
  const updates: JsonObject[] = [];
  const questions: unknown[] = [];
  const app = client({ name: 'a test' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      const [first] = params.options;
      return { outcome: { outcome: 'selected', optionId: first?.optionId ?? '' } };
    })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update as never));
  const answer = await app.connectWith(stream, async (agent) => {
    await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: place.cwd, mcpServers: [] });
    return agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text: 'write it' }] });
  });
  expect(answer.stopReason).toBe('end_turn');
  expect(questions).toHaveLength(1);
  expect(existsSync(join(place.cwd, 'made.txt'))).toBe(true);
  expect(updates).toContainEqual(expect.objectContaining({ sessionUpdate: 'tool_call', kind: 'edit' }));
  expect(updates).toContainEqual(
    expect.objectContaining({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'All done.' } }),
  );
});

test('half lines are an error, stdout has nothing but the protocol, and the end of the input is the end', async () => {
  const place = await makePlace([]);
  const run = await runCli(['acp'], { place, stdin: `{"jsonrpc":"2.0","id":9,"meth\n${initialize}{"jsonrpc"` });
  expect(run.code).toBe(0);
  expect(
    run.stdout
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each).jsonrpc),
  ).toEqual(['2.0', '2.0', '2.0']);
  expect(run.lines[0]).toMatchObject({ id: null, error: { code: -32700 } });
  expect(run.lines[1]).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
});

test('an editor that is killed leaves no process, and the session is there', async () => {
  const place = await makePlace([toolUse('Bash', { command: 'echo $$ > pid; exec sleep 300' }), 'never']);
  const cli = startCli(['acp', '--allowed-tools', 'Bash'], { place });
  cli.write(initialize);
  cli.write(line(2, 'session/new', { cwd: place.cwd, mcpServers: [] }));
  const opened = await cli.next(({ id }) => id === 2);
  const { sessionId } = opened.result as unknown as { sessionId: string };
  cli.write(line(3, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'sleep' }] }));
  await expect.poll(() => existsSync(join(place.cwd, 'pid')), { timeout: 15_000 }).toBe(true);
  cli.endInput();
  expect((await cli.finished).code).toBe(0);
  expect(isAlive(Number(readFileSync(join(place.cwd, 'pid'), 'utf8')))).toBe(false);
  const shown = await runCli(['sessions', 'show', sessionId], { place });
  expect(shown.stdout).toContain('sleep');
});

test('SIGTERM ends it with 143; wrong flags are told', async () => {
  const place = await makePlace([]);
  const cli = startCli(['acp'], { place });
  cli.write(initialize);
  await cli.next(({ id }) => id === 1);
  cli.child.kill('SIGTERM');
  expect((await cli.finished).code).toBe(143);
  const wrong = await runCli(['acp', '--acp-replay', 'middle'], { place });
  expect([wrong.code, wrong.stdout]).toEqual([1, '']);
  expect(wrong.stderr).toContain('start or last-compaction');
});

test('a session that another process has is refused with its pid, or continued as a fork where the editor says so', async () => {
  const place = await makePlace(['one', hang(), 'in the fork']);
  const start = () => {
    const cli = startCli(['acp'], { place });
    cli.write(initialize);
    return cli;
  };
  const [first, second] = [start(), start()];
  first.write(line(2, 'session/new', { cwd: place.cwd, mcpServers: [] }));
  const { sessionId } = (await first.next(({ id }) => id === 2)).result as unknown as { sessionId: string };
  const say = (text: string) => ({ sessionId, prompt: [{ type: 'text', text }] });
  first.write(line(3, 'session/prompt', say('first')));
  await first.next(({ id }) => id === 3);
  first.write(line(4, 'session/prompt', say('second')));
  await expect.poll(() => place.api.requests.length, { timeout: 15_000 }).toBe(2);
  const load = { sessionId, cwd: place.cwd, mcpServers: [] };
  second.write(line(2, 'session/load', load));
  const refused = await second.next(({ id }) => id === 2);
  expect(refused.error).toMatchObject({ data: { error_code: 'session_busy', facts: { pid: first.pid } } });
  second.write(line(3, 'session/load', { ...load, _meta: { heddle: { onBusy: 'fork' } } }));
  const forked = (await second.next(({ id }) => id === 3)).result as unknown as {
    _meta: { heddle: { sessionId: string; forkedFrom: string } };
  };
  const { sessionId: fork, forkedFrom } = forked._meta.heddle;
  expect([forkedFrom, fork === sessionId]).toEqual([sessionId, false]);
  second.write(line(4, 'session/prompt', say('elsewhere')));
  expect((await second.next(({ id }) => id === 4)).result).toMatchObject({ stopReason: 'end_turn' });
  expect(JSON.stringify(place.api.requests.at(-1)?.body)).toContain('first');
  first.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } })}\n`);
  expect((await first.next(({ id }) => id === 4)).result).toMatchObject({ stopReason: 'cancelled' });
  const shown = await runCli(['sessions', 'show', sessionId], { place });
  expect(shown.stdout).not.toContain('elsewhere');
  expect((await runCli(['sessions', 'show', fork], { place })).stdout).toContain('elsewhere');
  // What is done to the session is done to the fork.
  second.write(line(5, 'session/delete', { sessionId }));
  expect((await second.next(({ id }) => id === 5)).error).toBeUndefined();
  const left = await runCli(['sessions', 'list', '--json'], { place });
  expect(left.stdout).toContain(sessionId);
  expect(left.stdout).not.toContain(fork);
});
