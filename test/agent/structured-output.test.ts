import { describe, expect, test } from 'vitest';
import { StructuredOutput } from '../../src/agent/structured-output.ts';
import { text, toolUse } from '../../src/testing/script.ts';
import { createStructuredOutputTool, STRUCTURED_OUTPUT } from '../../src/tools/structured-output.ts';
import { createRig, fakeTool, faultsOf, prefixFaults, type Rig, resultsIn } from './support.ts';

/** A rig whose answers must have a `name`. */
function structuredRig(script: Parameters<typeof createRig>[0]): Rig & { structured: StructuredOutput } {
  const structured = new StructuredOutput(STRUCTURED_OUTPUT);
  const tool = createStructuredOutputTool({
    schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    validate: (value) => (typeof (value as { name?: unknown }).name === 'string' ? [] : ['name must be a string']),
    accept: (output) => structured.accept(output),
    refuse: (value, problems) => structured.refuse(value, problems),
  });
  const rig = createRig(script, { tools: [fakeTool('look'), tool] });
  Object.assign(rig.turn, { structured });
  return Object.assign(rig, { structured });
}

const handIn = (input: Record<string, unknown>) => toolUse(STRUCTURED_OUTPUT, input);

describe('an output of a given shape', () => {
  test('[K29, OPT-23] ends the turn when it is handed in; the model is not called again', async () => {
    const rig = structuredRig([handIn({ name: 'Ada' }), 'never']);
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(rig.structured.output).toEqual({ name: 'Ada' });
    expect(rig.requests).toHaveLength(1);
    expect(resultsIn(rig.lines)).toHaveLength(1);
    expect(faultsOf([...rig.conversation(), { role: 'assistant', content: [{ type: 'text', text: 'x' }] }])).toEqual(
      [],
    );
    expect(await rig.replayed()).toEqual(rig.conversation());
  });

  test('[K29] other tools may be used before it', async () => {
    const rig = structuredRig([toolUse('look', {}), [toolUse('look', {}), handIn({ name: 'Ada' })]]);
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
    expect(resultsIn(rig.lines).map(({ is_error }) => is_error ?? false)).toEqual([false, false, false]);
  });

  test('[K29, MSG-16] a wrong one is told to the model, five times in all', async () => {
    const better = structuredRig([handIn({ name: 5 }), handIn({ name: 'Ada' })]);
    expect(await better.ask('go')).toEqual({ kind: 'completed' });
    expect(resultsIn(better.lines)[0]).toMatchObject({ is_error: true });
    expect(resultsIn(better.lines)[0]?.content).toContain('name must be a string');
    const hopeless = structuredRig(() => [text('Is it this?'), handIn({})]);
    expect(await hopeless.ask('go')).toEqual({
      kind: 'no_structured_output',
      message:
        'Failed to provide valid structured output, which was asked for 5 times. The last one does not fit the schema: name must be a string. It was: {}. The last text was: Is it this?',
    });
    expect(hopeless.requests).toHaveLength(5);
    expect(hopeless.structured.output).toBeNull();
  });

  test('[K29] an answer without it is asked for it, and its last text is kept', async () => {
    const late = structuredRig(['Ada, I think.', handIn({ name: 'Ada' })]);
    expect(await late.ask('go')).toEqual({ kind: 'completed' });
    expect(late.lines.find(({ type }) => type === 'user')).toMatchObject({ isSynthetic: true });
    expect(prefixFaults(late.requests)).toEqual([]);
    expect(await late.replayed()).toEqual(late.conversation());
    const never = structuredRig(() => 'Ada, I said.');
    expect(await never.ask('go')).toEqual({
      kind: 'no_structured_output',
      message:
        'Failed to provide valid structured output, which was asked for 5 times. The last text was: Ada, I said.',
    });
    expect(never.requests).toHaveLength(5);
  });

  test('[K29] wrong calls and answers without one count together', async () => {
    const rig = structuredRig((_, index) => (index % 2 === 0 ? 'Hm.' : handIn({})));
    expect(await rig.ask('go')).toMatchObject({ kind: 'no_structured_output' });
    expect(rig.requests).toHaveLength(5);
  });

  test('rounds of other tools do not use up the patience', async () => {
    const rig = structuredRig((_, index) => (index < 8 ? toolUse('look', {}) : handIn({ name: 'Ada' })));
    expect(await rig.ask('go')).toEqual({ kind: 'completed' });
  });
});
