import { describe, expect, test } from 'vitest';
import { type AnswerLike, type FakeApiRequest, fail, reply, text, thinking, toolUse } from '../../src/testing/index.ts';
import { apiFaults } from '../support/api-faults.ts';
import { type Finished, runCli, STREAM_BOTH, STREAM_OUT, startCli } from '../support/cli.ts';
import { blocksOf, isResult, kindOf, type Line, textsOf } from '../support/lines.ts';
import { makePlace, type Place } from '../support/place.ts';
import { bodyOf, conversationText, isPrefix } from '../support/requests.ts';
import { readEntries, sessionFile } from '../support/session-files.ts';

/** An answer after which the conversation counts as full for `AT_1000`. */
const full = (...blocks: Parameters<typeof reply>[0]) => reply(blocks, { usage: { input_tokens: 5000 } });
const AT_1000 = ['--autocompact', '1000'];
const SUMMARY = '<analysis>thinking aloud</analysis><summary>They spoke of looms.</summary>';
const bash = (command: string) => toolUse('Bash', { command });
const COMPACTING = ['system/status', 'system/status', 'system/compact_boundary', 'user'];

describe('[LOOP-02, LOOP-19] a conversation that is nearly full', () => {
  test('[MSG-03, MSG-04, FLD-32] is summed up before the next turn', async () => {
    const place = await makePlace([full(text('First.')), SUMMARY, 'Second.', 'Third.']);
    const { lines } = await talk(place, ['one', 'two', 'three'], AT_1000);
    expect(turnsOf(lines)[1]).toEqual(['system/init', ...COMPACTING, 'assistant', 'result/success']);
    expect(lines.filter(({ subtype }) => subtype === 'status').map(({ status }) => status)).toEqual([
      'compacting',
      null,
    ]);
    const boundary = lines.find(({ subtype }) => subtype === 'compact_boundary');
    expect(boundary?.compact_metadata).toEqual({
      trigger: 'auto',
      pre_tokens: 5107,
      post_tokens: expect.any(Number),
      duration_ms: expect.any(Number),
      preserved_segment: {
        head_uuid: expect.any(String),
        anchor_uuid: expect.any(String),
        tail_uuid: expect.any(String),
      },
    });
    const [first, summary, second, third] = place.api.requests;
    expect(bodyOf(summary).tools).toEqual(bodyOf(first).tools);
    expect(isPrefix({ ...bodyOf(first), max_tokens: 0 }, { ...bodyOf(summary), max_tokens: 0 })).toBe(true);
    expect(bodyOf(second).messages.length).toBe(1);
    const told = conversationText(second);
    expect(told).toContain('They spoke of looms.');
    expect(told).not.toContain('thinking aloud');
    expect(told).toContain('two'); // the prompt that is to be answered
    expect(isPrefix(bodyOf(second), bodyOf(third))).toBe(true);
    expect(faults(place)).toEqual([]);
  });

  test('is summed up between two rounds of tools, too', async () => {
    const place = await makePlace([full(bash('echo needle')), SUMMARY, bash('echo 2'), 'Done.']);
    const { lines } = await talk(place, ['do it'], [...AT_1000, '--allowedTools', 'Bash']);
    expect(turnsOf(lines)[0]).toEqual([
      ...['system/init', 'assistant', 'user', ...COMPACTING, 'assistant', 'user', 'assistant', 'result/success'],
    ]);
    expect(conversationText(place.api.requests[2])).toContain('needle');
    expect(faults(place)).toEqual([]);
  });

  test('is told anew where it is, at the next prompt', async () => {
    const place = await makePlace([full(text('First.')), SUMMARY, 'Second.', 'Third.']);
    await talk(place, ['one', 'two', 'three'], AT_1000);
    expect(conversationText(place.api.requests[3])).toContain(`Working directory: ${place.cwd}`);
  });

  test('is summed up again and again', async () => {
    const answers = [1, 2, 3].flatMap((n): AnswerLike[] => [
      full(text(`Answer ${n}.`)),
      `<summary>Part ${n}.</summary>`,
      'Shorter now.',
    ]);
    const place = await makePlace([...answers, 'Last.']);
    const { lines } = await talk(place, ['a', 'b', 'c', 'd', 'e', 'f', 'g'], AT_1000);
    expect(lines.filter(({ subtype }) => subtype === 'compact_boundary').length).toBe(3);
    expect(lines.at(-1)?.result).toBe('Last.');
    expect(conversationText(place.api.requests.at(-1))).not.toContain('Part 1.');
    expect(faults(place)).toEqual([]);
  });

  test.each([
    ['DISABLE_AUTO_COMPACT', [], { DISABLE_AUTO_COMPACT: '1' }],
    ['--autocompact off', ['--autocompact', 'off'], {}],
  ])('is left alone with %s', async (_how, args, env) => {
    const usage = { input_tokens: 199_000 };
    const place = await makePlace([reply([text('First.')], { usage }), 'Second.']);
    const { lines } = await talk(place, ['one', 'two'], args, env);
    expect(place.api.requests.length).toBe(2);
    expect(conversationText(place.api.requests[1])).toMatch(/one[\s\S]*First\.[\s\S]*two/);
    expect(lines.filter(({ subtype }) => subtype === 'compact_boundary')).toEqual([]);
  });

  test.each<[string, AnswerLike]>([
    ['fails', fail(400, 'invalid_request_error', 'no summary today')],
    ['says nothing', [text('<summary></summary>')]],
  ])('goes on as it is when the summary %s, and that is said', async (_how, answer) => {
    const place = await makePlace([full(text('First.')), answer, 'Second.']);
    const { lines, stderr } = await talk(place, ['one', 'two'], AT_1000);
    expect(stderr).toMatch(/could not be compacted: (no summary today|the model wrote no summary)/);
    expect(lines.at(-1)).toMatchObject({ is_error: false, result: 'Second.' });
    expect(conversationText(place.api.requests[2])).toMatch(/one[\s\S]*First\.[\s\S]*two/);
    expect(turnsOf(lines)[1]).toEqual(['system/init', 'system/status', 'system/status', 'assistant', 'result/success']);
    expect(faults(place)).toEqual([]);
  });
});

