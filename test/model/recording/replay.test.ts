import { describe, expect, it } from 'vitest';
import { withRetry } from '../../../src/model/http/retry.ts';
import type { ModelEvent, ModelRequest } from '../../../src/model/model.ts';
import {
  type AnswerLike,
  blocksOf,
  fail,
  modelCases,
  reply,
  sampleRequest,
  scriptedModel,
  text,
  toolUse,
} from '../../../src/testing/index.ts';
import { failureOf, runtime } from '../support.ts';
import { ask, recordToText, replayOf } from '../traffic.ts';

/** The recording of one call for each answer. A call that hangs is interrupted. */
async function recorded(script: readonly AnswerLike[], requests = script.map(() => sampleRequest())): Promise<string> {
  const recording = recordToText(scriptedModel(script));
  for (const request of requests) await ask(recording.model, request, AbortSignal.timeout(50));
  return recording.text();
}

async function refusal(text: string, request: ModelRequest): Promise<string> {
  const failure = failureOf(await ask(replayOf(text), request));
  expect(failure?.class).toBe('invalid_request');
  return failure?.message ?? '';
}

describe('the Model contract holds for a replay', () => {
  it.each(modelCases().map(({ name, run }) => [name, run] as const))('%s', (_name, run) =>
    run(async (script) => ({ model: replayOf(await recorded(script)), close: async () => {} })),
  );
});

describe('answers', () => {
  it('are the recorded ones, event by event', async () => {
    const script = [[text('one ', 'two'), toolUse('Bash', { command: 'ls' })], 'done'];
    const live = scriptedModel(script);
    const replay = replayOf(await recorded(script));
    expect(await ask(replay)).toEqual(await ask(live));
    expect(await ask(replay)).toEqual(await ask(live));
  });

  it('belong to the request that equals the recorded one, also when side calls come in another order', async () => {
    const requests = ['a', 'b'].map((prompt) => sampleRequest(prompt));
    const replay = replayOf(await recorded(['answer a', 'answer b'], requests));
    expect(blocksOf(await ask(replay, requests[1]))).toEqual([{ type: 'text', text: 'answer b' }]);
    expect(blocksOf(await ask(replay, requests[0]))).toEqual([{ type: 'text', text: 'answer a' }]);
  });

  it('repeat retries and failures', async () => {
    const script = [fail(529, 'overloaded_error', 'Busy'), fail(401, 'authentication_error', 'bad key')];
    const options = { clock: { ...runtime.clock, sleep: async () => {} }, random: () => 0 };
    const recording = recordToText(withRetry(scriptedModel(script), options));
    const live = await ask(recording.model);
    expect(live.map((event) => event.type)).toEqual(['retry', 'failure']);
    expect(await ask(replayOf(recording.text()))).toEqual(live);
  });

  it('come at once, in one group up to a retry or the end', async () => {
    const items = [];
    const { stream } = replayOf(await recorded(['Hi']));
    for await (const item of stream(sampleRequest(), new AbortController().signal)) items.push(item);
    expect(items).toHaveLength(1);
  });

  it('take their time at the recorded speed', async () => {
    const waits: number[] = [];
    const sleep = async (ms: number) => void waits.push(ms);
    const clock = { ...runtime.clock, sleep };
    await ask(replayOf(await recorded([text('a', 'b')]), { speed: 'recorded', clock }));
    expect(waits).toEqual([10, 10, 10, 10, 10, 10, 10, 10]);
  });

  it('name the paths of the place where they are replayed', async () => {
    const answer = [text('See /rec/pl', 'ace/a'), toolUse('Read', { file_path: '/rec/place/a' })];
    const at = (cwd: string) => ({ places: { cwd }, secrets: [] });
    const recording = recordToText(scriptedModel([answer]), at('/rec/place'));
    await ask(recording.model, sampleRequest('Read /rec/place/a'));
    const replay = replayOf(recording.text(), { masked: () => at('/other "place"') });
    expect(blocksOf(await ask(replay, sampleRequest('Read /other "place"/a')))).toMatchObject([
      { text: 'See /other "place"/a' },
      { input: { file_path: '/other "place"/a' } },
    ]);
  });
});

describe('a request matches', () => {
  const withReminder = (reminder: string): ModelRequest => ({
    ...sampleRequest(),
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: `<system-reminder>\n${reminder}\n</system-reminder>` },
        ],
      },
    ],
  });

  it('whatever the reminders, the user id and the retries say', async () => {
    const replay = replayOf(await recorded(['Hi'], [withReminder('Date: 2026-01-01')]));
    const today = { ...withReminder('Date: 2026-02-02'), userId: 'another session', overloadLimit: 3 };
    expect(failureOf(await ask(replay, today))).toBeUndefined();
  });

  it('when what was redacted is in it', async () => {
    const masked = { places: {}, secrets: ['secret-secret'] };
    const recording = recordToText(scriptedModel(['Hi']), masked);
    await ask(recording.model, sampleRequest('secret-secret'));
    const replay = replayOf(recording.text(), { masked: () => masked });
    expect(failureOf(await ask(replay, sampleRequest('secret-secret')))).toBeUndefined();
  });
});

