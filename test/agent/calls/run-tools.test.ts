import { describe, expect, test } from 'vitest';
import type { Gate } from '../../../src/agent/turn-tools.ts';
import { brokenToolUse, text, toolUse } from '../../../src/testing/script.ts';
import { ToolError } from '../../../src/tools/tool.ts';
import type { ToolResultBlock } from '../../../src/wire/api/content.ts';
import type { Message, StreamEventMessage } from '../../../src/wire/messages/index.ts';
import {
  blocksIn,
  createRig,
  type FakeToolOptions,
  fakeTool,
  faultsOf,
  gateBy,
  type Rig,
  resultsIn,
  said,
  until,
} from '../support.ts';

/** The one result of a turn that makes one call. */
async function resultOf(
  call: ReturnType<typeof toolUse>,
  options: Parameters<typeof createRig>[1] = {},
): Promise<{ rig: Rig; block: ToolResultBlock | undefined; data: unknown }> {
  const rig = createRig([call, 'done'], options);
  expect(await rig.ask('go')).toEqual({ kind: 'completed' });
  expect(resultsIn(rig.lines)).toHaveLength(1);
  expect(faultsOf(rig.requests[1]?.messages)).toEqual([]);
  const line = rig.lines.find(({ type }) => type === 'user') as Message & { tool_use_result?: unknown };
  return { rig, block: resultsIn(rig.lines)[0], data: line.tool_use_result };
}

