import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addAnswer, addUserContent } from '../../../src/agent/messages/api-messages.ts';
import type { Gate } from '../../../src/agent/turn-tools.ts';
import type { ApiMessage } from '../../../src/model/model.ts';
import { type AnswerLike, brokenToolUse, fail, reply, text, thinking, toolUse } from '../../../src/testing/script.ts';
import { ToolError } from '../../../src/tools/tool.ts';
import { Aborted } from '../../../src/util/abort.ts';
import type { ContentBlock, TextBlock } from '../../../src/wire/api/content.ts';
import { blocksIn, createRig, failingStore, fakeTool, faultsOf, prefixFaults, resultsIn } from '../support.ts';

const words = (of: string): TextBlock => ({ type: 'text', text: of });

describe('adding to a conversation', () => {
  test('[M-15] what the user says after something unanswered joins it', () => {
    const messages: ApiMessage[] = [];
    addUserContent(messages, [words('one')]);
    const before = messages[0];
    addUserContent(messages, [words('two'), words('three')]);
    expect(messages).toEqual([{ role: 'user', content: [words('one'), words('two'), words('three')] }]);
    expect(before?.content).toEqual([words('one')]); // clients know a message by its identity: it never changes
  });

  test('after an answer it is a message of its own', () => {
    const messages: ApiMessage[] = [{ role: 'user', content: [words('one')] }];
    addAnswer(messages, [words('answer')], { model: 'm' });
    addUserContent(messages, [words('two')]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test.each<[string, ContentBlock[], ContentBlock[]]>([
    ['thoughts at the end', [words('a'), { type: 'thinking', thinking: 'b', signature: 'c' }], [words('a')]],
    ['hidden thoughts at the end', [words('a'), { type: 'redacted_thinking', data: 'x' }], [words('a')]],
    ['texts without text', [words(''), words('a'), words('\n ')], [words('a')]],
    [
      'but not thoughts before a text',
      [{ type: 'thinking', thinking: 'b', signature: 'c' }, words('a')],
      [{ type: 'thinking', thinking: 'b', signature: 'c' }, words('a')],
    ],
  ])('[M-15] an answer is added without %s', (_what, blocks, kept) => {
    const messages: ApiMessage[] = [];
    addAnswer(messages, blocks, { model: 'm' });
    expect(messages).toEqual([{ role: 'assistant', content: kept, model: 'm' }]);
  });

  test('[M-15, K17] an answer that goes on after a pause is one, without the thoughts of another model', () => {
    const thought: ContentBlock = { type: 'thinking', thinking: 'Hm.', signature: 's' };
    const messages: ApiMessage[] = [{ role: 'user', content: [words('one')] }];
    addAnswer(messages, [thought, words('a')], { model: 'm' });
    addAnswer(messages, [words('b')], { model: 'm' });
    expect(messages[1]).toEqual({ role: 'assistant', content: [thought, words('a'), words('b')], model: 'm' });
    addAnswer(messages, [words('c')], { model: 'n' });
    expect(messages[1]).toEqual({ role: 'assistant', content: [words('a'), words('b'), words('c')], model: 'n' });
  });

  test('[M-11, M-15] an answer of which nothing is left is not added', () => {
    const messages: ApiMessage[] = [];
    addAnswer(messages, [], { model: 'm' });
    addAnswer(messages, [words(' '), { type: 'thinking', thinking: 'b' }], { model: 'm' });
    expect(messages).toEqual([]);
  });
});

describe('whatever happens in a turn', () => {
  const CALLS = [
    'fine',
    'beside',
    'picky',
    'failing',
    'crashing',
    'denied',
    'stopping',
    'unknown',
    'bad',
    'torn',
    'twin',
  ];
  type Kind = (typeof CALLS)[number];

  function block(kind: Kind, id: string) {
    if (kind === 'bad') return toolUse('fine', { text: 7 }, id);
    if (kind === 'torn') return brokenToolUse('fine', ['{"te'], id);
    if (kind === 'twin') return toolUse('fine', {}, 'twin');
    return toolUse(kind, {}, id);
  }

  const tools = [
    fakeTool('fine'),
    fakeTool('beside', { safe: true }),
    fakeTool('picky', { safe: true, run: () => Promise.reject(new ToolError('no', { wrap: true })) }),
    fakeTool('failing', { run: () => Promise.reject(new ToolError('no')) }),
    fakeTool('crashing', { safe: true, run: () => Promise.reject(new Error('boom')) }),
    fakeTool('denied'),
    fakeTool('stopping', { safe: true }),
  ];
  const gate: Gate = {
    async check({ tool, input }) {
      const isDenied = tool.name === 'denied' || tool.name === 'stopping';
      if (!isDenied) return { allowed: true, input };
      return { allowed: false, message: 'no', interrupt: tool.name === 'stopping' };
    },
  };

  /** One answer of a script: how it begins, what it calls, and how it ends. */
  const answer = fc.record({
    lead: fc.constantFrom('none', 'text', 'thought', 'blank'),
    calls: fc.array(fc.constantFrom(...CALLS), { maxLength: 4 }),
    end: fc.oneof(
      { arbitrary: fc.constant('whole'), weight: 8 },
      { arbitrary: fc.constantFrom('cut', 'refused'), weight: 1 },
    ),
  });

  function scripted({ lead, calls, end }: { lead: string; calls: Kind[]; end: string }, at: number): AnswerLike {
    if (end === 'refused') return fail(500, 'api_error', 'no');
    const leads = { none: [], text: [text('Well.')], thought: [thinking('Hm.')], blank: [text('')] };
    const blocks = [...leads[lead as keyof typeof leads], ...calls.map((kind, i) => block(kind, `toolu_${at}_${i}`))];
    return reply(blocks, end === 'cut' ? { fault: { after: { events: blocks.length * 3 }, how: 'cut' } } : {});
  }

  test('[M-10, M-15, S-6] every call has one result, and every request is valid and begins with the one before', async () => {
    const plan = fc.record({ answers: fc.array(answer, { maxLength: 5 }), abortAfter: fc.nat({ max: 12 }) });
    await fc.assert(
      fc.asyncProperty(plan, async ({ answers, abortAfter }) => {
        const rig = createRig([...answers.map(scripted), 'done', 'done'], { tools, gate });
        const stop = new AbortController();
        const { push } = rig.lines;
        rig.lines.push = (...lines) => {
          if (rig.lines.length + lines.length > abortAfter) stop.abort(new Aborted('interrupt'));
          return push.apply(rig.lines, lines);
        };
        await rig.ask('one', stop.signal);
        await rig.ask('two');

        expect(rig.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
        expect(prefixFaults(rig.requests)).toEqual([]);
        const superseded = new Set(
          rig.lines.flatMap((line) => (line as { superseded_uuids?: string[] }).superseded_uuids ?? []),
        );
        const standing = rig.lines.filter((line) => !superseded.has((line as { uuid: string }).uuid));
        const called = blocksIn(standing, 'assistant').flatMap((each) => (each.type === 'tool_use' ? [each.id] : []));
        const answered = resultsIn(rig.lines).map(({ tool_use_id }) => tool_use_id);
        expect([...answered].sort()).toEqual([...called].sort());
        expect(await rig.replayed()).toEqual(rig.conversation());
      }),
      { numRuns: 200, seed: 20 },
    );
  });

  test('[S-1] a store that fails at any moment leaves the conversation whole', async () => {
    const script: AnswerLike[] = [
      [text('Well.'), toolUse('fine', {}, 'a'), toolUse('beside', {}, 'b'), toolUse('beside', {}, 'c')],
      [thinking('Hm.'), toolUse('denied', {}, 'd')],
      'done',
    ];
    for (let failing = 1; failing <= 10; failing++) {
      const { store, appends } = failingStore(failing);
      const rig = createRig(
        (request, i) => (JSON.stringify(request.messages).includes('two') ? 'fine' : (script[i] ?? 'x')),
        {
          tools,
          gate,
          store,
        },
      );
      const first = await rig.ask('one').catch((error: Error) => error.message);
      expect(first === 'disk full' || appends() < failing).toBe(true);
      expect(await rig.ask('two')).toEqual({ kind: 'completed' });
      expect(faultsOf(rig.requests.at(-1)?.messages)).toEqual([]);
      expect(await rig.replayed()).toEqual(rig.conversation());
    }
  });
});
