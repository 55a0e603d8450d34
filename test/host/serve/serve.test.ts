import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { inProcess } from '../../../src/host/serve/in-process.ts';
import { serve } from '../../../src/host/serve/serve.ts';
import { stdioTransport } from '../../../src/host/serve/stdio.ts';
import { openSession } from '../../../src/host/session/open-session.ts';
import { hang, reply, text, toolUse } from '../../../src/testing/script.ts';
import { Aborted } from '../../../src/util/abort.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { HeddleError, JsonDecodeError } from '../../../src/wire/errors.ts';
import { readLines } from '../../../src/wire/link/jsonl.ts';
import { memoryPair } from '../../../src/wire/link/memory-transport.ts';
import type { Transport } from '../../../src/wire/link/transport.ts';
import type { Message, UserInput } from '../../../src/wire/messages/index.ts';
import { InputErrorMessage } from '../../../src/wire/messages/index.ts';
import { times } from '../../agent/support.ts';
import { Client, createHouse, type House, kindOf } from '../support.ts';

describe('lines that cannot be used', () => {
  const user = (message: unknown): JsonObject => ({ type: 'user', message });
  test.each<[string, JsonObject]>([
    ['a type that is not understood', { type: 'banana' }],
    ['no type', {}],
    ['a type that is no text', { type: 7 }],
    ['a user line without a message', { type: 'user' }],
    ['a message that is null', user(null)],
    ['a message of another role', user({ role: 'assistant', content: 'x' })],
    ['no content', user({ role: 'user' })],
    ['content of a wrong type', user({ role: 'user', content: 7 })],
    ['a list of things that are no blocks', user({ role: 'user', content: ['x', null] })],
    ['a message with nothing in it', user({ role: 'user', content: [] })],
    ['an empty text', user({ role: 'user', content: ' ' })],
  ])('[K23, P-1] %s: an error line, and the session goes on', async (_what, line) => {
    const house = createHouse(['fine']);
    const client = house.connect();
    client.send(line);
    expect(await client.ask('good')).toMatchObject({ result: 'fine' });
    expect(kindOf(client.lines[0] ?? {})).toBe('system/input_error');
    expect(InputErrorMessage.safeParse(client.lines[0]).success).toBe(true);
    expect(house.model.requests).toHaveLength(1);
    expect(await client.end()).toMatchObject({ code: 0 });
  });

  test('[K23] text that is no JSON, as transports report it', async () => {
    const { engine } = createHouse(['fine']);
    const { near, far } = memoryPair();
    const torn: Transport = {
      connect: () => far.connect(),
      write: (line) => far.write(line),
      async *readMessages() {
        yield new JsonDecodeError('not JSON: {"type');
        yield* far.readMessages();
      },
      endInput: () => far.endInput(),
      close: () => far.close(),
      isReady: () => far.isReady(),
      exit: Promise.resolve({ code: 0, signal: null, stderr: '' }),
    };
    const served = serve(engine, torn, { config: {} }, new AbortController().signal);
    const client = new Client(near);
    expect(await client.ask('good')).toMatchObject({ result: 'fine' });
    expect(client.lines[0]).toMatchObject({ subtype: 'input_error', error: expect.stringContaining('not JSON') });
    near.endInput();
    expect(await served).toEqual({ exitCode: 0 });
  });

  test('[K34, K23] a line of stdin past the cap: an error line with its size, and later lines are answered', async () => {
    const house = createHouse(['fine', 'fine, too']);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const capped: Transport = {
      ...stdioTransport(input, output),
      readMessages: () => readLines(input, { maxBytes: 200 }),
    };
    const served = serve(house.engine, capped, { config: {} }, new AbortController().signal);
    const say = (content: string) =>
      input.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
    say('first');
    say('x'.repeat(5000));
    say('second');
    input.end();
    expect(await served).toEqual({ exitCode: 0 });
    await capped.close();
    const lines: JsonObject[] = [];
    for await (const line of readLines(output)) lines.push(line as JsonObject);
    expect(lines.filter(({ type }) => type === 'result').at(-1)).toMatchObject({ is_error: false });
    expect(lines.filter(({ subtype }) => subtype === 'input_error')).toMatchObject([
      { error: expect.stringMatching(/^Line 2 was skipped: it has 50\d\d bytes, and 200 is the limit$/) },
    ]);
    const requests = JSON.stringify(house.model.requests);
    expect(requests).toContain('second');
    expect(requests).not.toContain('x'.repeat(100));
  });

  test('an input that breaks off ends the session after what was queued', async () => {
    const house = createHouse(['fine']);
    const lines: JsonObject[] = [];
    const broken: Transport = {
      connect: async () => {},
      write: (line) => {
        lines.push(line);
        return undefined;
      },
      async *readMessages() {
        yield { type: 'user', message: { role: 'user', content: 'hi' } };
        throw new HeddleError('connection_failed', 'The cable was cut');
      },
      endInput: () => {},
      close: async () => ({ code: 0, signal: null, stderr: '' }),
      isReady: () => true,
      exit: Promise.resolve({ code: 0, signal: null, stderr: '' }),
    };
    expect(await serve(house.engine, broken, { config: {} }, new AbortController().signal)).toEqual({ exitCode: 1 });
    expect(lines.map(kindOf)).toEqual(['system/init', 'assistant', 'result']);
    expect(house.logs).toContainEqual({ level: 'error', message: expect.stringContaining('The cable was cut') });
  });

  test('[P-12] an input that ends at once: no line, and a clean exit', async () => {
    const client = createHouse([]).connect();
    expect(await client.end()).toMatchObject({ code: 0 });
    expect(client.lines).toEqual([]);
  });
});

