import { describe, expect, it } from 'vitest';
import { withRetry } from '../../../src/model/http/retry.ts';
import type { ApiMessage, ModelRequest } from '../../../src/model/model.ts';
import { fail, modelCases, reply, sampleRequest, scriptedModel, text, toolUse } from '../../../src/testing/index.ts';
import { runtime } from '../support.ts';
import { ask, recordToText } from '../traffic.ts';

const user = (said: string): ApiMessage => ({ role: 'user', content: [{ type: 'text', text: said }] });
const assistant = (said: string): ApiMessage => ({ role: 'assistant', content: [{ type: 'text', text: said }] });

describe('the Model contract holds for a recorded model', () => {
  it.each(modelCases().map(({ name, run }) => [name, run] as const))('%s', (_name, run) =>
    run(async (script) => ({ model: recordToText(scriptedModel(script)).model, close: async () => {} })),
  );
});

describe('what is recorded', () => {
  it('begins with a header, then holds a request and its events with their times', async () => {
    const recording = recordToText(scriptedModel([text('Hi', '!')]));
    expect(recording.lines()).toEqual([{ type: 'recording', version: 1, heddle_version: expect.any(String) }]);
    await ask(recording.model);
    const { messages, ...settings } = sampleRequest();
    const [, request, response, ...events] = recording.lines();
    expect(request).toEqual({ type: 'request', index: 0, provider: 'scripted', settings, messages });
    expect(response).toEqual({ type: 'response', index: 0, atMs: 10, requestId: 'req_fake_1' });
    expect(events.map((line) => line.type === 'event' && line.event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.map((line) => 'atMs' in line && line.atMs)).toEqual([20, 30, 40, 50, 60, 70, 80]);
  });

  it('hands on what it records, groups as groups', async () => {
    const group = (await ask(scriptedModel(['Hi']))).filter((event) => event.type === 'event');
    const { model } = recordToText({
      provider: 'grouping',
      async *stream() {
        yield group;
      },
    });
    const items = [];
    for await (const item of model.stream(sampleRequest(), new AbortController().signal)) items.push(item);
    expect(items).toEqual([group]);
  });

  it('holds retries and failures', async () => {
    const failing = withRetry(scriptedModel([fail(529, 'overloaded_error', 'Busy'), fail(400, 'x', 'No')]), {
      clock: { ...runtime.clock, sleep: async () => {} },
      random: () => 0,
    });
    const recording = recordToText(failing);
    await ask(recording.model);
    expect(recording.lines().slice(2)).toMatchObject([
      { type: 'retry', index: 0, attempt: 1, delayMs: 500, failure: { class: 'overloaded', status: 529 } },
      { type: 'failure', index: 0, failure: { class: 'invalid_request', status: 400 } },
    ]);
  });

  it('of a request that goes on from another one holds only the new messages', async () => {
    const recording = recordToText(scriptedModel(['a', 'b', 'c', 'd', 'e']));
    const [m1, m2, m3] = [user('1'), assistant('2'), user('3')];
    // One list that grows, as the loop's does.
    const messages = [m1];
    const first: ModelRequest = { ...sampleRequest(), messages };
    await ask(recording.model, first);
    messages.push(m2, m3);
    await ask(recording.model, first);
    await ask(recording.model, { ...first, model: 'claude-other' });
    await ask(recording.model, { ...first, model: 'claude-other', messages: [m1, assistant('elsewhere'), user('4')] });
    await ask(recording.model, { ...first, messages: [user('another conversation')] });
    const requests = recording.lines().filter((line) => line.type === 'request');
    expect(requests).toMatchObject([
      { index: 0, settings: { model: first.model }, messages: [m1] },
      { index: 1, extends: 0, keep: 1, messages: [m2, m3] },
      { index: 2, extends: 1, keep: 3, settings: { model: 'claude-other' }, messages: [] },
      { index: 3, extends: 2, keep: 1, messages: [assistant('elsewhere'), user('4')] },
      { index: 4, settings: { model: first.model }, messages: [user('another conversation')] },
    ]);
    expect(requests.map((line) => 'settings' in line)).toEqual([true, false, true, false, true]);
  });

  it('goes into one recording when the session changes its model', async () => {
    const recording = recordToText(scriptedModel(['a']));
    await ask(recording.model);
    await ask(recording.record(scriptedModel(['b'])));
    expect(recording.lines().flatMap((line) => (line.type === 'request' ? [line.index] : []))).toEqual([0, 1]);
  });

  it('is readable up to the block in which a crash happened', async () => {
    const broken = reply([text('whole'), text('ha', 'lf')], { fault: { after: { block: 1 }, how: 'hang' } });
    const recording = recordToText(scriptedModel([broken]));
    const stream = recording.model.stream(sampleRequest(), new AbortController().signal);
    const pending = stream[Symbol.asyncIterator]();
    for (let n = 0; n < 8; n++) await pending.next(); // as far as the first delta of the second block
    expect(recording.text()).toMatch(/\n$/);
    expect(recording.text()).toContain('whole');
    expect(recording.text()).not.toContain('"ha"');
  });
});

describe('what is not recorded', () => {
  const secret = 'sk-"very"-secret-0123';
  const masked = { places: { cwd: '/app' }, secrets: [secret, 'test'] };

  it('the value of a credential, wherever it turns up', async () => {
    const answer = reply([
      text('It is sk-"very', '"-secret-0', '123, I think', ': test'),
      toolUse('Bash', { command: `echo ${secret}` }),
    ]);
    const recording = recordToText(scriptedModel([answer, fail(401, 'e', `bad key ${secret}`)]), masked);
    const request = sampleRequest(`My key is ${secret}. A short one such as test stays.`);
    await ask(recording.model, { ...request, userId: 'user-1' });
    await ask(recording.model, { ...request, system: [secret] });
    for (const part of ['sk-', 'very', '-secret-', '0123']) expect(recording.text()).not.toContain(part);
    expect(recording.text()).toContain('My key is REDACTED. A short one such as test stays.');
    expect(recording.text()).toContain('echo REDACTED');
    expect(recording.text()).toContain('bad key REDACTED');
  });

  it('what the model does not get to see', async () => {
    const recording = recordToText(scriptedModel(['Hi']));
    await ask(recording.model, { ...sampleRequest(), userId: 'session_of_someone', overloadLimit: 3 });
    for (const word of ['session_of_someone', 'overloadLimit']) expect(recording.text()).not.toContain(word);
  });

  it('the path of the working directory, and nothing that only looks like it', async () => {
    const recording = recordToText(scriptedModel([text('See /ap', 'p/x')]), masked);
    await ask(recording.model, sampleRequest('In /app: /app/a, "/app", /app. Not: /apple, /src/app, ../app, /app.bak'));
    expect(recording.text()).toContain(
      'In {heddle:cwd}: {heddle:cwd}/a, \\"{heddle:cwd}\\", {heddle:cwd}. Not: /apple, /src/app, ../app, /app.bak',
    );
    expect(recording.text()).toContain('"text":"See {heddle:cwd}"');
  });
});