describe('a request that does not match', () => {
  it('fails with the place of the first difference, both texts and what to do', async () => {
    const message = await refusal(await recorded(['Hi'], [sampleRequest('Fix it\nin a.txt\nnow')]), {
      ...sampleRequest('Fix it\nin b.txt\nnow'),
    });
    expect(message.split('\n')).toEqual([
      'Request 1 of this run does not match the recording run.jsonl.',
      'First difference (- recorded, + this run), in message 1 (user), block 1 (text), text:',
      '    Fix it',
      '  - in a.txt',
      '  + in b.txt',
      'If this is intended, record again: the same run with --record run.jsonl and the real model.',
    ]);
  });

  it.each<[string, Partial<ModelRequest>, RegExp]>([
    ['another model', { model: 'claude-x' }, /in model:\n {2}- claude-sonnet.*\n {2}\+ claude-x\n/],
    ['a limit', { maxOutputTokens: 5 }, /in maxOutputTokens:\n {2}- 1000\n {2}\+ 5\n/],
    ['an option that was not there', { effort: 'high' }, /in effort:\n {2}- \(nothing\)\n {2}\+ high\n/],
    ['the system prompt', { system: ['Be long.'] }, /in system\.0:\n {2}- Be brief\.\n {2}\+ Be long\.\n/],
    ['a missing tool', { tools: [] }, /in tools\.Bash:\n {2}- \{\n.*"Runs a command\."/],
    [
      'a message more',
      { messages: [...sampleRequest().messages, { role: 'assistant', content: [] }] },
      /in message 2 \(assistant\):\n {2}- \(nothing\)\n {2}\+ \{/,
    ],
  ])('tells %s', async (_, change, expected) => {
    expect(await refusal(await recorded(['Hi']), { ...sampleRequest(), ...change })).toMatch(expected);
  });

  it('stays short and shows long lines where they differ', async () => {
    const many = (word: string) => Array.from({ length: 100 }, (_, n) => `${word} ${n}`).join('\n');
    const lines = (await refusal(await recorded(['Hi'], [sampleRequest(many('a'))]), sampleRequest(many('b')))).split(
      '\n',
    );
    expect(lines.length).toBeLessThan(40);
    expect(lines).toContain('  - … (86 more lines)');
    const long = (word: string) => `${'x'.repeat(500)}${word}${'y'.repeat(500)}`;
    const message = await refusal(await recorded(['Hi'], [sampleRequest(long('OLD'))]), sampleRequest(long('NEW')));
    expect(message).toMatch(/ {2}- …x{40}OLDy+…\n {2}\+ …x{40}NEWy+…\n/);
  });

  it('fails when the recording is used up', async () => {
    const replay = replayOf(await recorded(['one']));
    await ask(replay);
    const failure = failureOf(await ask(replay));
    expect(failure).toMatchObject({ class: 'invalid_request', message: expect.stringMatching(/the 1 of .* used up/) });
  });

  it('leaves the recorded answer for one that does', async () => {
    const replay = replayOf(await recorded(['Hi']));
    await ask(replay, sampleRequest('something else'));
    expect(failureOf(await ask(replay))).toBeUndefined();
  });
});

describe('an answer that was not recorded to its end', () => {
  const cutShort = async () => (await recorded([text('one ', 'two')])).split('\n').slice(0, 5).join('\n');

  it('ends in a failure that says so', async () => {
    const events = await ask(replayOf(await cutShort()));
    expect(failureOf(events)).toMatchObject({
      class: 'invalid_request',
      message: expect.stringContaining('ends in the middle'),
    });
  });

  it('may end in the middle of a line', async () => {
    const events = await ask(replayOf(`${await cutShort()}\n{"type":"event","ind`));
    expect(failureOf(events)?.message).toContain('ends in the middle');
  });

  it('waits for the interrupt that ended it when it was recorded', async () => {
    const hanging = reply([text('one ', 'two')], { fault: { after: { block: 0 }, how: 'hang' } });
    const interrupted = await recorded([hanging]);
    const sleep = async () => {};
    const unanswered = await ask(replayOf(interrupted, { clock: { ...runtime.clock, sleep } }));
    expect(failureOf(unanswered)?.message).toContain('nobody interrupted the replay');
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    const done = (async () => {
      for (const event of await ask(replayOf(interrupted), sampleRequest(), controller.signal)) events.push(event);
    })();
    controller.abort();
    await done;
    expect(failureOf(events)?.class).toBe('aborted');
  });
});

describe('a file that is no recording', () => {
  const header = '{"type":"recording","version":1}';
  const request = '{"type":"request","index":0,"settings":{"model":"m","tools":[]},"messages":[]}';

  it.each([
    ['an empty file', '', 'no model call'],
    ['another file', '# Readme\n', 'line 1'],
    ['a later version', '{"type":"recording","version":2}\n', 'line 1'],
    ['broken JSON', `${header}\n{oops\n${request}\n`, 'line 2'],
    ['an answer without a request', `${header}\n{"type":"response","index":0,"atMs":1,"requestId":null}\n`, 'line 2'],
    ['an unknown line', `${header}\n${request}\n{"type":"what","index":0}\n`, 'line 3'],
    ['a request that extends nothing', `${header}\n{"type":"request","index":0,"extends":7,"messages":[]}\n`, 'line 2'],
    ['requests out of order', `${header}\n${request}\n${request}\n`, 'line 3'],
    ['a request without settings', `${header}\n{"type":"request","index":0,"messages":[]}\n`, 'line 2'],
    ['no call', `${header}\n`, 'no model call'],
  ])('%s is refused', (_, text, where) => {
    expect(() => replayOf(text)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(where) }),
    );
  });
});
