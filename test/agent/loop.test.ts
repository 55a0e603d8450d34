import { describe, expect, test } from 'vitest';
import { fail, hang, reply, text, thinking, toolUse } from '../../src/testing/script.ts';
import { Aborted } from '../../src/util/abort.ts';
import {
  blocksIn,
  createRig,
  fakeTool,
  faultsOf,
  flatten,
  kindsOf,
  prefixFaults,
  resultsIn,
  said,
  times,
  until,
} from './support.ts';

const INTERRUPTED = { type: 'text', text: '[Request interrupted by user]' };
const INTERRUPTED_FOR_TOOL = { type: 'text', text: '[Request interrupted by user for tool use]' };

describe('when to stop', () => {
  test('[LOOP-07, LOOP-15, MSG-09] an answer without tool calls ends the turn', async () => {
    const rig = createRig(['All done.']);
    expect(await rig.ask('do it')).toEqual({ kind: 'completed' });
    expect(kindsOf(rig.lines)).toEqual(['assistant']);
    expect(rig.requests).toHaveLength(1);
    expect(rig.turn.tally).toMatchObject({ rounds: 0, userLines: 0, lastText: 'All done.', stopReason: 'end_turn' });
  });

  test('[LOOP-05, LOOP-06, MSG-10] tool calls are run and the model is called again with their results', async () => {
    const rig = createRig([[text('Looking.'), toolUse('look', { text: 'here' }, 'toolu_1')], 'Found it.'], {
      tools: [fakeTool('look', { run: (input) => said(`seen: ${input.text}`) })],
    });
    expect(await rig.ask('find it')).toEqual({ kind: 'completed' });
    expect(kindsOf(rig.lines)).toEqual(['assistant', 'assistant', 'user', 'assistant']);
    expect(rig.requests[1]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'find it' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { text: 'here' } },
        ],
      },
      { role: 'user', content: [{ tool_use_id: 'toolu_1', type: 'tool_result', content: 'seen: here' }] },
    ]);
  });

  test('[LOOP-01] each round is one model call, and the next carries everything before it', async () => {
    const rig = createRig([...times(5, toolUse('look', {})), 'done'], { tools: [fakeTool('look')] });
    await rig.ask('go');
    expect(rig.requests).toHaveLength(6);
    expect(rig.turn.tally).toMatchObject({ rounds: 5, userLines: 5 });
    expect(rig.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7, 9, 11]);
    expect(prefixFaults(rig.requests)).toEqual([]);
    expect(rig.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
  });

  test('[LOOP-04] every tool call of an answer is taken, wherever it stands', async () => {
    const ran: string[] = [];
    const note = (name: string) =>
      fakeTool(name, {
        run() {
          ran.push(name);
          return said(name);
        },
      });
    const rig = createRig([[toolUse('first', {}), text('and'), toolUse('second', {})], 'done'], {
      tools: [note('first'), note('second')],
    });
    await rig.ask('both');
    expect(ran).toEqual(['first', 'second']);
    expect(resultsIn(rig.lines).map(({ content }) => content)).toEqual(['first', 'second']);
  });

  test('the result text is that of the last block, and empty when that is no text', async () => {
    const twice = createRig([[text('Part A.'), text('Part B.')]]);
    await twice.ask('go');
    expect(twice.turn.tally.lastText).toBe('Part B.');
    const thought = createRig([[text('Hm.'), thinking('why?')]]);
    await thought.ask('go');
    expect(thought.turn.tally.lastText).toBe('');
  });

  test('hundreds of rounds cost no stack', async () => {
    const rig = createRig((_request, index) => (index < 500 ? toolUse('look', {}) : 'done'), {
      tools: [fakeTool('look')],
    });
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(rig.turn.tally.rounds).toBe(500);
  });
});

describe('limits', () => {
  test('[LOOP-08, OPT-20] the turn cap stops after the results of its last round', async () => {
    const rig = createRig(times(9, toolUse('look', {})), { tools: [fakeTool('look')], limits: { maxTurns: 2 } });
    expect(await rig.ask('go')).toEqual({ kind: 'max_turns', maxTurns: 2 });
    expect(rig.requests).toHaveLength(2);
    expect(kindsOf(rig.lines)).toEqual(['assistant', 'user', 'assistant', 'user']);
    expect(faultsOf(rig.messages)).toEqual([]);
  });

  test('the turn cap counts from each prompt anew', async () => {
    const rig = createRig([toolUse('look', {}), toolUse('look', {}), 'done'], {
      tools: [fakeTool('look')],
      limits: { maxTurns: 1 },
    });
    expect(await rig.ask('one')).toMatchObject({ kind: 'max_turns' });
    expect(await rig.ask('two')).toMatchObject({ kind: 'max_turns' });
    expect(await rig.ask('three')).toEqual({ kind: 'completed' });
    expect(rig.requests.flatMap(({ messages }) => faultsOf(messages))).toEqual([]);
  });

  test('[LOOP-09, OPT-18] a budget that is used up stops before the next call', async () => {
    const dear = reply([toolUse('look', {})], { usage: { input_tokens: 1_000_000 } });
    const rig = createRig(times(3, dear), {
      tools: [fakeTool('look')],
      limits: { maxBudgetUsd: 1 },
    });
    expect(await rig.ask('go')).toEqual({ kind: 'max_budget', maxBudgetUsd: 1 });
    expect(rig.requests).toHaveLength(1);
    expect(rig.turn.ledger.costUsd).toBeGreaterThan(1);
  });
});

