import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createSession,
  HeddleError,
  prompt,
  resumeSession,
  type SDKMessage,
  type SessionOptions,
  unstable_v2_createSession,
  unstable_v2_prompt,
  unstable_v2_resumeSession,
} from '../../src/sdk/index.ts';
import type { Line } from '../support/lines.ts';
import { RESULT, type Script, scriptedAgent } from '../support/scripted-agent.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function opened(script: Script = {}, options: SessionOptions = {}) {
  const agent = scriptedAgent(script);
  const session = createSession({ transport: agent.connect, ...options });
  onTestFinished(async () => void (await session.close()));
  return { agent, session };
}

async function types(messages: AsyncIterable<SDKMessage>): Promise<string[]> {
  const seen: string[] = [];
  for await (const { type } of messages) seen.push(type);
  return seen;
}

const users = (lines: Line[]) => lines.filter(({ type }) => type === 'user');

describe('send', () => {
  test('[V2-04] resolves with the uuid of the message, before it is answered', async () => {
    const { agent, session } = opened({ onUser: () => {} });
    const uuid = await session.send('hello');
    expect(uuid).toMatch(UUID);
    await session.setModel('x');
    expect(users(agent.lines)).toEqual([
      {
        type: 'user',
        session_id: '',
        message: { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        parent_tool_use_id: null,
        uuid,
      },
    ]);
  });

  test('[QRY-09] initialize is written before the first message', async () => {
    const { agent, session } = opened();
    await session.send('hello');
    await types(session.stream());
    expect(agent.lines.map(({ type }) => type)).toEqual(['control_request', 'user']);
  });

  test('[K41] a message says which one it continues; null is a new beginning', async () => {
    const { agent, session } = opened({
      answer: () => ({ capabilities: ['parent_uuid'] }),
      onUser: ({ uuid }, { say }) => {
        say({ type: 'command_lifecycle', command_uuid: uuid, state: 'queued', uuid: 'l', session_id: 's' });
        say(RESULT);
      },
    });
    const first = await session.send('one');
    await session.send('two', { parentUuid: first });
    await session.send('three', { parentUuid: null });
    await session.send('four');
    await types(session.stream());
    const parents = users(agent.lines).map((line) => ('parentUuid' in line ? line.parentUuid : 'absent'));
    expect(parents).toEqual(['absent', first, null, 'absent']);
  });

  test('[K41] an agent that does not know branches is not sent any', async () => {
    const { agent, session } = opened();
    await expect(session.send('two', { parentUuid: null })).rejects.toMatchObject({ code: 'not_supported' });
    expect(users(agent.lines)).toEqual([]);
  });

  test('a message may be given whole, with a uuid of its own', async () => {
    const { agent, session } = opened();
    const message = { type: 'user', uuid: 'mine', message: { role: 'user', content: 'hi' } } as never;
    expect(await session.send(message)).toBe('mine');
    await types(session.stream());
    expect(users(agent.lines)).toEqual([message]);
  });

  test('[K26] what the agent reports on a uuid that was made here is not for the host, unless it failed', async () => {
    const states = ['queued', 'started', 'completed', 'failed'];
    const { session } = opened({
      onUser: ({ uuid }, { say }) => {
        const line = { type: 'command_lifecycle', command_uuid: uuid, uuid: 'l', session_id: 's' };
        for (const state of uuid === 'mine' ? states : ['queued', 'failed']) say({ ...line, state });
        say(RESULT);
      },
    });
    await session.send('hi');
    expect(await types(session.stream())).toEqual(['command_lifecycle', 'result']);
    await session.send({ type: 'user', uuid: 'mine', message: { role: 'user', content: 'hi' } } as never);
    expect(await types(session.stream())).toEqual([...states.map(() => 'command_lifecycle'), 'result']);
  });

  test('what is no message is refused', async () => {
    const { session } = opened();
    await expect(session.send('  ')).rejects.toMatchObject({ code: 'invalid_option' });
    await expect(session.send(7 as never)).rejects.toMatchObject({ code: 'invalid_option' });
  });

  test('verbatimPrompts: text is taken as it is', async () => {
    const { agent, session } = opened({}, { verbatimPrompts: true });
    await session.send('/compact');
    await types(session.stream());
    expect(users(agent.lines)).toMatchObject([{ client_composed: true }]);
  });
});

describe('stream', () => {
  test('[V2-05, V2-09] ends with a result, and the next one goes on behind it', async () => {
    const { session } = opened({
      onUser: (_line, { say }) => {
        say({ type: 'novelty' });
        say(RESULT);
      },
    });
    for (let round = 0; round < 5; round++) {
      await session.send(`round ${round}`);
      expect(await types(session.stream())).toEqual(['novelty', 'result']);
    }
  });

  test('what a loop has left unread is there for the next', async () => {
    const { session } = opened({
      onUser: (_line, { say }) => {
        for (const type of ['first', 'second']) say({ type });
        say(RESULT);
      },
    });
    await session.send('go');
    for await (const message of session.stream()) if ((message.type as string) === 'first') break;
    expect(await types(session.stream())).toEqual(['second', 'result']);
  });

  test('[ERR-04] an agent that goes away in the middle is an error, also with exit code 0', async () => {
    const { agent, session } = opened();
    await session.send('one');
    expect(await types(session.stream())).toEqual(['result']);
    const other = opened({ onUser: (_line, { exit }) => exit(0) });
    await other.session.send('two');
    await expect(types(other.session.stream())).rejects.toMatchObject({ name: 'ProcessError', exitCode: 0 });
    agent.exit(0);
    expect(await types(session.stream())).toEqual([]); // nothing was asked: it just ends
  });
});

describe('the id', () => {
  test('[V2-01] is known at once, and the agent is told', () => {
    const { agent, session } = opened();
    expect(session.sessionId).toMatch(UUID);
    expect(agent.launches[0]?.config).toMatchObject({ sessionId: session.sessionId });
  });

  test('one may be given', () => {
    expect(opened({}, { sessionId: 'mine' }).session.sessionId).toBe('mine');
  });

  test('[V2-02] of a resumed session it is that one; a copy has another', async () => {
    const agent = scriptedAgent();
    await using session = resumeSession('old', { transport: agent.connect });
    expect(session.sessionId).toBe('old');
    expect(agent.launches[0]?.config).toMatchObject({ resume: 'old' });
    expect(agent.launches[0]?.config).not.toHaveProperty('sessionId');
    await using copy = resumeSession('old', { transport: agent.connect, forkSession: true });
    expect(copy.sessionId).toMatch(UUID);
    expect(agent.launches[1]?.config).toMatchObject({ resume: 'old', forkSession: true, sessionId: copy.sessionId });
  });

  test('comes with the first message where the agent chooses', async () => {
    const { session } = opened({}, { continue: true });
    expect(() => session.sessionId).toThrow(HeddleError);
    await session.send('hi');
    await types(session.stream());
    expect(session.sessionId).toBe('s');
  });
});

describe('the end', () => {
  test('[V2-06, V2-07] close and `await using` end the input, then the agent', async () => {
    const agent = scriptedAgent();
    {
      await using session = createSession({ transport: agent.connect });
      await session.send('hi');
      await types(session.stream());
      expect(agent.deeds).toEqual([]); // [V2-08]: it stays open
    }
    expect(agent.deeds).toEqual(['endInput', 'close']);
  });

  test('close tells how the agent ended; then nothing can be sent', async () => {
    const { session } = opened();
    await session.initializationResult();
    expect(await session.close()).toMatchObject({ code: 0 });
    await expect(session.send('late')).rejects.toMatchObject({ code: 'closed' });
    expect(await types(session.stream())).toEqual([]);
  });
});

describe('prompt', () => {
  test('[V2-03] resolves with the result', async () => {
    const agent = scriptedAgent();
    expect(await prompt('hi', { transport: agent.connect })).toMatchObject({ subtype: 'success', result: 'done' });
  });

  test('[V2-03] with the last one, when work goes on in the background', async () => {
    const agent = scriptedAgent({
      onUser: (_line, { say }) => {
        say({
          ...RESULT,
          result: 'first',
          pending_tasks: [{ task_id: 't', task_type: 'local_bash', description: 'd' }],
        });
        setTimeout(() => say({ ...RESULT, result: 'last' }), 20);
      },
    });
    expect(await prompt('hi', { transport: agent.connect })).toMatchObject({ result: 'last' });
  });

  test('[K16, B-035] the names of the reference are the same functions', () => {
    expect([unstable_v2_createSession, unstable_v2_resumeSession, unstable_v2_prompt]).toEqual([
      createSession,
      resumeSession,
      prompt,
    ]);
  });
});
