import { describe, expect, test } from 'vitest';
import { type CompactionAttempts, compactNow, contextFull } from '../../../src/agent/compaction/auto-compact.ts';
import type { ContextWindow } from '../../../src/agent/turn-conversation.ts';
import { fail, reply, text, thinking, toolUse } from '../../../src/testing/script.ts';
import type { ContentBlock } from '../../../src/wire/api/content.ts';
import { parseMessage } from '../../../src/wire/messages/parse.ts';
import { createRig, fakeTool, faultsOf, kindsOf, type Rig } from '../support.ts';

const tooLong = fail(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum');
const summary = '<summary>They talked.</summary>';
const fresh = (): CompactionAttempts => ({ afterFailure: 0, stepsSince: Number.POSITIVE_INFINITY, failures: 0 });

/** What made room, without the loop around it. */
async function room(rig: Rig, signal = new AbortController().signal) {
  const lines = [];
  const generator = compactNow(rig.turn, fresh(), signal);
  for (;;) {
    const step = await generator.next();
    if (step.done) return { made: step.value, lines };
    lines.push(step.value);
  }
}

describe('the context is full', () => {
  const rigWith = async (context: Partial<ContextWindow>) => {
    const rig = createRig(['one']);
    await rig.ask('1');
    Object.assign(rig.turn.conversation.window, context);
    return rig.turn;
  };

  test('[LOOP-02] from the given number of tokens on', async () => {
    expect(contextFull(await rigWith({ tokens: 999, compactAt: 1000 }), fresh())).toBe(false);
    expect(contextFull(await rigWith({ tokens: 1000, compactAt: 1000 }), fresh())).toBe(true);
    expect(contextFull(await rigWith({ tokens: 1e9, compactAt: null }), fresh())).toBe(false);
  });

  test('[M-13] not after summaries have failed twice: each costs a request as large as the conversation', async () => {
    const turn = await rigWith({ tokens: 1000, compactAt: 1000 });
    expect([0, 1, 2].map((failures) => contextFull(turn, { ...fresh(), failures }))).toEqual([true, true, false]);
  });

  test('[M-13] not right after a compaction: another one would not help', async () => {
    const turn = await rigWith({ tokens: 1000, compactAt: 1000 });
    expect([0, 1, 2].map((stepsSince) => contextFull(turn, { ...fresh(), stepsSince }))).toEqual([
      ...[false, false, true],
    ]);
  });

  test('[M-13] a context that every summary fills again ends in no loop', async () => {
    const rig = createRig(
      ({ messages }) => {
        const asked = JSON.stringify(messages.at(-1)).includes('Write that summary now');
        return asked ? summary : reply([toolUse('look', {})], { usage: { input_tokens: 5000 } });
      },
      { tools: [fakeTool('look')], compactAt: 1000, limits: { maxTurns: 10 } },
    );
    expect(await rig.ask('go')).toMatchObject({ kind: 'max_turns' });
    const compactions = kindsOf(rig.lines).filter((kind) => kind === 'system/compact_boundary');
    expect(compactions).toHaveLength(2);
    expect(rig.logs).toContainEqual(expect.stringContaining('does not make this conversation shorter'));
  });
});

describe('making room', () => {
  test('[LOOP-19, MSG-04, FLD-32] says that it compacts, then marks the boundary and shows the summary', async () => {
    const rig = createRig([reply([text('one')], { usage: { input_tokens: 900 } }), summary]);
    await rig.ask('1');
    const { made, lines } = await room(rig);
    expect(made).toBe(true);
    expect(lines).toMatchObject([
      { type: 'system', subtype: 'status', status: 'compacting' },
      { type: 'system', subtype: 'status', status: null },
      { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'auto', pre_tokens: 1007 } },
      { type: 'user', isSynthetic: true },
    ]);
    expect(rig.turn.conversation.window.tokens).toBe(0);
    expect(await rig.replayed()).toEqual(rig.conversation());
    expect(rig.conversation()).toHaveLength(1);
  });

  test('[B-153] what came of it is told with its end', async () => {
    const rig = createRig(['one', '<summary></summary>', summary]);
    await rig.ask('1');
    const ends = [await room(rig), await room(rig)].map(({ lines }) => lines[1]);
    expect(ends).toMatchObject([
      { status: null, compact_result: 'failed', compact_error: 'the model wrote no summary' },
      { status: null, compact_result: 'success' },
    ]);
    for (const line of ends) expect(parseMessage(line as never)).toMatchObject({ ok: true });
  });

  test('[B-152] the boundary tells how long it took and how much is left, in the file as well', async () => {
    const rig = createRig(['one', reply([text('two')], { usage: { input_tokens: 9000 } }), summary]);
    await rig.ask('x'.repeat(20_000));
    await rig.ask('2');
    const { lines } = await room(rig);
    const told = lines[2] as unknown as { compact_metadata: Record<string, number> };
    const { pre_tokens = 0, post_tokens = 0, duration_ms } = told.compact_metadata;
    expect(post_tokens).toBeGreaterThan(0);
    expect(post_tokens).toBeLessThan(pre_tokens / 2);
    expect(duration_ms).toBeGreaterThanOrEqual(0);
    expect(parseMessage(told as never)).toMatchObject({ ok: true });
    const boundary = (await rig.entries()).find(({ subtype }) => subtype === 'compact_boundary');
    expect(boundary?.compactMetadata).toMatchObject({ postTokens: post_tokens, durationMs: duration_ms });
  });

  test('[B-152, S-6] messages that stay are named: they stand behind the summary, where a relink leaves them', async () => {
    const rig = createRig(
      [reply([text('I look.'), toolUse('look', {})], { usage: { input_tokens: 900 } }), summary, 'done'],
      { tools: [fakeTool('look')], compactAt: 800, facts: 'You are here.' },
    );
    await rig.ask('go');
    const entries = await rig.entries();
    const boundary = entries.find(({ subtype }) => subtype === 'compact_boundary');
    const behind = entries.slice(entries.findIndex(({ isCompactSummary }) => isCompactSummary === true));
    expect(behind.map(({ type, parentUuid }, at) => [type, parentUuid === (behind[at - 1] ?? boundary)?.uuid])).toEqual(
      [...['user', 'user', 'attachment', 'assistant', 'user', 'assistant'].map((type) => [type, true])],
    );
    const [anchorUuid, headUuid, , , tailUuid] = behind.map(({ uuid }) => uuid);
    expect(boundary).toMatchObject({ compactMetadata: { preservedSegment: { anchorUuid, headUuid, tailUuid } } });
    const told = rig.lines.find((line) => line.type === 'system' && line.subtype === 'compact_boundary');
    expect(told).toMatchObject({ compact_metadata: { preserved_segment: { tail_uuid: tailUuid } } });
  });

  test('the history stays in the file, above the boundary', async () => {
    const rig = createRig(['one', summary]);
    await rig.ask('1');
    await room(rig);
    const entries = await rig.entries();
    const boundary = entries.find(({ subtype }) => subtype === 'compact_boundary');
    const answer = entries.find(({ type }) => type === 'assistant');
    expect(boundary).toMatchObject({ parentUuid: null, logicalParentUuid: answer?.uuid });
    const told = entries.find(({ isCompactSummary }) => isCompactSummary === true);
    expect(told).toMatchObject({ type: 'user', parentUuid: boundary?.uuid });
    expect(entries.at(-1)).toMatchObject({ type: 'user', isMeta: true, parentUuid: told?.uuid });
  });

  test('[S-6] what the user asks outlives it block by block, with the facts of the place', async () => {
    const rig = createRig([reply([text('one')], { usage: { input_tokens: 900 } }), summary, 'two'], {
      compactAt: 800,
      facts: 'You are here.',
    });
    await rig.ask('1');
    const long = `${'x'.repeat(50_000)} the end`;
    const picture: ContentBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    expect(await rig.ask(long, undefined, [picture])).toEqual({ kind: 'completed' });
    const [first] = rig.requests.at(-1)?.messages ?? [];
    expect(first?.content).toEqual([
      { type: 'text', text: expect.stringContaining('replaced by this summary') },
      { type: 'text', text: long },
      picture,
      { type: 'text', text: 'You are here.' },
    ]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[LOOP-02] calls whose results the model has not read stay with them', async () => {
    const rig = createRig(
      [reply([text('I look.'), toolUse('look', { at: 'it' })], { usage: { input_tokens: 900 } }), summary, 'done'],
      { tools: [fakeTool('look')], compactAt: 800 },
    );
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    const sent = rig.requests.at(-1)?.messages ?? [];
    expect(sent.map(({ role, content }) => [role, ...content.map(({ type }) => type)])).toEqual([
      ['user', 'text', 'text'],
      ['assistant', 'text', 'tool_use'],
      ['user', 'tool_result'],
    ]);
    expect(sent[0]?.content[1]).toEqual({ type: 'text', text: 'go' });
    expect(faultsOf(sent)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('results that would fill the window again are kept in short', async () => {
    const rig = createRig([reply([toolUse('look', {})], { usage: { input_tokens: 900 } }), summary, 'done'], {
      tools: [fakeTool('look', { run: async () => ({ content: 'x'.repeat(290_000), data: null }) })],
      compactAt: 800,
    });
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(JSON.stringify(rig.requests.at(-1)?.messages).length).toBeLessThan(10_000);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('the request for the summary begins with the last one, tools included: that is cached', async () => {
    const rig = createRig([toolUse('look', {}), 'done', summary], { tools: [fakeTool('look')] });
    await rig.ask('go');
    await room(rig);
    const [, before, asked] = rig.requests;
    expect(asked?.tools).toBe(before?.tools);
    expect(asked?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    expect(faultsOf(asked?.messages)).toEqual([]);
  });

  test('its tokens are paid for, but are not the usage of the turn', async () => {
    const rig = createRig(['one', reply([text(summary)], { usage: { input_tokens: 4000 } })]);
    await rig.ask('1');
    const { turnUsage, costUsd } = rig.turn.ledger;
    await room(rig);
    expect(rig.turn.ledger.turnUsage).toEqual(turnUsage);
    expect(rig.turn.ledger.costUsd).toBeGreaterThan(costUsd);
  });

  test('the summary has room beside the budget for thinking', async () => {
    const rig = createRig(['one', summary]);
    const budget = { type: 'enabled' as const, budget_tokens: 30_000 };
    rig.turn.request = { ...rig.turn.request, maxOutputTokens: 60_000, thinking: budget };
    await rig.ask('1');
    await room(rig);
    expect(rig.requests[1]).toMatchObject({ thinking: budget, maxOutputTokens: 50_000 });
  });

  test('[LOOP-20] thoughts of another model are not sent along', async () => {
    const rig = createRig([[thinking('Mine.'), text('one')], summary]);
    await rig.ask('1');
    rig.turn.request = { ...rig.turn.request, model: 'claude-opus-4-6' };
    await room(rig);
    expect(JSON.stringify(rig.requests[1]?.messages)).not.toContain('Mine.');
  });

  test('[M-13] what does not fit is asked for with less and less, three times', async () => {
    const rig = createRig([[toolUse('look', {})], 'one', tooLong, tooLong, summary], {
      tools: [fakeTool('look', { run: () => ({ content: 'x'.repeat(50_000), data: {} }) })],
    });
    await rig.ask('1');
    expect(await room(rig)).toMatchObject({ made: true });
    const asked = rig.requests.slice(2).map(({ messages }) => JSON.stringify(messages).length);
    expect(asked).toHaveLength(3);
    expect(asked).toEqual([...asked].sort((a, b) => b - a));
    for (const { messages } of rig.requests) expect(faultsOf(messages)).toEqual([]);
    // Even the last attempt is about this conversation, not about nothing.
    expect(JSON.stringify(rig.requests[4]?.messages)).toContain('[result: xxx');
  });

  test('[M-13] in the end it is given up, and everything stays as it was', async () => {
    const rig = createRig(['one', tooLong, tooLong, tooLong, tooLong]);
    await rig.ask('1');
    const before = rig.conversation();
    expect(await room(rig)).toMatchObject({ made: false });
    expect(rig.requests.length).toBeLessThanOrEqual(4);
    expect(rig.conversation()).toEqual(before);
    expect(await rig.replayed()).toEqual(before);
    expect(rig.logs.at(-1)).toContain('could not be compacted');
  });

  test.each([
    ['no summary', [toolUse('look', {})]],
    ['an empty one', [text('<summary></summary>')]],
  ])('%s is a failure, too', async (_, answer) => {
    const rig = createRig(['one', answer]);
    await rig.ask('1');
    expect(await room(rig)).toMatchObject({ made: false });
    expect(rig.logs.at(-1)).toMatch(/wrote no summary|ended with/);
  });

  test('nothing is summed up when there is only the prompt', async () => {
    const rig = createRig([tooLong]);
    expect(await rig.ask('1')).toMatchObject({ kind: 'api_error', failure: { class: 'prompt_too_long' } });
    expect(rig.requests).toHaveLength(1);
  });

  test('an abort ends it without a complaint', async () => {
    const rig = createRig(['one', summary]);
    await rig.ask('1');
    expect(await room(rig, AbortSignal.abort())).toMatchObject({ made: false });
    expect(rig.logs).toEqual([]);
  });
});
