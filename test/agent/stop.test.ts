import { describe, expect, test } from 'vitest';
import type { StopVerdict } from '../../src/agent/turn.ts';
import { brokenToolUse, fail, reply, text, thinking, toolUse } from '../../src/testing/script.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { blocksIn, createRig, fakeTool, faultsOf, flatten, kindsOf, prefixFaults, type Rig, times } from './support.ts';

/** Whatever made the turn go on: what was sent is valid, grows, and is what a resume would send. */
async function expectSound(rig: Rig): Promise<void> {
  expect(rig.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
  expect(prefixFaults(rig.requests)).toEqual([]);
  expect(await rig.replayed()).toEqual(rig.conversation());
}

const cutOff = () => reply([text('And so')], { stopReason: 'max_tokens' });

describe('answers that do not end a turn by themselves', () => {
  test('[K31, M-11] an empty answer is asked for once more, then it is an error', async () => {
    const better = createRig([[], 'fine']);
    expect(await better.ask('go')).toEqual({ kind: 'completed' });
    expect(better.requests).toHaveLength(2);
    await expectSound(better);
    const hopeless = createRig(times(9, []));
    expect(await hopeless.ask('go')).toEqual({ kind: 'empty_answer' });
    expect(hopeless.requests).toHaveLength(2);
  });

  test('[K31, M-11] white space and lone thoughts', async () => {
    const blank = createRig([[text(' \n')], 'fine']);
    expect(await blank.ask('go')).toEqual({ kind: 'completed' });
    expect(blank.requests).toHaveLength(2);
    await expectSound(blank);
    const thought = createRig([[thinking('Hm.')], 'fine', 'fine']);
    await thought.ask('go');
    await thought.ask('again');
    await expectSound(thought);
  });

  test('[LOOP-11, K31] an answer that was cut off is continued three times, then it is an error', async () => {
    const rig = createRig([cutOff(), cutOff(), 'and done']);
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(rig.requests).toHaveLength(3);
    await expectSound(rig);
    const endless = createRig(times(9, cutOff()));
    expect(await endless.ask('go')).toMatchObject({ kind: 'error_answer', code: 'max_output_tokens' });
    expect(endless.requests).toHaveLength(4);
    expect(endless.lines.at(-1)).toMatchObject({ type: 'assistant', error: 'max_output_tokens' });
  });

  test('[K31, M-11] a pause is gone on from, at most five times', async () => {
    const pause = reply([text('…')], { stopReason: 'pause_turn' });
    const rig = createRig(times(9, pause));
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(rig.requests).toHaveLength(6);
    expect(rig.messages.map(({ role }) => role)).toEqual(['user', 'assistant']); // one answer, in pieces
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[LOOP-11, M-11] a call that was cut off is told, and not for ever', async () => {
    const half = reply([brokenToolUse('look', ['{"text": "unfin'])], { stopReason: 'max_tokens' });
    const tools = [fakeTool('look')];
    const better = createRig([half, toolUse('look', {}), 'done'], { tools });
    expect(await better.ask('go')).toEqual({ kind: 'completed' });
    expect(flatten(better.requests[1]?.messages ?? []).at(-1)).toContain('cut off at the output limit');
    await expectSound(better);
    const endless = createRig(times(9, half), { tools });
    expect(await endless.ask('go')).toMatchObject({ kind: 'error_answer', code: 'max_output_tokens' });
    expect(endless.requests).toHaveLength(4);
  });

  test('[K31, M-11] a refusal ends the turn with its reason', async () => {
    const rig = createRig([reply([text('I would rather not.')], { stopReason: 'refusal' }), 'fine']);
    expect(await rig.ask('go')).toMatchObject({ kind: 'error_answer', code: 'refusal' });
    expect(rig.turn.tally.lastText).toContain('I would rather not.');
    expect(rig.requests).toHaveLength(1);
    expect(await rig.ask('something else')).toEqual({ kind: 'completed' });
    await expectSound(rig);
  });

  test('[M-8] a stop reason that nobody knows is a stop', async () => {
    const rig = createRig([reply([text('Well.')], { stopReason: 'banana' })]);
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
  });
});

describe('what objects to a stop', () => {
  const verdicts = (...list: StopVerdict[]) => {
    const again: boolean[] = [];
    const beforeStop = async (isAgain: boolean) => {
      again.push(isAgain);
      return list.shift() ?? { kind: 'stop' as const };
    };
    return { again, beforeStop };
  };

  test('[LOOP-13, FLD-17] the model reads the objection and goes on', async () => {
    const { again, beforeStop } = verdicts({ kind: 'continue', feedback: 'The tests fail.' });
    const rig = createRig(['done', 'now really'], { beforeStop });
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(again).toEqual([false, true]);
    expect(blocksIn(rig.lines, 'user')).toEqual([{ type: 'text', text: 'The tests fail.' }]);
    expect(rig.lines.find(({ type }) => type === 'user')).toMatchObject({ isSynthetic: true });
    await expectSound(rig);
  });

  test('[LOOP-12] or the turn ends there, as a success', async () => {
    const { beforeStop } = verdicts({ kind: 'end', reason: 'enough' });
    const rig = createRig(['done', 'never'], { beforeStop });
    expect(await rig.ask('go')).toEqual({ kind: 'hook_stopped', reason: 'enough' });
    expect(rig.requests).toHaveLength(1);
  });

  test('[K-5] one who always objects is not asked for ever', async () => {
    const rig = createRig(times(100, 'done'), { beforeStop: async () => ({ kind: 'continue', feedback: 'No.' }) });
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(rig.requests.length).toBeLessThanOrEqual(60);
    expect(rig.requests.length).toBeGreaterThan(2);
  });
});

describe('a model that another stands in for', () => {
  const overloaded = fail(529, 'overloaded_error', 'Overloaded');

  test('[LOOP-14, K17] takes over for the rest of the turn, and that is said', async () => {
    const rig = createRig([overloaded], {
      tools: [fakeTool('look')],
      fallbacks: [scriptedModel([toolUse('look', {}), 'fine'])],
    });
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(kindsOf(rig.lines)).toEqual(['system/model_fallback', 'assistant', 'user', 'assistant']);
    expect(rig.lines[0]).toMatchObject({ fallback_model: 'fallback-1', trigger: 'overloaded' });
    expect(rig.requests.map(({ model }) => model).slice(1)).toEqual(['fallback-1', 'fallback-1']);
    await expectSound(rig);
  });

  test('[K17] is tried in the order of the list, and then the failure stands', async () => {
    const rig = createRig([overloaded], { fallbacks: [scriptedModel([overloaded]), scriptedModel([overloaded])] });
    expect(await rig.ask('go')).toMatchObject({ kind: 'api_error', failure: { class: 'overloaded' } });
    expect(rig.requests.map(({ model }) => model).slice(1)).toEqual(['fallback-1', 'fallback-2']);
  });

  test('[K17, M-4] is not asked to fail at a bad request', async () => {
    const rig = createRig([fail(400, 'invalid_request_error', 'bad')], { fallbacks: [scriptedModel(['never'])] });
    expect(await rig.ask('go')).toMatchObject({ kind: 'api_error' });
    expect(rig.requests).toHaveLength(1);
  });

  test('[K17] does not get thoughts that it cannot have signed', async () => {
    const rig = createRig([[thinking('Mine.'), toolUse('look', {})], overloaded], {
      tools: [fakeTool('look')],
      fallbacks: [scriptedModel(['fine'])],
    });
    await rig.ask('go');
    const sent = JSON.stringify(rig.requests[2]?.messages);
    expect(sent).toContain('tool_use');
    expect(sent).not.toContain('Mine.');
  });
});

describe('a conversation that grows too long', () => {
  const tooLong = fail(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum');
  const summary = '<summary>They looked around.</summary>';

  test('[LOOP-02, LOOP-19, MSG-03] is summed up before the next call', async () => {
    const rig = createRig(
      [reply([toolUse('look', {})], { usage: { input_tokens: 5000 } }), reply([text(summary)]), 'done'],
      { tools: [fakeTool('look')], compactAt: 1000 },
    );
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    const kinds = kindsOf(rig.lines);
    const from = kinds.indexOf('system/status');
    expect(kinds.slice(from)).toEqual([
      ...['system/status', 'system/status', 'system/compact_boundary', 'user', 'assistant'],
    ]);
    expect(rig.requests[2]?.messages).toHaveLength(3);
    expect(JSON.stringify(rig.requests[2]?.messages)).toContain('They looked around.');
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[M-13] also when the provider refuses it, once', async () => {
    const rig = createRig(['one', tooLong, reply([text(summary)]), 'two', tooLong, reply([text(summary)]), tooLong]);
    await rig.ask('1');
    expect(await rig.ask('2')).toEqual({ kind: 'completed' });
    expect(await rig.ask('3')).toMatchObject({ kind: 'api_error', failure: { class: 'prompt_too_long' } });
    expect(rig.requests).toHaveLength(7);
  });

  test('[M-13] a summary that fails leaves everything as it was', async () => {
    const rig = createRig(['one', tooLong, fail(500, 'api_error', 'no')]);
    await rig.ask('1');
    expect(await rig.ask('2')).toMatchObject({ kind: 'api_error', failure: { class: 'prompt_too_long' } });
    expect(await rig.replayed()).toEqual(rig.conversation());
    expect(JSON.stringify(rig.conversation())).toContain('one');
  });
});

test('[LOOP-16] nine ways to stop or go on', async () => {
  const endOf = async (rig: Rig, signal?: AbortSignal) => (await rig.ask('go', signal)).kind;
  const tools = [fakeTool('look')];
  const look = () => toolUse('look', {});
  expect({
    text: await endOf(createRig(['done'])),
    maxTurns: await endOf(createRig(times(9, look()), { tools, limits: { maxTurns: 1 } })),
    budget: await endOf(
      createRig([reply([look()], { usage: { input_tokens: 1e6 } })], { tools, limits: { maxBudgetUsd: 1 } }),
    ),
    abort: await endOf(createRig(['never']), AbortSignal.abort()),
    apiError: await endOf(createRig([fail(400, 'invalid_request_error', 'bad')])),
    afterTool: await endOf(createRig([look(), 'done'], { tools })),
    afterCutOff: await endOf(createRig([cutOff(), 'done'])),
    afterFallback: await endOf(
      createRig([fail(529, 'overloaded_error', 'x')], { fallbacks: [scriptedModel(['done'])] }),
    ),
    afterObjection: await endOf(
      createRig(['done', 'done'], {
        beforeStop: async (again) => (again ? { kind: 'stop' } : { kind: 'continue', feedback: 'No.' }),
      }),
    ),
  }).toEqual({
    text: 'completed',
    maxTurns: 'max_turns',
    budget: 'max_budget',
    abort: 'interrupted',
    apiError: 'api_error',
    afterTool: 'completed',
    afterCutOff: 'completed',
    afterFallback: 'completed',
    afterObjection: 'completed',
  });
});