describe('/compact', () => {
  test('[MSG-03, FLD-32] tells its steps, and passes on what shall be kept', async () => {
    const place = await makePlace(['First.', SUMMARY, 'Second.']);
    const { lines } = await talk(place, ['one', '/compact the colour of the yarn', 'two']);
    expect(turnsOf(lines)[1]).toEqual([
      ...['system/status', 'system/status', 'system/init', 'system/compact_boundary', 'user', 'user', 'result/success'],
    ]);
    expect(conversationText(place.api.requests[1])).toMatch(/one[\s\S]*First\.[\s\S]*the colour of the yarn/);
    expect(lines.find(({ subtype }) => subtype === 'compact_boundary')).toMatchObject({
      compact_metadata: { trigger: 'manual', pre_tokens: 117 },
    });
    expect(conversationText(place.api.requests[2])).toMatch(/They spoke of looms[\s\S]*two/);
    expect(faults(place)).toEqual([]);
  });
});

describe('a session that was compacted', () => {
  test('[SES-27, S-15] is resumed from its summary; what was before stays in the file', async () => {
    const place = await makePlace(['First.', SUMMARY, 'Second.', 'Third.']);
    const { lines } = await talk(place, ['one is the number', '/compact', 'two']);
    const sessionId = String(lines.at(-1)?.session_id);
    const resumed = await talk(place, ['three'], ['--resume', sessionId]);
    expect(resumed.code).toBe(0);
    const [, , live, after] = place.api.requests;
    expect(conversationText(after)).toContain('They spoke of looms.');
    expect(conversationText(after)).not.toContain('one is the number');
    expect(isPrefix(bodyOf(live), bodyOf(after))).toBe(true);
    expect(faults(place)).toEqual([]);
    const entries = readEntries(sessionFile(place, sessionId));
    expect(JSON.stringify(entries)).toContain('one is the number');
    const boundary = entries.find(({ subtype }) => subtype === 'compact_boundary');
    const summary = entries.find(({ isCompactSummary }) => isCompactSummary === true);
    const last = entries.findLast((entry) => textsOf(entry.message).includes('First.'));
    expect(boundary).toMatchObject({ parentUuid: null, logicalParentUuid: last?.uuid });
    expect(summary).toMatchObject({ parentUuid: boundary?.uuid, isVisibleInTranscriptOnly: true });
    expect(typeof summary?.message?.content).toBe('string');
  });
});