describe('streaming', () => {
  test('[LOOP-03] what the model streams is passed on before the answer is complete', async () => {
    const seen: string[] = [];
    const stop = new AbortController();
    const rig = createRig([reply([text('one', 'two')], { fault: { after: { events: 4 }, how: 'hang' } })], {
      partial: (line) => {
        seen.push(line.event.type);
        if (line.event.type === 'content_block_delta') stop.abort(new Aborted('interrupt'));
        return undefined;
      },
    });
    await rig.ask('go', stop.signal);
    expect(seen).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
  });

  test('[LOOP-20, FLD-15] thoughts go back with their signature, unchanged', async () => {
    const rig = createRig([[thinking('First, look.', 'sig+/=='), toolUse('look', {}, 'toolu_1')], 'done', 'more'], {
      tools: [fakeTool('look')],
    });
    await rig.ask('go');
    await rig.ask('again');
    const thought = { type: 'thinking', thinking: 'First, look.', signature: 'sig+/==' };
    expect(blocksIn(rig.lines, 'assistant')[0]).toEqual(thought);
    expect(rig.requests[1]?.messages[1]?.content[0]).toEqual(thought);
    expect(rig.requests[2]?.messages[1]?.content[0]).toEqual(thought);
  });
});

describe('abort', () => {
  test('[LOOP-10] before the first byte: only the marker, and the next prompt works', async () => {
    const rig = createRig([hang(), 'fine']);
    const stop = new AbortController();
    const end = rig.ask('go', stop.signal);
    await until(() => rig.requests.length === 1);
    stop.abort(new Aborted('interrupt'));
    expect(await end).toEqual({ kind: 'interrupted', during: 'stream' });
    expect(blocksIn(rig.lines, 'user')).toEqual([INTERRUPTED]);
    expect(await rig.ask('again')).toEqual({ kind: 'completed' });
    expect(prefixFaults(rig.requests)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[LOOP-10] in the middle of a text: whole blocks stay, the half one is dropped', async () => {
    const stop = new AbortController();
    const rig = createRig(
      [reply([text('Whole.'), text('Half')], { fault: { after: { block: 1 }, how: 'hang' } }), 'fine'],
      {
        partial: ({ event }) => {
          if (event.type === 'content_block_delta' && event.index === 1) stop.abort(new Aborted('interrupt'));
          return undefined;
        },
      },
    );
    expect(await rig.ask('go', stop.signal)).toEqual({ kind: 'interrupted', during: 'stream' });
    expect(blocksIn(rig.lines, 'assistant')).toEqual([{ type: 'text', text: 'Whole.' }]);
    await rig.ask('again');
    expect(flatten(rig.requests[1]?.messages ?? []).join('\n')).not.toContain('Half');
    expect(faultsOf(rig.requests[1]?.messages)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[M-15] a thought without an answer behind it is not sent back', async () => {
    const stop = new AbortController();
    const rig = createRig(
      [reply([thinking('Let me see.'), text('Half')], { fault: { after: { block: 1 }, how: 'hang' } }), 'fine'],
      {
        partial: ({ event }) => {
          if (event.type === 'content_block_delta' && event.index === 1) stop.abort(new Aborted('interrupt'));
          return undefined;
        },
      },
    );
    await rig.ask('go', stop.signal);
    await rig.ask('again');
    expect(faultsOf(rig.requests[1]?.messages)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[LOOP-10] while a tool runs: every call gets its result, then the marker for tools', async () => {
    const stop = new AbortController();
    const wait = fakeTool('wait', {
      run: (_input, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          stop.abort(new Aborted('interrupt'));
        }),
    });
    const rig = createRig([[toolUse('wait', {}, 'a'), toolUse('look', {}, 'b')], 'fine'], {
      tools: [wait, fakeTool('look')],
    });
    expect(await rig.ask('go', stop.signal)).toEqual({ kind: 'interrupted', during: 'tools' });
    expect(resultsIn(rig.lines).map(({ tool_use_id, is_error }) => [tool_use_id, is_error])).toEqual([
      ['a', true],
      ['b', true],
    ]);
    expect(resultsIn(rig.lines).every(({ content }) => String(content).includes('interrupted'))).toBe(true);
    expect(rig.logs).toEqual([]); // what an abort makes a tool throw is no failure of it
    expect(blocksIn(rig.lines, 'user').at(-1)).toEqual(INTERRUPTED_FOR_TOOL);
    expect(rig.turn.tally.userLines).toBe(3);
    await rig.ask('again');
    expect(rig.requests).toHaveLength(2);
    expect(faultsOf(rig.requests[1]?.messages)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('a turn that is aborted before it began calls no model', async () => {
    const rig = createRig(['never']);
    expect(await rig.ask('go', AbortSignal.abort(new Aborted('interrupt')))).toMatchObject({ kind: 'interrupted' });
    expect(rig.requests).toHaveLength(0);
  });
});

describe('a model that fails', () => {
  test('[K24, ERR-11] ends the turn with an error line in place of an answer', async () => {
    const rig = createRig([fail(529, 'overloaded_error', 'Overloaded'), 'fine']);
    expect(await rig.ask('go')).toMatchObject({ kind: 'api_error', failure: { class: 'overloaded', status: 529 } });
    const [line] = rig.lines;
    expect(line).toMatchObject({ type: 'assistant', error: 'server_error', message: { model: '<synthetic>' } });
    expect(rig.turn.tally).toMatchObject({ stopReason: 'stop_sequence' });
    expect(rig.turn.tally.lastText).toContain('529');
  });

  test('[M-15] the error text never reaches the model, and the session goes on', async () => {
    const rig = createRig([fail(400, 'invalid_request_error', 'bad request'), 'fine']);
    await rig.ask('one');
    expect(await rig.ask('two')).toEqual({ kind: 'completed' });
    expect(rig.requests[1]?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    ]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });
});
