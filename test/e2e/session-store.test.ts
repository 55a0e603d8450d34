import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Options, SDKMessage } from '../../src/sdk/index.ts';
import type { SessionStore } from '../../src/sessions/store.ts';
import { createMemoryStore } from '../../src/sessions/stores/memory-store.ts';
import { toolUse } from '../../src/testing/index.ts';
import { engine, sdk } from '../support/built.ts';
import { cast, messagesOf, task } from '../support/cast.ts';
import { makePlace, type Place } from '../support/place.ts';
import { ReferenceStore } from '../support/reference-store.ts';
import { conversationText } from '../support/requests.ts';
import { ROOT } from '../support/root.ts';
import { describeSandboxed } from '../support/sandbox.ts';

async function run(prompt: string, options: Options): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of sdk.query({ prompt, options })) messages.push(message);
  return messages;
}

function resultOf(messages: readonly SDKMessage[]) {
  return messages.find((message) => message.type === 'result');
}

/** A store that notes the order in which things happen. */
function watched(): { store: SessionStore; appended: string[] } {
  const memory = createMemoryStore();
  const appended: string[] = [];
  const store: SessionStore = {
    ...memory,
    async append(key, entries) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await memory.append(key, entries);
      for (const { uuid } of entries) if (typeof uuid === 'string') appended.push(uuid);
    },
  };
  return { store, appended };
}

function hostings(place: Place): [string, Options][] {
  const local = engine.createEngine({ cwd: place.cwd, env: place.env });
  const base = { cwd: place.cwd, env: place.env };
  return [
    ['a subprocess', base],
    ['this process', { ...base, transport: engine.inProcess(local) }],
  ];
}

describe.each([0, 1])('[K42] sessionStore (hosting %i)', (at) => {
  test('is the only writer, is awaited before a line is said, and is enough to resume', async () => {
    const place = await makePlace(() => 'ok');
    const [, options] = hostings(place)[at] ?? [];
    const { store, appended } = watched();
    const first: SDKMessage[] = [];
    for await (const message of sdk.query({ prompt: 'first', options: { ...options, sessionStore: store } })) {
      if (message.type === 'assistant') expect(appended).toContain(message.uuid);
      first.push(message);
    }
    const result = resultOf(first);
    expect(result).toMatchObject({ subtype: 'success', result: 'ok' });
    expect(existsSync(join(String(place.env.HEDDLE_HOME), 'projects'))).toBe(false);
    const resumed = await run('second', { ...options, sessionStore: store, resume: String(result?.session_id) });
    expect(resultOf(resumed)).toMatchObject({ session_id: result?.session_id });
    expect(conversationText(place.api.requests.at(-1))).toMatch(/first[\s\S]*second/);
    const continued = await run('third', { ...options, sessionStore: store, continue: true });
    expect(resultOf(continued)).toMatchObject({ session_id: result?.session_id });
    expect(conversationText(place.api.requests.at(-1))).toMatch(/first[\s\S]*second[\s\S]*third/);
  });

  test('that fails ends the turn aloud, and one without the session says so', async () => {
    const place = await makePlace(() => 'ok');
    const [, options] = hostings(place)[at] ?? [];
    const store = createMemoryStore();
    const broken: SessionStore = { ...store, append: () => Promise.reject(new Error('the database is on fire')) };
    const failed = resultOf(await run('hello', { ...options, sessionStore: broken }));
    expect(failed).toMatchObject({ is_error: true, error_code: 'storage_failed' });
    expect(JSON.stringify(failed)).toContain('on fire');
    const resume = '99999999-9999-4999-8999-999999999999';
    const missing = resultOf(await run('hello', { ...options, sessionStore: store, resume }));
    expect(missing).toMatchObject({ is_error: true, error_code: 'session_not_found' });
  });
});

describe.each([0, 1])('[B-055] loadTimeoutMs (hosting %i)', (at) => {
  test('a store that does not answer ends a resume with an error that says what to do', async () => {
    const place = await makePlace(() => 'ok');
    const [, options] = hostings(place)[at] ?? [];
    const store = createMemoryStore();
    const first = resultOf(await run('first', { ...options, sessionStore: store }));
    const started: string[] = [];
    const stuck: SessionStore = {
      ...store,
      async *load({ sessionId }) {
        started.push(sessionId);
        await new Promise(() => {});
      },
    };
    const limits = { sessionStore: stuck, loadTimeoutMs: 100 };
    const failed = resultOf(await run('second', { ...options, ...limits, resume: String(first?.session_id) }));
    expect(failed).toMatchObject({
      subtype: 'error_during_execution',
      error_code: 'storage_failed',
      errors: [expect.stringMatching(/sessionStore\.load\(\) has taken longer than 100 ms\..* raise loadTimeoutMs/)],
    });
    expect(started).toEqual([first?.session_id]);
    expect(place.api.requests).toHaveLength(1);
  });
});

describeSandboxed('[K42] on a disk that cannot be written, without a home', () => {
  test('a session in the store of the host works', async () => {
    const place = await makePlace(() => 'ok');
    const { HOME: _home, HEDDLE_HOME: _heddle, ...env } = place.env;
    const store = createMemoryStore();
    const options: Options = {
      cwd: place.cwd,
      env,
      sessionStore: store,
      spawnClaudeCodeProcess: ({ command, args, env: given, cwd, signal }) => {
        const confined = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--', command, ...args];
        return spawn('bwrap', confined, { env: given, cwd, signal, stdio: ['pipe', 'pipe', 'pipe'] });
      },
    };
    const first = resultOf(await run('first', options));
    expect(first).toMatchObject({ subtype: 'success', result: 'ok' });
    const second = resultOf(await run('second', { ...options, resume: String(first?.session_id) }));
    expect(second).toMatchObject({ subtype: 'success', session_id: first?.session_id });
    expect(conversationText(place.api.requests.at(-1))).toMatch(/first[\s\S]*second/);
  });
});