describe('[LOOP-20] thoughts', () => {
  const thought = [thinking('A secret thought.'), text('First.')];
  const sentTo = (place: Place) =>
    place.api.requests.map((request) => [bodyOf(request).model.split('-')[1], thoughtsIn(request)]);

  test('go back to the model that had them, and to no other', async () => {
    const place = await makePlace([thought, 'Second.', 'Third.', 'Fourth.']);
    const cli = startCli(STREAM_BOTH, { place });
    cli.say('one');
    await cli.nextResult();
    cli.say('two');
    await cli.nextResult();
    await cli.control({ subtype: 'set_model', model: 'haiku' });
    cli.say('three');
    await cli.nextResult();
    await cli.control({ subtype: 'set_model' });
    cli.say('four');
    await cli.nextResult();
    expect(sentTo(place)).toEqual([
      ['sonnet', 0],
      ['sonnet', 1],
      ['haiku', 0],
      ['sonnet', 1],
    ]);
    expect(faults(place)).toEqual([]);
  });

  test('[K17] nor to a model that takes over', async () => {
    const place = await makePlace([thought, fail(404, 'not_found_error', 'gone'), 'Second.']);
    await talk(place, ['one', 'two'], ['--fallback-model', 'haiku']);
    expect(sentTo(place).slice(1)).toEqual([
      ['sonnet', 1],
      ['haiku', 0],
    ]);
  });

  test('nor to the one that writes the summary, if it is another', async () => {
    const place = await makePlace([thought, SUMMARY]);
    await talk(place, ['one', '/model haiku', '/compact']);
    expect(sentTo(place)[1]).toEqual(['haiku', 0]);
  });

  test('nor to the one that a session is resumed with', async () => {
    const place = await makePlace([thought, 'Second.', 'Third.']);
    const { lines } = await talk(place, ['one']);
    const resume = ['--resume', String(lines.at(-1)?.session_id)];
    await talk(place, ['two'], [...resume, '--model', 'haiku']);
    await talk(place, ['three'], resume);
    expect(sentTo(place).slice(1)).toEqual([
      ['haiku', 0],
      ['sonnet', 1],
    ]);
    expect(faults(place)).toEqual([]);
  });
});

describe('[K35, FLD-25] the cost', () => {
  const dollars = (tokens: number) => reply([text('ok')], { usage: { input_tokens: tokens } });

  test('goes on over a resume, and begins anew in a fork', async () => {
    const place = await makePlace([dollars(100_000), dollars(50_000), dollars(50_000)]);
    const first = await price(place);
    const sessionId = String(first.session_id);
    const second = await price(place, '--resume', sessionId);
    const forked = await price(place, '--resume', sessionId, '--fork-session');
    expect(first.total_cost_usd).toBeCloseTo(0.3, 2);
    expect(second.total_cost_usd).toBeCloseTo(0.45, 2);
    expect(forked.total_cost_usd).toBeCloseTo(0.15, 2);
    expect(second.usage).toMatchObject({ input_tokens: 50_000 });
  });

  test('[LOOP-09] of the past binds the budget', async () => {
    const place = await makePlace([dollars(100_000), 'never']);
    const { session_id } = await price(place);
    const over = await price(place, '--resume', String(session_id), '--max-budget-usd', '0.2');
    expect(over).toMatchObject({ subtype: 'error_max_budget_usd' });
    expect(place.api.requests.length).toBe(1);
  });
});

/** All prompts at once; each is answered in a turn of its own, unless tools run. */
function talk(
  place: Place,
  prompts: string[],
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Finished> {
  const lines = prompts.map((content) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`);
  return runCli([...STREAM_BOTH, ...args], { place, env, stdin: lines.join('') });
}

async function price(place: Place, ...args: string[]): Promise<Line & { total_cost_usd: number }> {
  const { lines } = await runCli([...STREAM_OUT, 'go', ...args], { place });
  return lines.at(-1) as Line & { total_cost_usd: number };
}

/** The kinds of lines, turn by turn. */
function turnsOf(lines: readonly Line[]): string[][] {
  const turns: string[][] = [[]];
  for (const line of lines) {
    turns.at(-1)?.push(kindOf(line));
    if (isResult(line)) turns.push([]);
  }
  return turns.slice(0, -1);
}

function thoughtsIn(request: FakeApiRequest): number {
  return bodyOf(request)
    .messages.flatMap(blocksOf)
    .filter(({ type }) => type === 'thinking').length;
}

function faults({ api }: Place): string[] {
  return api.requests.flatMap((request) => apiFaults(bodyOf(request)));
}
