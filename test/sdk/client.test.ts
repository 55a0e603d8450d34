import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClientOptions, HeddleClient, type SDKMessage, type SDKUserMessage } from '../../src/sdk/index.ts';
import { type Line, textsOf } from '../support/lines.ts';
import { RESULT, type Script, scriptedAgent } from '../support/scripted-agent.ts';

async function connected(script: Script = {}, options: ClientOptions = {}) {
  const agent = scriptedAgent(script);
  const client = new HeddleClient(options, agent.connect);
  onTestFinished(async () => void (await client.disconnect()));
  await client.connect();
  return { agent, client };
}

/** Answers every prompt with two lines and a result that says the prompt. */
const echo: Script['onUser'] = (line, agent) => {
  const said = textsOf(line.message)[0];
  agent.say({ type: 'novelty', about: said, part: 1 });
  agent.say({ type: 'novelty', about: said, part: 2 });
  agent.say({ ...RESULT, result: said });
};

async function collect<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const message of messages) seen.push(message);
  return seen;
}

const briefly = (message: SDKMessage) => {
  const line = message as unknown as Line;
  return line.type === 'result' ? `result ${line.result}` : `${line.about} ${line.part}`;
};
const answerTo = (prompt: string) => [`${prompt} 1`, `${prompt} 2`, `result ${prompt}`];
const users = (lines: Line[]) => lines.filter(({ type }) => type === 'user');

async function* stream(...texts: string[]): AsyncGenerator<SDKUserMessage, void> {
  for (const text of texts)
    yield { type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } } as never;
}

describe('connect', () => {
  test('[CNT-01, CNT-02, TRN-08] without a prompt: a given transport is used, and only initialize is sent', async () => {
    const { agent } = await connected();
    expect(agent.lines.map(({ type }) => type)).toEqual(['control_request']);
    expect(agent.requests).toMatchObject([{ subtype: 'initialize' }]);
  });

  test('[CNT-01] a transport may be given as it is', async () => {
    const agent = scriptedAgent();
    const client = new HeddleClient({}, agent.connect({ config: {} }));
    await client.connect();
    await client.disconnect();
    expect(agent.requests).toMatchObject([{ subtype: 'initialize' }]);
  });

  test('[CNT-03] a text is not sent: query does that', async () => {
    const agent = scriptedAgent();
    const client = new HeddleClient({}, agent.connect);
    await client.connect('hello');
    await client.setModel('x'); // a round trip, so that everything before it has arrived
    expect(users(agent.lines)).toEqual([]);
    await client.disconnect();
  });

  test('[CNT-04] a stream is sent in the background, and its end is not the end of the input', async () => {
    const agent = scriptedAgent({ onUser: echo });
    const client = new HeddleClient({}, agent.connect);
    await client.connect(stream('one', 'two'));
    expect((await collect(client.receiveResponse())).map(briefly)).toEqual(answerTo('one'));
    expect((await collect(client.receiveResponse())).map(briefly)).toEqual(answerTo('two'));
    await client.query('three');
    expect((await collect(client.receiveResponse())).map(briefly)).toEqual(answerTo('three'));
    expect(agent.deeds).toEqual([]);
    await client.disconnect();
  });

  test('options are checked at once; an agent that cannot start rejects connect, which may be tried again', async () => {
    expect(() => new HeddleClient({ maxTurns: 0 })).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    expect(() => new HeddleClient({ historySize: 0 })).toThrow(/historySize/);
    const client = new HeddleClient({ pathToHeddleExecutable: '/nowhere/agent' });
    await expect(client.connect()).rejects.toMatchObject({ code: 'cli_not_found' });
    await expect(client.connect()).rejects.toMatchObject({ code: 'cli_not_found' });
  });

  test('twice is an error; after disconnect it begins anew', async () => {
    const { agent, client } = await connected({ onUser: echo });
    await expect(client.connect()).rejects.toThrow(/connected already/);
    await client.disconnect();
    await client.connect();
    await client.query('again');
    expect((await collect(client.receiveResponse())).map(briefly)).toEqual(answerTo('again'));
    expect(agent.launches).toHaveLength(2);
  });
});