describe.each([0, 1])('[K48] a sessionStore that was written for the reference (hosting %i)', (at) => {
  test('is taken as it is: the session is resumed, continued, listed, read, changed, forked and deleted', async () => {
    const script = cast({
      MAIN: [task('CHILD go'), 'First.', 'Second.', 'Third.'],
      CHILD: [toolUse('Bash', { command: 'echo there' }), 'Tried it.'],
    });
    const place = await makePlace(script);
    const [, options] = hostings(place)[at] ?? [];
    const store = new ReferenceStore();
    const base = { ...options, sessionStore: store, allowedTools: ['Bash'] };
    const { session_id: resume = '' } = resultOf(await run('MAIN go', base)) ?? {};
    expect(existsSync(join(String(place.env.HEDDLE_HOME), 'projects'))).toBe(false);
    expect(resultOf(await run('on', { ...base, resume }))).toMatchObject({ result: 'Second.', session_id: resume });
    const flushed = { ...base, sessionStoreFlush: 'eager' as const };
    expect(resultOf(await run('more', { ...flushed, continue: true }))).toMatchObject({ session_id: resume });
    expect(conversationText(place.api.requests.at(-1))).toMatch(/MAIN go[\s\S]*First\.[\s\S]*on[\s\S]*more/);

    const inStore = { dir: place.cwd, sessionStore: store };
    expect(await sdk.listSessions(inStore)).toMatchObject([{ sessionId: resume, firstPrompt: 'MAIN go' }]);
    await sdk.renameSession(resume, 'Weaving', inStore);
    await sdk.tagSession(resume, 'loom', inStore);
    expect(await sdk.getSessionInfo(resume, inStore)).toMatchObject({ customTitle: 'Weaving', tag: 'loom' });
    const messages = await sdk.getSessionMessages(resume, inStore);
    expect(messages.filter(({ type }) => type === 'user').length).toBeGreaterThanOrEqual(3);
    const [agentId = ''] = await sdk.listSubagents(resume, inStore);
    expect(JSON.stringify(await sdk.getSubagentMessages(resume, agentId, inStore))).toContain('Tried it.');
    const { sessionId: fork } = await sdk.forkSession(resume, inStore);
    expect((await sdk.getSessionInfo(fork, inStore))?.customTitle).toBe('Weaving (fork)');
    const { leafUuid } = await sdk.getSessionTree(resume, inStore);
    const [branch] = await sdk.getSessionBranches(resume, inStore);
    expect(branch?.leafUuid).toBe(leafUuid);
    expect(await sdk.switchSession(resume, messages[0]?.uuid ?? '', inStore)).toEqual({ leaf: messages[0]?.uuid });
    expect((await sdk.getSessionMessages(resume, inStore)).length).toBe(1);
    await sdk.deleteSession(resume, inStore);
    expect((await sdk.listSessions(inStore)).map(({ sessionId }) => sessionId)).toEqual([fork]);
    expect(store.keys()).toHaveLength(1);
    expect(await sdk.getSessionInfo(resume, inStore)).toBeUndefined();
    await expect(sdk.getSessionMessages(resume, inStore)).rejects.toMatchObject({ code: 'session_not_found' });
    await expect(sdk.archiveSession(fork, inStore)).rejects.toMatchObject({ code: 'not_supported' });
  });
});

test('[K48] an engine takes one, too, and importSessionToStore fills one', async () => {
  const place = await makePlace(() => 'ok');
  const store = new ReferenceStore();
  const local = engine.createEngine({ cwd: place.cwd, env: place.env, store });
  const options = { cwd: place.cwd, env: place.env, transport: engine.inProcess(local) };
  const { session_id: resume = '' } = resultOf(await run('first', options)) ?? {};
  expect(resultOf(await run('second', { ...options, resume }))).toMatchObject({ session_id: resume });
  expect(conversationText(place.api.requests.at(-1))).toMatch(/first[\s\S]*second/);
  await local.close();
  const onDisk = resultOf(await run('third', { cwd: place.cwd, env: place.env }))?.session_id ?? '';
  const { entries } = await sdk.importSessionToStore(onDisk, store, { home: place.home });
  expect(entries).toBeGreaterThan(2);
  const listed = await sdk.listSessions({ dir: place.cwd, sessionStore: store });
  expect(listed.map(({ sessionId }) => sessionId)).toEqual([onDisk, resume]);
});

test('[K48] a session of the reference itself, as its SDK has put it into a store, is resumed', async () => {
  const place = await makePlace(() => 'ok');
  const store = new ReferenceStore();
  const sessionId = '00000000-0000-4000-8000-00000000cafe';
  const projectKey = place.cwd.replace(/[^A-Za-z0-9]/g, '-');
  const golden = readFileSync(join(ROOT, 'test/golden/wire/sub.2.1.44.session.ndjson'), 'utf8');
  const entries = golden
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line.replaceAll('"S1"', JSON.stringify(sessionId))));
  await store.append({ projectKey, sessionId }, entries);
  const options = { cwd: place.cwd, env: place.env, sessionStore: store, resume: sessionId };
  expect(resultOf(await run('and now?', options))).toMatchObject({ session_id: sessionId, is_error: false });
  expect(messagesOf({ body: place.api.requests.at(-1)?.body ?? {} })).toHaveLength(5);
});
