import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import type { CustomTool } from '../../src/host/index.ts';
import type { ModelRequest } from '../../src/model/model.ts';
import type { Options, SDKMessage } from '../../src/sdk/index.ts';
import { createMemoryStore } from '../../src/sessions/stores/memory-store.ts';
import { type AnswerLike, type Script, scriptedModel, toolUse } from '../../src/testing/index.ts';
import { engine as engineModule, sdk } from '../support/built.ts';
import { type Line, toolResult } from '../support/lines.ts';

const { createEngine, inProcess, tool } = engineModule;

/** A program that embeds the agent with tools of its own, as it is built and installed. */
function program(tools: CustomTool[], script: Script<ModelRequest>, env: Record<string, string> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'heddle-custom-'));
  const model = scriptedModel(script);
  const logs: string[] = [];
  const log = (level: string, message: string) => logs.push(`${level}: ${message}`);
  const engine = createEngine({ cwd, env: { PATH: '/bin', ...env }, model, store: createMemoryStore(), tools, log });
  onTestFinished(async () => {
    await engine.close();
    rmSync(cwd, { recursive: true, force: true });
  });
  return {
    model,
    logs,
    sentTools: () => model.requests.map(({ tools: sent }) => sent.map(({ name }) => name)),
    async ask(options: Options = {}): Promise<Line[]> {
      const lines: SDKMessage[] = [];
      const run = sdk.query({ prompt: 'go', options: { transport: inProcess(engine), env: undefined, ...options } });
      for await (const message of run) lines.push(message);
      return lines as unknown as Line[];
    },
  };
}

const resultsIn = (lines: Line[]) => lines.flatMap((line) => toolResult(line) ?? []);
const toolsOf = (lines: Line[]) => lines[0]?.tools as string[];
const allow = { allowedTools: ['weather'] };

const weather = tool(
  'weather',
  'Tells how warm it is',
  { city: z.string(), unit: z.string().default('C') },
  (args) => ({
    content: [{ type: 'text', text: `${args.city}: 21 ${args.unit}` }],
  }),
);
const calls: AnswerLike[] = [toolUse('weather', { city: 'Ulm' }), 'Warm.'];

describe('a tool of the embedding program', () => {
  test('[MCP-05] is listed, described to the model, run in this process, and answered with its content', async () => {
    let runs = 0;
    const counting = tool('weather', 'Tells how warm it is', { city: z3.string() }, ({ city }) => `${city} ${++runs}`);
    const { ask, model } = program([counting], calls);
    const lines = await ask(allow);
    expect(runs).toBe(1);
    expect(toolsOf(lines).at(-1)).toBe('weather');
    expect(model.requests[0]?.tools.at(-1)).toMatchObject({
      name: 'weather',
      description: 'Tells how warm it is',
      input_schema: { type: 'object', required: ['city'] },
    });
    expect(resultsIn(lines)).toMatchObject([{ content: 'Ulm 1' }]);
  });

  test('[MCP-18] has its defaults filled in, and its content is the structured face, too', async () => {
    const lines = await program([weather], calls).ask(allow);
    const content = [{ type: 'text', text: 'Ulm: 21 C' }];
    expect(resultsIn(lines)).toMatchObject([{ content }]);
    expect(lines.find((line) => toolResult(line))).toMatchObject({ tool_use_result: content });
  });

  test('[TOOL-08, G7] runs only with permission', async () => {
    const denied = await program([weather], calls).ask();
    expect(denied.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'weather' }] });
    const asked: string[] = [];
    const canUseTool: Options['canUseTool'] = async (name, input) => {
      asked.push(name);
      return { behavior: 'allow', updatedInput: { ...input, city: 'Bern' } };
    };
    const lines = await program([weather], calls).ask({ canUseTool });
    expect(asked).toEqual(['weather']);
    expect(resultsIn(lines)).toMatchObject([{ content: [{ text: 'Bern: 21 C' }] }]);
  });

  test('[K7] is taken away by a deny rule, not by a choice among ours', async () => {
    const without = await program([weather], calls).ask({ disallowedTools: ['weather'] });
    expect(toolsOf(without)).not.toContain('weather');
    expect(resultsIn(without)).toMatchObject([{ content: expect.stringContaining('No such tool available') }]);
    expect(toolsOf(await program([weather], calls).ask({ tools: ['Read'], ...allow }))).toEqual(['Read', 'weather']);
  });

  test('[M-10] tells the model what is wrong with its input, and what went wrong in it', async () => {
    const broken = tool('broken', '', { size: z.number().max(3) }, () => {
      throw new Error('the loom is jammed');
    });
    const script = [toolUse('broken', { size: 5 }), toolUse('broken', { size: 2 }), 'Sorry.'];
    const lines = await program([broken], script).ask({ allowedTools: ['broken'] });
    expect(resultsIn(lines)).toMatchObject([
      { is_error: true, content: expect.stringMatching(/InputValidationError: broken .*\nsize: Too big/s) },
      { is_error: true, content: 'the loom is jammed' },
    ]);
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: 'Sorry.' });
  });

  test('that hangs does not hold an interrupt', async () => {
    let aborted = false;
    const hanging = tool('weather', '', {}, (_args, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => {});
    });
    const { ask } = program([hanging], [toolUse('weather', {}), 'never']);
    const lines = await ask({ ...allow, maxDurationMs: 200 });
    expect(aborted).toBe(true);
    expect(resultsIn(lines)).toMatchObject([{ is_error: true }]);
    expect(lines.at(-1)).toMatchObject({ type: 'result', is_error: true });
  });

  test('[K36, B-025] runs beside others only when it says that it only reads', async () => {
    const trace: string[] = [];
    const slow = (name: string, readOnlyHint: boolean) =>
      tool(
        name,
        '',
        {},
        async () => {
          trace.push(`${name} begins`);
          await new Promise((resolve) => setTimeout(resolve, 30));
          trace.push(`${name} ends`);
          return 'ok';
        },
        { annotations: { readOnlyHint } },
      );
    for (const [names, readOnly] of [
      [['a', 'b'], true],
      [['c', 'd'], false],
    ] as const) {
      const script = [names.map((name) => toolUse(name, {})), 'ok'];
      await program(
        names.map((name) => slow(name, readOnly)),
        script,
      ).ask({ allowedTools: [...names] });
    }
    expect(trace.slice(0, 2)).toEqual(['a begins', 'b begins']);
    expect(trace.slice(4)).toEqual(['c begins', 'c ends', 'd begins', 'd ends']);
  });

  test('[C-4] two of one name, and one with a schema that cannot be used, are told at once', async () => {
    expect(() => program([weather, weather], [])).toThrow('Two tools are named weather');
    expect(() => program([{ ...weather, name: 'Bash' }], [])).toThrow('A tool cannot be named Bash');
    const reason = 'The input of the tool odd cannot be used: it must describe an object, not "array"';
    expect(() => tool('odd', '', { type: 'array' }, () => '')).toThrow(reason);
    const { ask } = program([{ ...weather, name: 'odd', inputSchema: { type: 'array' } }], ['hi']);
    await expect(ask()).rejects.toThrow(reason);
  });
});

