import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interruptedResult } from '../../../src/sessions/interrupted-result.ts';
import { toApiMessages as replayed } from '../../../src/sessions/replay/replay.ts';
import { activeLeaf, pathTo } from '../../../src/sessions/tree/build-tree.ts';
import { unpairedToolCalls } from '../../../src/sessions/tree/repair-calls.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { apiFaults, assistant, call, golden, result, treeOf, user } from '../support.ts';

/** As it is sent: who wrote an answer stays with us. */
function toApiMessages(path: Parameters<typeof replayed>[0]) {
  return replayed(path).map(({ role, content }) => ({ role, content }));
}

test('[LOOP-20] an answer names the model that wrote it, so that its thoughts go back only to that one', () => {
  const answers = replayed(activePath(golden('multi.2.1.44.session'))).filter(({ role }) => role === 'assistant');
  expect(answers.map(({ model }) => model)).toEqual(answers.map(() => 'claude-sonnet-4-5-20250929'));
});

function activePath(entries: readonly Entry[]): Entry[] {
  const tree = treeOf(entries);
  return pathTo(tree, activeLeaf(tree).leaf?.id ?? '');
}

const text = (value: string) => ({ type: 'text', text: value });
const toolResult = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `out of ${id}` });

describe('recorded sessions give valid requests', () => {
  test.each([
    ['multi.2.1.44.session', ['user', 'assistant', 'user', 'assistant']],
    ['multi.2.1.325.session', ['user', 'assistant', 'user', 'assistant']],
    ['read.2.1.44.session', ['user', 'assistant', 'user', 'assistant']],
    ['in-two-turns.2.1.44.session', ['user', 'assistant', 'user', 'assistant']],
    ['sub-parallel.2.1.44.session', ['user', 'assistant', 'user', 'assistant']],
    ['skill.2.1.44.session', ['user', 'assistant', 'user', 'assistant']],
    ['sub.2.1.44.subagent-A1', ['user', 'assistant', 'user', 'assistant']],
    ['checkpoint.2.1.44.session', Array(5).fill(['user', 'assistant']).flat().concat(['user', 'assistant'])],
    ['sh-all-read.2.1.44.session', ['user', 'assistant', 'user', 'assistant']],
    ['compact-auto.2.1.44.session', ['user', 'assistant']],
    ['maxtokens.2.1.44.session', ['user', 'assistant']],
    ['badrequest.2.1.44.session', ['user']],
    ['ctl-interrupt-tool.2.1.44.session', ['user', 'assistant', 'user', 'assistant']],
    ['sequence-2resume.2.1.44.session-S1', ['user', 'assistant', 'user', 'assistant', 'user', 'assistant']],
    ['sequence-6at.2.1.44.session-S1', ['user', 'assistant', 'user', 'assistant', 'user', 'assistant']],
    ['sequence-6at.2.1.44.session-S2', Array(5).fill(['user', 'assistant']).flat()],
    ['sequence-6at.2.1.325.session-S1', ['user', 'assistant', 'user', 'assistant', 'user', 'assistant']],
    ['sequence-compact-resume.2.1.44.session-S1', ['user', 'assistant', 'user', 'assistant']],
  ])('[S-6] %s', (name, roles) => {
    const messages = toApiMessages(activePath(golden(name)));
    expect(apiFaults(messages)).toEqual([]);
    expect(messages.map((message) => message.role)).toEqual(roles);
  });

  test('the blocks of an answer are joined again, as in the recorded request after a resume', () => {
    const [, line] = readFileSync(new URL('../golden/ses-2resume.2.1.44.apireq.ndjson', import.meta.url), 'utf8').split(
      '\n',
    );
    const sent = JSON.parse(line ?? '').body.messages as { content: { cache_control?: unknown }[] }[];
    for (const block of sent.flatMap((message) => message.content)) delete block.cache_control;
    sent[0]?.content.shift(); // the reference's own reminder
    const messages = toApiMessages(activePath(golden('sequence-2resume.2.1.44.session-S1')));
    expect(messages.slice(0, -1)).toEqual(sent);
  });

  test('what was sent in one turn is the beginning of what is sent in the next', () => {
    const at = (uuid: string) => toApiMessages(pathTo(treeOf(golden('checkpoint.2.1.44.session')), uuid));
    const [first, second, third] = [at('U5'), at('U13'), at('U17')];
    expect(second.slice(0, first.length)).toEqual(first);
    expect(third.slice(0, second.length)).toEqual(second);
  });

  test('parallel results stand first, in the order of the calls', () => {
    const messages = toApiMessages(activePath(golden('multi.2.1.44.session')));
    expect(messages[1]?.content.map((block) => block.type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
    expect(messages[2]?.content).toMatchObject([{ tool_use_id: 'toolu_mock0001' }, { tool_use_id: 'toolu_mock0002' }]);
  });
});

describe('user messages', () => {
  test('consecutive entries are one message: results first, then texts and attachments in their order', () => {
    const path = [
      user('p', 'go'),
      assistant('a1', [call('t1')], { id: 'm' }),
      assistant('a2', [call('t2')], { id: 'm' }),
      { type: 'attachment', uuid: 'x', attachment: { type: 'hook', content: 'note' } },
      result('r2', 't2'),
      result('r1', 't1'),
      user('q', 'and'),
      user('s', [text('then')]),
      { type: 'attachment', uuid: 'y', attachment: { type: 'file', content: 'file' } },
      { type: 'attachment', uuid: 'z', attachment: { type: 'date' } },
    ];
    expect(toApiMessages(path)[2]).toEqual({
      role: 'user',
      content: [toolResult('t1'), toolResult('t2'), text('note'), text('and'), text('then'), text('file')],
    });
  });

  test('summaries of a compaction and meta texts go to the model, notices and progress do not', () => {
    const path = [
      { type: 'system', subtype: 'compact_boundary', uuid: 'b', content: 'compacted' },
      user('s', 'summary', { isVisibleInTranscriptOnly: true, isCompactSummary: true }),
      user('m', 'meta', { isMeta: true }),
      { type: 'progress', uuid: 'x', data: { type: 'hook_progress' } },
    ];
    expect(toApiMessages(path)).toEqual([{ role: 'user', content: [text('summary'), text('meta')] }]);
  });

  test('errors shown in the place of an answer are left out', () => {
    const error = assistant('e', 'API Error', { isApiErrorMessage: true });
    const synthetic = { ...assistant('f', ''), message: { id: 'x', model: '<synthetic>', content: [text('no')] } };
    const path = [user('p', 'a'), error, synthetic, user('q', 'b')];
    expect(toApiMessages(path)).toEqual([{ role: 'user', content: [text('a'), text('b')] }]);
  });
});

describe('answers', () => {
  test('blocks of one answer are joined also around the result of its first call', () => {
    const path = [
      user('p', 'go'),
      assistant('a1', [call('t1')], { id: 'm', requestId: 'req' }),
      result('r1', 't1'),
      assistant('a2', [call('t2')], { id: 'm', requestId: 'req' }),
      result('r2', 't2'),
    ];
    const messages = toApiMessages(path);
    expect(messages.map((message) => message.content.length)).toEqual([1, 2, 2]);
  });

  test('a repeated message id of another request is another answer', () => {
    const path = [
      user('p', 'go'),
      assistant('a1', [call('t1')], { id: 'm', requestId: 'req1' }),
      result('r1', 't1'),
      assistant('a2', [call('t2')], { id: 'm', requestId: 'req2' }),
      result('r2', 't2'),
    ];
    expect(toApiMessages(path).map((message) => message.content.length)).toEqual([1, 1, 1, 1, 1]);
  });

  test('thoughts that lead to nothing are left out', () => {
    const path = [
      user('p', 'go'),
      assistant('a', [{ type: 'thinking', thinking: 'hm', signature: 's' }]),
      user('q', 'b'),
    ];
    expect(toApiMessages(path)).toEqual([{ role: 'user', content: [text('go'), text('b')] }]);
  });

  test('[S-7] a call without a result keeps its text and is answered as interrupted', () => {
    const path = [user('p', 'go'), assistant('a', [text('look'), call('t1')]), user('q', 'next')];
    expect(toApiMessages(path)).toEqual([
      { role: 'user', content: [text('go')] },
      { role: 'assistant', content: [text('look'), call('t1')] },
      { role: 'user', content: [interruptedResult('t1'), text('next')] },
    ]);
  });
});

describe('damage', () => {
  test('[S-14] a lost beginning is said in a user message', () => {
    const messages = toApiMessages([assistant('a', 'still here')]);
    expect(apiFaults(messages)).toEqual([]);
    expect(messages[1]).toEqual({ role: 'assistant', content: [text('still here')] });
  });

  test('the result of a lost call stays as a text', () => {
    const messages = toApiMessages([user('p', 'go'), result('r1', 't1')]);
    expect(apiFaults(messages)).toEqual([]);
    expect(JSON.stringify(messages)).toContain('out of t1');
  });

  test('[S-12] a call or a result that is there twice is sent once', () => {
    const path = [
      user('p', 'go'),
      assistant('a', [call('t1')]),
      result('r1', 't1'),
      result('r2', 't1'),
      assistant('b', [call('t1')]),
      user('q', 'x'),
    ];
    const messages = toApiMessages(path);
    expect(apiFaults(messages)).toEqual([]);
    expect(messages.flatMap((message) => message.content)).toHaveLength(4);
  });

  test('[S-15] kinds of blocks the API does not know, and broken ones, are not sent', () => {
    const path = [
      user('p', [
        'x',
        null,
        { type: 'from-tomorrow' },
        { type: 'text' },
        { type: 'image' },
        { type: 'thinking' },
        text('ok'),
      ]),
      assistant('a', [
        { type: 'hologram' },
        { type: 'tool_use', id: 't' },
        { type: 'tool_use', name: 'x' },
        text('yes'),
      ]),
      user('q', 5),
      user('r', undefined),
      { type: 'user', uuid: 's' },
      { type: 'assistant', uuid: 't', message: 'x' },
    ];
    expect(toApiMessages(path)).toEqual([
      { role: 'user', content: [text('ok')] },
      { role: 'assistant', content: [text('yes')] },
    ]);
  });

  test('empty texts are dropped, and an error without a text gets one', () => {
    const empty = { type: 'tool_result', tool_use_id: 't1', content: [text('')], is_error: true };
    const path = [
      user('p', 'go'),
      user('q', ' '),
      assistant('a', [text('\n'), call('t1')]),
      user('r', [empty, text('')]),
    ];
    expect(toApiMessages(path)).toEqual([
      { role: 'user', content: [text('go')] },
      { role: 'assistant', content: [call('t1')] },
      { role: 'user', content: [{ ...empty, content: '(no output)' }] },
    ]);
  });

  test('[S-25] lone surrogates are replaced everywhere', () => {
    const bad = '\ud83d';
    const path = [
      user('p', `a${bad}`),
      assistant('a', [text(`b${bad}`), { ...call('t1'), input: { [`k${bad}`]: [bad] } }]),
      user('r', [{ type: 'tool_result', tool_use_id: 't1', content: [text(`c${bad}`)] }]),
      { type: 'attachment', uuid: 'x', attachment: { type: 'f', content: `d${bad}` } },
    ];
    expect(apiFaults(toApiMessages(path))).toEqual([]);
    expect(JSON.stringify(toApiMessages(path))).toContain('d\ufffd');
  });

  test('[S-18] nesting beyond what can be written again is cut off', () => {
    const deep = JSON.parse('{"a":'.repeat(50_000) + 1 + '}'.repeat(50_000));
    const path = [user('p', 'go'), assistant('a', [{ ...call('t1'), input: deep }])];
    expect(JSON.stringify(toApiMessages(path))).toContain('nested too deeply');
  });

  test('blocks that are in order are passed on as they are', () => {
    const block = { ...call('t1'), caller: { type: 'direct' } };
    const [, answer] = toApiMessages([user('p', 'go'), assistant('a', [block])]);
    expect(answer?.content[0]).toBe(block);
  });
});

describe('unpaired calls', () => {
  const path = [
    user('p', 'go'),
    assistant('a1', [call('t1')], { id: 'm', parent: 'p' }),
    assistant('a2', [call('t2')], { id: 'm', parent: 'a1' }),
    result('r1', 't1', { parent: 'a1' }),
  ];

  test('[S-7] are named with the entry they come from', () => {
    expect(unpairedToolCalls(path)).toEqual([{ toolUseId: 't2', name: 'Bash', assistantUuid: 'a2', isPassed: false }]);
  });

  test('once answered in the file, a second resume finds none and sends the same', () => {
    const before = toApiMessages(activePath(path));
    const answer = user('r2', [interruptedResult('t2')], { parent: 'a2', sourceToolAssistantUUID: 'a2' });
    const repaired = activePath([...path, answer]);
    expect(unpairedToolCalls(repaired)).toEqual([]);
    expect(toApiMessages(repaired)).toEqual(before);
  });

  test('a finished session has none', () => {
    expect(unpairedToolCalls(golden('multi.2.1.44.session'))).toEqual([]);
  });
});

describe('any file', () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary', maxLength: 5 }) }),
    fc.nat(5).map((n) => call(`t${n}`)),
    fc.nat(6).map((n) => toolResult(`t${n}`)),
    fc.constant({ type: 'thinking', thinking: 'hm' }),
    fc.record({ type: fc.string() }),
  );
  const link = fc.record({
    uuid: fc.nat(15),
    parent: fc.option(fc.nat(17)),
    kind: fc.constantFrom('user', 'assistant', 'attachment', 'progress', 'system'),
    id: fc.nat(3),
    content: fc.oneof(fc.array(block, { maxLength: 4 }), fc.string({ maxLength: 4 })),
  });
  const files = fc.array(link, { maxLength: 18 }).map((links) =>
    links.map(({ uuid, parent, kind, id, content }): Entry => {
      const place = { parent: parent === null ? null : `n${parent}` };
      if (kind === 'user') return user(`n${uuid}`, content, place);
      if (kind === 'assistant') return assistant(`n${uuid}`, content, { ...place, id: `msg${id}` });
      return { type: kind, uuid: `n${uuid}`, parentUuid: place.parent, attachment: { type: 'x', content } };
    }),
  );

  test('[S-6] gives a valid request, from each of its nodes', () => {
    fc.assert(
      fc.property(files, (entries) => {
        const tree = treeOf(entries);
        for (const id of tree.nodes.keys()) expect(apiFaults(toApiMessages(pathTo(tree, id)))).toEqual([]);
      }),
      { numRuns: 700 },
    );
  });

  test('[S-7] needs its unpaired calls answered only once', () => {
    fc.assert(
      fc.property(files, (entries) => {
        const path = activePath(entries);
        const answers = unpairedToolCalls(path).map(({ toolUseId, assistantUuid }, i) =>
          user(`answer${i}`, [interruptedResult(toolUseId)], {
            parent: assistantUuid,
            sourceToolAssistantUUID: assistantUuid,
          }),
        );
        expect(unpairedToolCalls(activePath([...entries, ...answers]))).toEqual([]);
      }),
      { numRuns: 700 },
    );
  });
});
