import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Options, SDKMessage, Session } from '../../src/sdk/index.ts';
import { hang, toolUse } from '../../src/testing/index.ts';
import { engine as engineModule, sdk } from '../support/built.ts';
import { kindOf, type Line } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { eventually, isAlive } from '../support/processes.ts';
import { conversationText } from '../support/requests.ts';

function open(place: Place, options: Options = {}): Session {
  const session = sdk.createSession({ cwd: place.cwd, env: place.env, ...options });
  onTestFinished(async () => void (await session.close()));
  return session;
}

async function collect(messages: AsyncIterable<SDKMessage>): Promise<Line[]> {
  const seen: Line[] = [];
  for await (const message of messages) seen.push(message as unknown as Line);
  return seen;
}

async function ask(session: Session, text: string): Promise<Line[]> {
  await session.send(text);
  return collect(session.stream());
}

describe('createSession', () => {
  test('[V2-01, V2-05, V2-09] send and stream, five times, in one process', async () => {
    const place = await makePlace((_request, index) => `Answer ${index}.`);
    const session = open(place);
    await session.initializationResult();
    const { pid, sessionId } = session;
    for (let round = 0; round < 5; round++) {
      const lines = await ask(session, `question ${round}`);
      expect(lines.map(kindOf)).toEqual(['system/init', 'assistant', 'result/success']);
      expect(lines.at(-1)).toMatchObject({ result: `Answer ${round}.`, session_id: sessionId });
    }
    expect(session.pid).toBe(pid);
    expect(conversationText(place.api.requests[4])).toMatch(/question 0[\s\S]*Answer 0[\s\S]*question 4/);
  });

  test('[V2-04] send resolves before the answer; what is sent at once is answered in order', async () => {
    const place = await makePlace(['First.', 'Second.']);
    const session = open(place);
    await Promise.all([session.send('one'), session.send('two')]);
    const results = [await collect(session.stream()), await collect(session.stream())];
    expect(results.map((lines) => lines.at(-1)?.result)).toEqual(['First.', 'Second.']);
  });

  test('[V2-06] close ends the process', async () => {
    const place = await makePlace([hang()]);
    const session = open(place);
    await session.send('go');
    await eventually(() => place.api.requests.length === 1);
    const pid = session.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    await session.close();
    expect(isAlive(pid)).toBe(false);
  });

  test('[V2-07] so does the end of its scope', async () => {
    const place = await makePlace(['Hello.']);
    let pid = 0;
    {
      await using session = open(place);
      await ask(session, 'hi');
      pid = session.pid ?? 0;
      expect(isAlive(pid)).toBe(true);
    }
    expect(isAlive(pid)).toBe(false);
  });

  test('[V2-08] it waits for the next message as long as it takes', async () => {
    const place = await makePlace(['First.', 'Second.']);
    const session = open(place);
    await ask(session, 'one');
    await sleep(1500);
    expect((await ask(session, 'two')).at(-1)).toMatchObject({ result: 'Second.' });
  });

  test('[V2-04] the message is recorded under the uuid that send told', async () => {
    const place = await makePlace(['Hello.']);
    const session = open(place, { extraArgs: { 'replay-user-messages': null } });
    const uuid = await session.send('hi');
    expect(await collect(session.stream())).toContainEqual(expect.objectContaining({ type: 'user', uuid }));
  });

  test('[QM-01] interrupt ends the turn, and the session goes on', async () => {
    const place = await makePlace([hang(), 'Second.']);
    const session = open(place);
    await session.send('one');
    await eventually(() => place.api.requests.length === 1);
    await session.interrupt();
    expect((await collect(session.stream())).at(-1)).toMatchObject({ subtype: 'error_during_execution' });
    expect((await ask(session, 'two')).at(-1)).toMatchObject({ result: 'Second.' });
  });

  test('[OPT-07] callbacks are asked', async () => {
    const place = await makePlace([toolUse('Bash', { command: 'touch x' }), 'Done.']);
    const asked: string[] = [];
    const session = open(place, {
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: 'deny', message: 'no' };
      },
    });
    expect((await ask(session, 'go')).at(-1)).toMatchObject({ result: 'Done.' });
    expect(asked).toEqual(['Bash']);
  });

  test('[V2-11, V2-10, ARC-06] in this process, too: the same messages as from query', async () => {
    const place = await makePlace(() => 'Hello.');
    const engine = engineModule.createEngine({ cwd: place.cwd, env: place.env });
    onTestFinished(() => engine.close());
    const transport = engineModule.inProcess(engine);
    const session = open(place, { transport });
    const inSession = (await ask(session, 'hi')).map(kindOf);
    const inQuery = (await collect(sdk.query({ prompt: 'hi', options: { cwd: place.cwd, env: place.env } }))).map(
      kindOf,
    );
    expect(inSession).toEqual(inQuery);
  });
});

