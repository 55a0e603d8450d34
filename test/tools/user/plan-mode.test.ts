import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ServiceLookup } from '../../../src/tools/port.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { enterPlanModeTool, exitPlanModeTool } from '../../../src/tools/user/plan-mode.ts';
import type { PlanPort } from '../../../src/tools/user/plan-port.ts';
import type { PermissionMode } from '../../../src/wire/permission-modes.ts';
import { toolServices } from '../../support/tool-services.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
let set: PermissionMode[];
beforeEach(() => {
  bench = createBench();
  set = [];
});
afterEach(() => bench.dispose());

/** A session in a mode that goes back to acceptEdits. */
function sessionIn(mode: PermissionMode, changes: Partial<PlanPort> = {}) {
  const plan: PlanPort = {
    mode: {
      current: () => set.at(-1) ?? mode,
      beforePlan: () => 'acceptEdits',
      set: async (next) => {
        set.push(next);
      },
    },
    planFile: () => bench.path('plans/a-b-c.md'),
    ...changes,
  };
  return { service: toolServices({ plan }) };
}

/** As the loop does it: prepared, then run. */
async function call(tool: Tool, input: object, context: { service: ServiceLookup }) {
  const parsed = tool.input.parse(input);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  const whole = { ...bench.context, ...context };
  const prepared = (await tool.prepare?.(parsed.value, whole)) ?? parsed.value;
  return { prepared, output: await tool.run(prepared, whole) };
}

describe('EnterPlanMode', () => {
  test('[B-218] changes the mode and says what to do now', async () => {
    const { output } = await call(enterPlanModeTool, {}, sessionIn('default'));
    expect(set).toEqual(['plan']);
    expect(output.content).toMatch(/^Plan mode is on\. .*write the plan to .*plans\/a-b-c\.md, .*ExitPlanMode/);
    expect(output.data).toEqual({ message: output.content });
  });

  test('in plan mode only says so', async () => {
    const { output } = await call(enterPlanModeTool, {}, sessionIn('plan'));
    expect(set).toEqual([]);
    expect(output.content).toMatch(/^Plan mode was on already\./);
  });

  test('without a place for files the plan goes into the call', async () => {
    const { output } = await call(enterPlanModeTool, {}, sessionIn('default', { planFile: () => null }));
    expect(output.content).toContain('give the plan to ExitPlanMode in `plan`');
  });
});

describe('ExitPlanMode', () => {
  test('[B-218] shows the user the plan of the file, and goes back to the mode before', async () => {
    bench.file('plans/a-b-c.md', '# Weave\n');
    const { prepared, output } = await call(exitPlanModeTool, { plan: 'older' }, sessionIn('plan'));
    const filePath = bench.path('plans/a-b-c.md');
    expect(prepared).toEqual({ plan: '# Weave\n', planFilePath: filePath });
    expect(output.data).toEqual({ plan: '# Weave\n', isAgent: false, filePath });
    expect(output.content).toContain(`The approved plan (${filePath}):\n# Weave\n`);
    expect(set).toEqual(['acceptEdits']);
  });

  test('without a file the plan is the one of the call, and there is none for the host', async () => {
    const { prepared, output } = await call(exitPlanModeTool, { plan: 'The plan' }, sessionIn('plan'));
    expect(prepared).toEqual({ plan: 'The plan' });
    expect(output.data).toEqual({ plan: null, isAgent: false, filePath: bench.path('plans/a-b-c.md') });
    expect(output.content).toContain('The plan');
  });

  test('what the user changed in the plan is what the model gets', async () => {
    bench.file('plans/a-b-c.md', 'mine');
    const context = { ...bench.context, ...sessionIn('plan') };
    const { content, data } = await exitPlanModeTool.run({ plan: 'mine, but better' }, context);
    expect(content).toContain('mine, but better');
    expect(data).toMatchObject({ plan: 'mine, but better' });
  });

  test('what changes in the file while the user decides was not approved', async () => {
    bench.file('plans/a-b-c.md', 'approved');
    const context = { ...bench.context, ...sessionIn('plan') };
    const prepared = (await exitPlanModeTool.prepare?.({}, context)) ?? {};
    bench.file('plans/a-b-c.md', 'something else');
    const { content, data } = await exitPlanModeTool.run(prepared, context);
    expect(content).toMatch(/:\napproved$/);
    expect(data).toMatchObject({ plan: 'approved' });
  });

  test('[K34] a long plan is bounded, in the question too', async () => {
    bench.file('plans/a-b-c.md', 'x'.repeat(1_000_000));
    const { prepared, output } = await call(exitPlanModeTool, {}, sessionIn('plan'));
    expect(prepared.plan).toMatch(/^x{198000,200000}\n\[… \d+ more characters left out …\]$/);
    expect(output.data).toMatchObject({ plan: prepared.plan });
  });

  test('a mode that came with the approval stays', async () => {
    const context = { ...bench.context, ...sessionIn('bypassPermissions') };
    await exitPlanModeTool.run({ plan: 'x' }, context);
    expect(set).toEqual([]);
  });

  test('nobody is asked outside of plan mode, or without a plan', async () => {
    const plan = { plan: 'x' };
    await expect(call(exitPlanModeTool, plan, sessionIn('default'))).rejects.toThrow('Plan mode is not on');
    await expect(call(exitPlanModeTool, {}, sessionIn('plan'))).rejects.toThrow(/There is no plan yet\. Write it to /);
    const homeless = sessionIn('plan', { planFile: () => null });
    await expect(call(exitPlanModeTool, { plan: ' ' }, homeless)).rejects.toThrow('Give it to this call in `plan`');
    expect(set).toEqual([]);
  });

  test('is answered by a person and takes more fields than it knows', () => {
    expect(exitPlanModeTool.access({}, bench.context.workspace)).toEqual({ kind: 'interaction' });
    const input = { plan: 'x', allowedPrompts: [{ tool: 'Bash', prompt: 'run tests' }], pushToRemote: true };
    expect(exitPlanModeTool.input.parse(input)).toEqual({ ok: true, value: input });
    expect(exitPlanModeTool.input.json).toMatchObject({ additionalProperties: true });
    expect(exitPlanModeTool.input.parse({ allowedPrompts: ['x'] }).ok).toBe(false);
  });
});
