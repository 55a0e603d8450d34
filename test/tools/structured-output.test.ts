import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createStructuredOutputTool, STRUCTURED_OUTPUT } from '../../src/tools/structured-output.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { type Bench, createBench } from './bench.ts';

const schema = { type: 'object', properties: { n: { type: 'number' } } };
let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

function makeTool() {
  const accepted: JsonObject[] = [];
  const tool = createStructuredOutputTool({
    schema,
    validate: (value) => (typeof (value as JsonObject).n === 'number' ? [] : ['n must be number']),
    accept: (output) => accepted.push(output),
  });
  return { tool, accepted };
}

describe('StructuredOutput', () => {
  test("[OPT-23] shows the model the user's schema as it is", () => {
    const { tool } = makeTool();
    expect(tool.name).toBe(STRUCTURED_OUTPUT);
    expect(tool.input.json).toBe(schema);
  });

  test('accepts an output that fits', async () => {
    const { tool, accepted } = makeTool();
    await bench.run(tool, { n: 1 });
    expect(accepted).toEqual([{ n: 1 }]);
  });

  test.each([
    [{ n: 'one' }, 'n must be number'],
    [[1], 'the output must be an object'],
    ['{"n":1}', 'the output must be an object'],
    [null, 'the output must be an object'],
  ])('[K29] refuses %j', async (output, problem) => {
    const { tool, accepted } = makeTool();
    await expect(bench.run(tool, output)).rejects.toThrow(problem);
    expect(accepted).toEqual([]);
  });

  test('touches nothing, and runs alone', () => {
    const { tool } = makeTool();
    expect(tool.access({}, bench.context.workspace)).toEqual({ kind: 'none' });
    expect(tool.isConcurrencySafe({})).toBe(false);
  });
});