describe('resumeSession', () => {
  test('[V2-02] goes on with what was said', async () => {
    const place = await makePlace(['First.', 'Second.']);
    const first = open(place);
    await ask(first, 'one');
    await first.close();
    const again = sdk.resumeSession(first.sessionId, { cwd: place.cwd, env: place.env });
    onTestFinished(async () => void (await again.close()));
    expect((await ask(again, 'two')).at(-1)).toMatchObject({ result: 'Second.', session_id: first.sessionId });
    expect(conversationText(place.api.requests[1])).toMatch(/one[\s\S]*First\.[\s\S]*two/);
  });

  test('[OPT-15] forkSession: a copy, whose id is known at once', async () => {
    const place = await makePlace(['First.', 'Second.']);
    const first = open(place);
    await ask(first, 'one');
    await first.close();
    const copy = sdk.resumeSession(first.sessionId, { cwd: place.cwd, env: place.env, forkSession: true });
    onTestFinished(async () => void (await copy.close()));
    const { sessionId } = copy;
    expect(sessionId).not.toBe(first.sessionId);
    expect((await ask(copy, 'two')).at(-1)).toMatchObject({ session_id: sessionId });
  });
});

describe('branches', () => {
  test('[K41] a message can continue an earlier one; branches are listed, switched to and copied', async () => {
    const place = await makePlace((_request, index) => `Answer ${index}.`);
    const session = open(place);
    const first = await session.send('first');
    await collect(session.stream());
    await ask(session, 'second');
    await session.send('another second', { parentUuid: first });
    await collect(session.stream());
    const sent = conversationText(place.api.requests[2]);
    expect(sent).toContain('another second');
    expect(sent).not.toContain('Answer 1.');

    const branches = await session.branches();
    expect(branches.map(({ preview, active }) => [preview, active])).toEqual([
      ['second', false],
      ['another second', true],
    ]);
    const { leaves, nodes } = await session.tree();
    expect(leaves).toEqual(branches.map(({ leaf_uuid }) => leaf_uuid));
    expect(nodes.map(({ uuid }) => uuid)).toContain(first);

    const leaf = branches[0]?.leaf_uuid ?? '';
    expect(await session.switch(leaf)).toMatchObject({ leaf_uuid: leaf, leafUuid: leaf });
    expect(await session.tree()).toMatchObject({ leaf_uuid: leaf, leafUuid: leaf });
    await ask(session, 'third');
    expect(conversationText(place.api.requests[3])).toMatch(/second[\s\S]*Answer 1\.[\s\S]*third/);

    const copy = sdk.resumeSession(await session.fork(), { cwd: place.cwd, env: place.env });
    onTestFinished(async () => void (await copy.close()));
    await ask(copy, 'fourth');
    expect(conversationText(place.api.requests[4])).toMatch(/third[\s\S]*Answer 3\.[\s\S]*fourth/);
  });

  test('[K41] null is a new beginning', async () => {
    const place = await makePlace((_request, index) => `Answer ${index}.`);
    const session = open(place);
    await ask(session, 'first');
    await session.send('anew', { parentUuid: null });
    await collect(session.stream());
    expect(conversationText(place.api.requests[1])).not.toContain('Answer 0.');
  });

  test('[K41] a parent that the session does not have: send rejects, and nothing is sent', async () => {
    const place = await makePlace((_request, index) => `Answer ${index}.`);
    const session = open(place);
    await ask(session, 'first');
    const parentUuid = '99999999-9999-4999-8999-999999999999';
    await expect(session.send('lost', { parentUuid })).rejects.toMatchObject({ code: 'unknown_parent' });
    await ask(session, 'second');
    expect(place.api.requests).toHaveLength(2);
    expect(conversationText(place.api.requests[1])).not.toContain('lost');
  });
});

describe('prompt', () => {
  test('[V2-03] resolves with the result, and leaves no process', async () => {
    const place = await makePlace(['Hello.']);
    const result = await sdk.prompt('hi', { cwd: place.cwd, env: place.env });
    expect(result).toMatchObject({ type: 'result', subtype: 'success', result: 'Hello.' });
  });

  test('[V2-03] an error result is a result', async () => {
    const place = await makePlace([toolUse('Bash', { command: 'echo 1' })]);
    const result = await sdk.prompt('hi', { cwd: place.cwd, env: place.env, maxTurns: 1, allowedTools: ['Bash'] });
    expect(result).toMatchObject({ subtype: 'error_max_turns', is_error: true });
  });

  test('[ERR-01] what fails before that rejects', async () => {
    await expect(sdk.prompt('hi', { pathToHeddleExecutable: '/nowhere/agent' })).rejects.toBeInstanceOf(
      sdk.CliNotFoundError,
    );
  });
});