describe('[B-201, B-220] many tools', () => {
  const many = (count: number, words: number) =>
    Array.from({ length: count }, (_, i) => tool(`tool_${i}`, `Does ${i} ${'x '.repeat(words)}`, {}, () => `ran ${i}`));
  const all = (count: number) => ({ allowedTools: Array.from({ length: count }, (_, i) => `tool_${i}`) });
  const own = (names: string[] | undefined) => names?.filter((name) => /^tool_|^ToolSearch$/.test(name));

  test('are left out of requests until they are found, in the same turn', async () => {
    const script = [toolUse('ToolSearch', { query: 'select:tool_7' }), toolUse('tool_7', {}), 'Done.'];
    const { ask, sentTools, logs } = program(many(60, 400), script);
    const lines = await ask(all(60));
    expect(toolsOf(lines)).toEqual(expect.arrayContaining(['tool_0', 'tool_59', 'ToolSearch']));
    expect(sentTools().map(own)).toEqual([['ToolSearch'], ['ToolSearch', 'tool_7'], ['ToolSearch', 'tool_7']]);
    expect(sentTools()[1]?.slice(0, -1)).toEqual(sentTools()[0]);
    expect(lines.find((line) => toolResult(line))).toMatchObject({
      tool_use_result: { matches: ['tool_7'], query: 'select:tool_7', total_deferred_tools: 60 },
    });
    expect(resultsIn(lines)[1]).toMatchObject({ content: 'ran 7' });
    expect(logs).toContain('debug: Tools were added to the requests');
  });

  test('may be called unseen, and are then loaded', async () => {
    const { ask, sentTools } = program(many(3, 1), [toolUse('tool_2', {}), 'Done.'], { ENABLE_TOOL_SEARCH: 'true' });
    expect(resultsIn(await ask(all(3)))).toMatchObject([{ content: 'ran 2' }]);
    expect(sentTools().map(own)).toEqual([['ToolSearch'], ['ToolSearch', 'tool_2']]);
  });

  test('are all sent when they are small, when it is said so, and when the search is taken away', async () => {
    const sent = async (tools: CustomTool[], env = {}, options = {}) => {
      const { ask, sentTools } = program(tools, ['Hi.'], env);
      await ask(options);
      return own(sentTools()[0])?.length;
    };
    expect(await sent(many(3, 1))).toBe(3);
    expect(await sent(many(60, 400), { ENABLE_TOOL_SEARCH: 'false' })).toBe(60);
    expect(await sent(many(60, 400), {}, { disallowedTools: ['ToolSearch'] })).toBe(60);
    expect(await sent(many(60, 400), {}, { tools: ['Read'] })).toBe(60);
  });

  test('stay loaded when an output schema comes', async () => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    const script = [toolUse('ToolSearch', { query: 'select:tool_1' }), toolUse('StructuredOutput', { ok: true })];
    const { ask, sentTools } = program(many(3, 1), script, { ENABLE_TOOL_SEARCH: 'true' });
    const lines = await ask({ outputFormat: { type: 'json_schema', schema } });
    expect(lines.at(-1)).toMatchObject({ structured_output: { ok: true } });
    expect(sentTools().map((names) => names.slice(-3))).toEqual([
      ['EnterPlanMode', 'StructuredOutput', 'ToolSearch'],
      ['StructuredOutput', 'ToolSearch', 'tool_1'],
    ]);
  });
});
