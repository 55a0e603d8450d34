import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askUserTool } from '../../../src/tools/user/ask-user.ts';
import { type Bench, createBench } from '../bench.ts';

let bench: Bench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

const option = (label: string) => ({ label, description: `means ${label}` });
const which = { question: 'Which?', header: 'Pick', options: [option('A'), option('B')], multiSelect: false };
const how = { question: 'How?', header: 'Way', options: [option('fast'), option('slow')], multiSelect: true };
const ask = (input: object) => bench.run(askUserTool, input);
const problemsOf = (input: object) => {
  const parsed = askUserTool.input.parse(input);
  return parsed.ok ? [] : parsed.problems;
};
const prepare = async (input: object) => {
  const parsed = askUserTool.input.parse(input);
  if (!parsed.ok) throw new Error(parsed.problems.join('; '));
  return askUserTool.prepare?.(parsed.value, bench.context);
};

describe('AskUserQuestion', () => {
  test('[B-217] hands the answers to the model and to the host', async () => {
    const { content, data } = await ask({ questions: [which, how], answers: { 'Which?': 'A', 'How?': 'fast, slow' } });
    expect(content).toBe('The user answered:\n- Which?\n  A\n- How?\n  fast, slow');
    expect(data).toEqual({ questions: [which, how], answers: { 'Which?': 'A', 'How?': 'fast, slow' } });
  });

  test('several picks may come as a list, and what the user adds reaches the model', async () => {
    const annotations = { 'How?': { notes: 'but not too fast' } };
    const { content, data } = await ask({ questions: [how], answers: { 'How?': ['fast', 'slow'] }, annotations });
    expect(content).toBe('The user answered:\n- How?\n  fast, slow\n  Note: but not too fast');
    expect(data).toMatchObject({ answers: { 'How?': 'fast, slow' }, annotations });
  });

  test('says which questions stayed open', async () => {
    const { content } = await ask({ questions: [which, how], answers: { 'Which?': 'B', 'How?': ' ' } });
    expect(content).toBe('The user answered:\n- Which?\n  B\n- How?\n  (no answer)');
  });

  test.each([[{}], [{ answers: {} }], [{ answers: { 'Which?': '' } }]])('without an answer invents none: %j', (more) =>
    expect(ask({ questions: [which], ...more })).rejects.toThrow('The user gave no answer.'),
  );

  test('an answer that the model wrote itself is refused before anyone is asked', async () => {
    await expect(prepare({ questions: [which], answers: { 'Which?': 'A' } })).rejects.toThrow('come from the user');
    await expect(prepare({ questions: [which], annotations: {} })).rejects.toThrow('come from the user');
    await expect(prepare({ questions: [which, { ...how, question: 'Which?' }] })).rejects.toThrow('the same text');
    expect(await prepare({ questions: [which] })).toEqual({ questions: [which] });
  });

  test('is answered by a person, whatever the mode', () => {
    expect(askUserTool.access({ questions: [which] }, bench.context.workspace)).toEqual({ kind: 'interaction' });
  });

  test('fills in what may be left out', () => {
    const { multiSelect: _, ...rest } = which;
    expect(askUserTool.input.parse({ questions: [rest] })).toEqual({ ok: true, value: { questions: [which] } });
  });

  test.each([
    [[], 'questions must have at least 1 items, not 0'],
    [[which, how, which, how, which], 'questions must have at most 4 items, not 5'],
    [[{ ...which, options: [option('A')] }], 'questions[0].options must have at least 2 items, not 1'],
    [[{ ...which, options: 'ABCDE'.split('').map(option) }], 'questions[0].options must have at most 4 items, not 5'],
    [[{ ...which, options: ['A', 'B'] }], 'questions[0].options[0] must be an object, not the string "A"'],
  ])('[M-10] refuses %j', (questions, problem) => {
    expect(problemsOf({ questions })).toContain(problem);
  });

  test('[M-10] a question named like a prototype is a question', async () => {
    const odd = { ...which, question: '__proto__' };
    const answers: unknown = JSON.parse('{"__proto__":"A"}');
    expect((await ask({ questions: [odd], answers })).content).toBe('The user answered:\n- __proto__\n  A');
  });
});