describe('a session that cannot be opened', () => {
  test('[K6, SEQ-08] one that is not there is a lone result', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const client = createHouse([]).connect({ resume: id });
    expect(await client.end()).toMatchObject({ code: 1 });
    expect(client.lines).toHaveLength(1);
    expect(client.results[0]).toMatchObject({
      subtype: 'error_during_execution',
      errors: [`No conversation found with session ID: ${id}`],
      error_code: 'session_not_found',
    });
  });

  test.each<[string, JsonObject, string]>([
    ['a mode that does not exist', { permissionMode: 'banana' }, 'banana'],
    ['a rule that cannot be read', { disallowedTools: ['Bash(rm'] }, 'Bash(rm'],
    ['settings that are not there', { settings: 'nowhere.json' }, 'nowhere.json'],
    ['a turn cap of 0', { maxTurns: 0 }, '--max-turns'],
    ['half a turn', { maxTurns: 1.5 }, '--max-turns'],
    ['no budget', { maxBudgetUsd: 0 }, '--max-budget-usd'],
    ['an id that is no uuid', { sessionId: 'mine' }, 'mine'],
    ['a prompt given twice', { systemPrompt: 'a', systemPromptFile: 'b' }, '--system-prompt'],
  ])('[P-20, R-18] %s is a usage error: no line, exit 1, and the reason', async (_what, config, reason) => {
    const client = createHouse([]).connect(config);
    const exit = await client.end();
    expect(exit).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
    expect(client.lines).toEqual([]);
  });

  test('[P-20] a working directory that is not there', async () => {
    const client = createHouse([]).connect({}, { cwd: '/does/not/exist' });
    expect(await client.end()).toMatchObject({ code: 1, stderr: expect.stringContaining('/does/not/exist') });
  });
});

describe('stopping', () => {
  const input = (words: string): UserInput => ({ type: 'user', message: { role: 'user', content: words } });

  async function running(house: House) {
    const lines: Message[] = [];
    const session = await openSession(house.engine, { config: {} }, (line) => {
      lines.push(line);
      return undefined;
    });
    session.submit(input('one'));
    session.submit(input('two'));
    while (house.model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    return { session, lines };
  }

  test('the running turn gets its result, what is queued is dropped', async () => {
    const house = createHouse([hang(), 'never']);
    const { session, lines } = await running(house);
    session.stop(new Aborted('shutdown'));
    expect(await session.finished).toEqual({ lastResultIsError: true });
    expect(lines.map((line) => kindOf(line as JsonObject))).toEqual(['system/init', 'user', 'result']);
    expect(house.model.requests).toHaveLength(1);
  });

  test('nothing can be queued any more', async () => {
    const house = createHouse([hang(), 'never']);
    const { session } = await running(house);
    session.stop(new Aborted('shutdown'));
    session.submit(input('three'));
    await session.finished;
    expect(house.model.requests).toHaveLength(1);
  });

  test('the signal of the server stops its sessions, which still tell how they ended', async () => {
    const house = createHouse([hang()]);
    const stop = new AbortController();
    const client = new Client(inProcess(house.engine, stop.signal)({ config: {} }));
    client.say('go');
    await client.until(() => client.of('system/init').length === 1);
    stop.abort();
    expect(await client.result(0)).toMatchObject({ subtype: 'error_during_execution' });
    expect(await client.end()).toMatchObject({ code: 1 });
  });

  test('a signal that has fired before: nothing is begun', async () => {
    const house = createHouse(['never']);
    const client = new Client(inProcess(house.engine, AbortSignal.abort())({ config: {} }));
    client.say('go');
    await client.end();
    expect(house.model.requests).toEqual([]);
  });

  test('[P-15] when nobody reads any more, no further request is made', async () => {
    const house = createHouse(times(20, toolUse('Glob', { pattern: '*' })));
    let lines = 0;
    const session = await openSession(house.engine, { config: {} }, () =>
      ++lines > 3 ? Promise.reject(new HeddleError('closed', 'gone')) : undefined,
    );
    session.submit(input('one'));
    session.submit(input('two'));
    expect(await session.finished).toEqual({ lastResultIsError: true });
    expect(house.model.requests.length).toBeLessThanOrEqual(2);
    const before = house.model.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(house.model.requests).toHaveLength(before);
  });

  test('closing the connection ends the work behind it', async () => {
    const house = createHouse([reply([text('a')], { waitMs: 10_000 })]);
    const client = house.connect();
    client.say('go');
    await client.until(() => client.of('system/init').length === 1);
    const started = Date.now();
    await client.close();
    expect(Date.now() - started).toBeLessThan(5000);
  });
});

describe('in process', () => {
  test('a slow reader slows the session down instead of filling the memory', async () => {
    const pieces = Array.from({ length: 3000 }, () => 'x');
    const house = createHouse([[text(...pieces)]]);
    const transport = inProcess(house.engine)({ config: { includePartialMessages: true } });
    await transport.connect();
    transport.write({ type: 'user', message: { role: 'user', content: 'go' } });
    const reader = transport.readMessages()[Symbol.asyncIterator]();
    await reader.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    let rest = 0;
    for (;;) {
      const { value, done } = await reader.next();
      rest++;
      if (done || (value as JsonObject).type === 'result') break;
    }
    expect(rest).toBeGreaterThan(3000);
    transport.endInput();
    expect(await transport.exit).toMatchObject({ code: 0 });
  });

  test('[P-1] an engine that breaks tells the client how', async () => {
    const house = createHouse([]);
    const engine = { ...house.engine, cwdOf: () => (0 as unknown as { x: { y: string } }).x.y };
    const client = new Client(inProcess(engine)({ config: {} }));
    expect(await client.end()).toMatchObject({ code: 1, stderr: expect.stringContaining('undefined') });
  });
});