describe('reading', () => {
  test('[CNT-05, INP-08] a query is a user line with its session id, default unless it is named, in the same process', async () => {
    const { agent, client } = await connected();
    await client.query('one');
    await client.query('two', 'other');
    await collect(client.receiveResponse());
    expect(users(agent.lines).map(({ session_id, message }) => [session_id, message?.content])).toEqual([
      ['default', [{ type: 'text', text: 'one' }]],
      ['other', [{ type: 'text', text: 'two' }]],
    ]);
    expect(agent.launches).toHaveLength(1);
  });

  test('[CNT-06, CNT-07, CNT-08] both views at once: all until the end, and one response at a time', async () => {
    const { agent, client } = await connected({ onUser: echo });
    const all = collect(client.receiveMessages());
    for (const prompt of ['one', 'two']) {
      await client.query(prompt);
      expect((await collect(client.receiveResponse())).map(briefly)).toEqual(answerTo(prompt));
    }
    agent.exit();
    expect((await all).map(briefly)).toEqual([...answerTo('one'), ...answerTo('two')]);
  });

  test('a response is there for whoever comes after it', async () => {
    const { client } = await connected({ onUser: echo });
    await client.query('one');
    await client.setModel('x');
    expect((await collect(client.receiveResponse())).map(briefly)).toEqual(answerTo('one'));
  });

  test('leaving a loop early: the next one goes on behind it', async () => {
    const { client } = await connected({ onUser: echo });
    await client.query('one');
    for await (const message of client.receiveMessages()) if (briefly(message) === 'one 2') break;
    expect((await collect(client.receiveResponse())).map(briefly)).toEqual(['result one']);
  });

  test('[ARC-15] the end reaches every reader, and so does a failure', async () => {
    const { agent, client } = await connected();
    const ended = [client.receiveMessages(), client.receiveResponse(), client.subscribe()].map((each) =>
      collect<unknown>(each),
    );
    agent.exit();
    expect(await Promise.all(ended)).toEqual([[], [], []]);

    const other = await connected();
    const failed = [other.client.receiveMessages(), other.client.subscribe()].map((each) => collect<unknown>(each));
    other.agent.exit(3);
    for (const each of failed) await expect(each).rejects.toMatchObject({ name: 'ProcessError', exitCode: 3 });
  });

  test('a reader that waits can leave', async () => {
    const { client } = await connected();
    const reader = client.receiveMessages();
    const waiting = reader.next();
    await reader.return();
    expect(await waiting).toEqual({ value: undefined, done: true });
    await client.query('on');
    expect(await collect(client.receiveResponse())).toHaveLength(1);
  });
});

describe('control', () => {
  test('[CNT-09, CNT-10, CNT-11] interrupt, setPermissionMode and setModel are requests', async () => {
    const { agent, client } = await connected();
    await client.interrupt();
    await client.setPermissionMode('plan');
    await client.setModel('opus');
    await client.setModel();
    expect(agent.requests.slice(1)).toEqual([
      { subtype: 'interrupt' },
      { subtype: 'set_permission_mode', mode: 'plan' },
      { subtype: 'set_model', model: 'opus' },
      { subtype: 'set_model' },
    ]);
  });

  test('[CNT-12, CNT-13] rewindFiles and getMcpStatus', async () => {
    const mcpServers = [{ name: 's', status: 'connected' }];
    const { agent, client } = await connected({ answer: () => ({ mcpServers, canRewind: true }) });
    expect(await client.rewindFiles('u')).toMatchObject({ canRewind: true });
    expect(await client.getMcpStatus()).toEqual(mcpServers);
    expect(agent.requests.slice(1)).toEqual([
      { subtype: 'rewind_files', user_message_id: 'u' },
      { subtype: 'mcp_status' },
    ]);
  });

  test('[CNT-14] getServerInfo: nothing before, then what initialize told', async () => {
    const agent = scriptedAgent({ answer: () => ({ pid: 7 }) });
    const client = new HeddleClient({}, agent.connect);
    expect(await client.getServerInfo()).toBeNull();
    await client.connect();
    expect(await client.getServerInfo()).toEqual({ pid: 7 });
    await client.disconnect();
    expect(await client.getServerInfo()).toBeNull();
  });

  test('[CNT-16] a control call in the middle of a stream leaves no gap', async () => {
    const { agent, client } = await connected({
      onUser: (_line, { say }) => {
        for (let n = 0; n < 100; n++) say({ type: 'novelty', n });
      },
    });
    await client.query('go');
    const seen: unknown[] = [];
    for await (const message of client.receiveResponse()) {
      seen.push((message as unknown as Line).n);
      if (seen.length === 50) await client.setModel('x');
      if (seen.length === 100) agent.say(RESULT);
    }
    expect(seen).toEqual([...Array.from({ length: 100 }, (_, n) => n), undefined]);
  });

  test('[CNT-15, ARC-10, TRN-07] disconnect ends the input, then closes', async () => {
    const { agent, client } = await connected();
    expect(await client.disconnect()).toMatchObject({ code: 0 });
    expect(agent.deeds).toEqual(['endInput', 'close']);
    expect(await client.disconnect()).toBeNull();
  });

  test.each<[string, (client: HeddleClient) => Promise<unknown>]>([
    ['query', (client) => client.query('x')],
    ['receiveMessages', (client) => client.receiveMessages().next()],
    ['receiveResponse', (client) => client.receiveResponse().next()],
    ['subscribe', (client) => client.subscribe().next()],
    ['interrupt', (client) => client.interrupt()],
    ['setPermissionMode', (client) => client.setPermissionMode('plan')],
    ['setModel', (client) => client.setModel('x')],
    ['rewindFiles', (client) => client.rewindFiles('x')],
    ['getMcpStatus', (client) => client.getMcpStatus()],
    ['initializationResult', (client) => client.initializationResult()],
    ['setMcpServers', (client) => client.setMcpServers({})],
  ])('[CNT-17, ERR-03] %s before connect and after disconnect', async (_name, call) => {
    const notConnected = { name: 'NotConnectedError', message: 'Not connected. Call connect() first.' };
    const client = new HeddleClient({}, scriptedAgent().connect);
    await expect(call(client)).rejects.toMatchObject(notConnected);
    await client.connect();
    await client.disconnect();
    await expect(call(client)).rejects.toMatchObject(notConnected);
  });

  test('[OPT-01] the abortController ends the connection for every reader', async () => {
    const abortController = new AbortController();
    const { client } = await connected({}, { abortController });
    const reading = collect(client.receiveMessages());
    abortController.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});