describe('one result for each call', () => {
  test('[FLD-16, FLD-18] a success: content for the model, data for people, keys in the order of the wire', async () => {
    const { block, data } = await resultOf(toolUse('look', {}, 'a'), {
      tools: [fakeTool('look', { run: () => ({ content: 'seen', data: { seen: 1 }, isError: false }) })],
    });
    expect(JSON.stringify(block)).toBe('{"tool_use_id":"a","type":"tool_result","content":"seen","is_error":false}');
    expect(data).toEqual({ seen: 1 });
  });

  test('[M-10] an unknown tool, also one named like a property of every object', async () => {
    for (const name of ['nope', 'constructor', '__proto__', 'toString']) {
      const { block, data } = await resultOf(toolUse(name, {}, 'a'));
      const text = `Error: No such tool available: ${name}`;
      expect(JSON.stringify(block)).toBe(
        `{"type":"tool_result","content":"<tool_use_error>${text}</tool_use_error>","is_error":true,"tool_use_id":"a"}`,
      );
      expect(data).toBe(text);
    }
  });

  test.each([
    ['a wrong type', toolUse('look', { text: 7 }), 'text must be a string'],
    ['an unknown field', toolUse('look', { banana: 1 }), 'banana is not a known field'],
    ['an own key named __proto__', brokenToolUse('look', ['{"__proto__":{"text":"x"}}']), '__proto__ is not a known'],
    ['no JSON', brokenToolUse('look', ['{"text": "unfin']), 'not a JSON object: {"text": "unfin'],
    ['a scalar', brokenToolUse('look', ['7']), 'not a JSON object: 7'],
    ['an array', brokenToolUse('look', ['[]']), 'not a JSON object: []'],
  ])('[M-10] an input that is %s is answered, and nothing is run', async (_what, call, problem) => {
    let ran = false;
    const look = fakeTool('look', {
      run() {
        ran = true;
        return said('seen');
      },
    });
    const { rig, block, data } = await resultOf(call, { tools: [look] });
    expect(block).toMatchObject({ is_error: true });
    expect(block?.content).toContain('<tool_use_error>InputValidationError: look');
    expect(block?.content).toContain(problem);
    expect(data).toMatch(/^InputValidationError: /);
    expect(ran).toBe(false);
    expect(rig.turn.tally.denials).toEqual([]);
  });

  test('[M-10, M-15] two calls with one id: both are answered, the second is not run', async () => {
    let runs = 0;
    const look = fakeTool('look', {
      safe: true,
      run() {
        runs++;
        return said('seen');
      },
    });
    const rig = createRig([[toolUse('look', {}, 'same'), toolUse('look', {}, 'same')], 'done'], { tools: [look] });
    await rig.ask('go');
    expect(runs).toBe(1);
    expect(
      resultsIn(rig.lines)
        .map(({ is_error }) => is_error)
        .sort(),
    ).toEqual([true, undefined].sort());
    expect(faultsOf(rig.requests[1]?.messages)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[M-15] a provider that uses its ids again in a later answer', async () => {
    const rig = createRig([toolUse('look', {}, 'call_0'), toolUse('look', {}, 'call_0'), 'done'], {
      tools: [fakeTool('look')],
    });
    await rig.ask('go');
    expect(resultsIn(rig.lines).map(({ content }) => content)).toEqual(['look ran', 'look ran']);
    expect(faultsOf(rig.requests[2]?.messages)).toEqual([]);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('a failure that the model should read, bare or marked as a precondition', async () => {
    const failing = (error: Error) =>
      fakeTool('look', {
        run() {
          throw error;
        },
      });
    const bare = await resultOf(toolUse('look', {}), { tools: [failing(new ToolError('no such file'))] });
    expect(bare.block).toMatchObject({ content: 'no such file', is_error: true });
    expect(bare.data).toBe('Error: no such file');
    const wrapped = await resultOf(toolUse('look', {}), { tools: [failing(new ToolError('read it', { wrap: true }))] });
    expect(wrapped.block?.content).toBe('<tool_use_error>read it</tool_use_error>');
    expect(wrapped.data).toBe('Error: read it');
    expect(wrapped.rig.logs).toEqual([]);
  });

  const crash = () => {
    throw new TypeError('boom');
  };
  test.each<[string, FakeToolOptions]>([
    ['while it runs', { run: crash }],
    ['when asked what it touches', { access: crash }],
  ])('[M-10] a tool that crashes %s', async (_when, options) => {
    const gate: Gate = {
      async check({ tool, input }) {
        tool.access(input, undefined as never);
        return { allowed: true, input };
      },
    };
    const { block, rig } = await resultOf(toolUse('look', {}), { tools: [fakeTool('look', options)], gate });
    expect(block).toMatchObject({ is_error: true, content: 'The tool failed unexpectedly: boom' });
    expect(rig.logs.join()).toContain('boom');
  });

  test('[M-10] a tool that cannot say whether it is safe runs alone', async () => {
    const { block } = await resultOf(toolUse('look', {}), { tools: [fakeTool('look', { isSafe: crash })] });
    expect(block?.content).toBe('look ran');
  });

  test('[M-10] a tool whose input check crashes', async () => {
    const look = { ...fakeTool('look'), input: { json: {}, parse: crash } };
    const { block } = await resultOf(toolUse('look', {}), { tools: [look] });
    expect(block).toMatchObject({ is_error: true });
    expect(block?.content).toContain('boom');
  });

  test('[PRM-16, FLD-28] a denial: its text alone, and an entry in the list of denials', async () => {
    const { rig, block, data } = await resultOf(toolUse('look', { text: 'x' }, 'a'), {
      tools: [fakeTool('look')],
      gate: gateBy({ look: { message: 'not today' } }),
    });
    expect(block).toMatchObject({ content: 'not today', is_error: true });
    expect(data).toBe('Error: not today');
    expect(rig.turn.tally.denials).toEqual([{ tool_name: 'look', tool_use_id: 'a', tool_input: { text: 'x' } }]);
  });
});

describe('what runs beside what', () => {
  /** Tools that note when they begin and end; `s…` are safe beside each other. */
  function clocked(names: readonly string[]) {
    const log: string[] = [];
    const tools = names.map((name) =>
      fakeTool(name, {
        safe: name.startsWith('s'),
        async run() {
          log.push(`+${name}`);
          await new Promise((resolve) => setTimeout(resolve, 5));
          log.push(`-${name}`);
          return said(name);
        },
      }),
    );
    return { log, tools };
  }

  test('[K36] neighbours that are safe run together, others alone and in order', async () => {
    const names = ['s1', 's2', 'u1', 'u2', 's3', 's4'];
    const { log, tools } = clocked(names);
    const rig = createRig([names.map((name) => toolUse(name, {}, name)), 'done'], { tools });
    await rig.ask('go');
    expect(log.slice(0, 4)).toEqual(['+s1', '+s2', '-s1', '-s2']);
    expect(log.slice(4, 8)).toEqual(['+u1', '-u1', '+u2', '-u2']);
    expect(log.slice(8)).toEqual(['+s3', '+s4', '-s3', '-s4']);
  });

  test('[LOOP-18, K36] a call begins when the answer it stands in is whole, and its result comes behind it', async () => {
    const log: string[] = [];
    const look = fakeTool('look', {
      run() {
        log.push('runs');
        return said('seen');
      },
    });
    const rig = createRig([[toolUse('look', {}, 'a'), text('Let me see.')], 'done'], {
      tools: [look],
      partial(line) {
        log.push((line as StreamEventMessage).event.type);
        return undefined;
      },
    });
    await rig.ask('go');
    const first = log.slice(0, log.indexOf('message_start', 1));
    expect(first.slice(-2)).toEqual(['message_stop', 'runs']);
    expect(resultsIn(rig.lines)).toMatchObject([{ content: 'seen' }]);
  });

  test('[K36] lines come as calls end, results go back in the order of the calls', async () => {
    const open = new Map<string, () => void>();
    const tools = ['s1', 's2', 's3'].map((name) =>
      fakeTool(name, {
        safe: true,
        run: () => new Promise((resolve) => open.set(name, () => resolve(said(name)))),
      }),
    );
    const rig = createRig([tools.map(({ name }) => toolUse(name, {}, name)), 'done'], { tools });
    const end = rig.ask('go');
    for (const [i, name] of ['s3', 's1', 's2'].entries()) {
      await until(() => open.size === 3);
      open.get(name)?.();
      await until(() => resultsIn(rig.lines).length === i + 1);
    }
    await end;
    expect(resultsIn(rig.lines).map(({ content }) => content)).toEqual(['s3', 's1', 's2']);
    const sent = rig.requests[1]?.messages.at(-1)?.content as ToolResultBlock[];
    expect(sent.map(({ content }) => content)).toEqual(['s1', 's2', 's3']);
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('a run that must be repeatable gives the lines in the order of the calls, too', async () => {
    const pause = { s1: 30, s2: 15, s3: 0 };
    const tools = Object.entries(pause).map(([name, ms]) =>
      fakeTool(name, {
        safe: true,
        run: () => new Promise((resolve) => setTimeout(() => resolve(said(name)), ms)),
      }),
    );
    const rig = createRig([tools.map(({ name }) => toolUse(name, {}, name)), 'done'], { tools, ordered: true });
    await rig.ask('go');
    expect(resultsIn(rig.lines).map(({ content }) => content)).toEqual(['s1', 's2', 's3']);
  });

  test('permissions are asked one after the other, in the order of the calls', async () => {
    const asked: string[] = [];
    let pending = 0;
    const gate: Gate = {
      async check({ toolUseId, input }) {
        expect(++pending).toBe(1);
        asked.push(toolUseId);
        await new Promise((resolve) => setTimeout(resolve, 2));
        pending--;
        return { allowed: true, input };
      },
    };
    const rig = createRig([['a', 'b', 'c'].map((id) => toolUse('look', {}, id)), 'done'], {
      tools: [fakeTool('look', { safe: true })],
      gate,
    });
    await rig.ask('go');
    expect(asked).toEqual(['a', 'b', 'c']);
  });
});

describe('a denial that stops the turn', () => {
  test('[PRM-06] what was not yet asked is neither asked nor run, and no request follows', async () => {
    const asked: string[] = [];
    const ran: string[] = [];
    const gate: Gate = {
      async check({ toolUseId, input }) {
        asked.push(toolUseId);
        if (toolUseId === 'a') return { allowed: false, message: 'stop it', interrupt: true };
        return { allowed: true, input };
      },
    };
    const look = fakeTool('look', {
      safe: true,
      run(_input, { toolUseId }) {
        ran.push(toolUseId);
        return said('seen');
      },
    });
    const rig = createRig([['a', 'b', 'c'].map((id) => toolUse('look', {}, id)), 'next'], { tools: [look], gate });
    expect(await rig.ask('go')).toEqual({ kind: 'interrupted', during: 'tools' });
    expect(asked).toEqual(['a']);
    expect(ran).toEqual([]);
    expect(resultsIn(rig.lines)).toHaveLength(3);
    expect(resultsIn(rig.lines)[0]).toMatchObject({ content: 'stop it', tool_use_id: 'a' });
    expect(blocksIn(rig.lines, 'user').at(-1)).toEqual({
      type: 'text',
      text: '[Request interrupted by user for tool use]',
    });
    expect(rig.requests).toHaveLength(1);
    expect(rig.turn.tally.denials.map(({ tool_use_id }) => tool_use_id)).toEqual(['a']);
  });

  test('[PRM-06] calls that already run are stopped', async () => {
    let stopped = false;
    const slow = fakeTool('slow', {
      safe: true,
      run: (_input, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            stopped = true;
            reject(signal.reason);
          });
        }),
    });
    const rig = createRig([[toolUse('slow', {}, 'a'), toolUse('look', {}, 'b')]], {
      tools: [slow, fakeTool('look', { safe: true })],
      gate: gateBy({ look: { interrupt: true } }),
    });
    expect(await rig.ask('go')).toMatchObject({ kind: 'interrupted' });
    expect(stopped).toBe(true);
    expect(faultsOf(rig.messages)).toEqual([]);
  });
});
