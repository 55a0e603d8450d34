import { describe, expect, test } from 'vitest';
import { Ledger } from '../../src/agent/ledger.ts';
import type { TurnEnd } from '../../src/agent/loop.ts';
import { resultLine } from '../../src/agent/result.ts';
import { startFailureLine } from '../../src/agent/start-failure.ts';
import { emptyTally, type Tally } from '../../src/agent/turn.ts';
import { ResultMessage } from '../../src/wire/messages/index.ts';

function lineFor(end: TurnEnd, tally: Partial<Tally> = {}) {
  const ledger = new Ledger({ onUnknownModel: () => {} });
  ledger.add('claude-haiku-4-5-20251001', { input_tokens: 10, output_tokens: 2 });
  ledger.addApiTime(30);
  return resultLine(end, {
    sessionId: 'S1',
    uuid: 'U1',
    durationMs: 50,
    dialect: '2.1.44' as const,
    ledger,
    tally: { ...emptyTally(), lastText: 'Bye.', userMessageUuids: ['U0'], ...tally },
  });
}

const overloaded: TurnEnd = {
  kind: 'api_error',
  failure: { class: 'overloaded', message: 'Overloaded', status: 529 },
  text: 'API Error: 529 Overloaded',
};
const tooLong: TurnEnd = {
  kind: 'api_error',
  failure: { class: 'prompt_too_long', message: 'prompt is too long', status: 400 },
  text: 'Prompt is too long',
};

interface Row {
  end: TurnEnd;
  subtype: string;
  reason: string;
  errors?: string[];
  code?: string;
}

/** The table of docs/results.md; `errors` is what makes a result an error. */
const TABLE: Row[] = [
  { end: { kind: 'completed' }, subtype: 'success', reason: 'completed' },
  {
    end: { kind: 'max_turns', maxTurns: 3 },
    subtype: 'error_max_turns',
    errors: ['Reached max turns (3)'],
    reason: 'max_turns',
    code: 'max_turns',
  },
  {
    end: { kind: 'max_budget', maxBudgetUsd: 0.5 },
    subtype: 'error_max_budget_usd',
    errors: ['Exceeded USD budget (0.5)'],
    reason: 'budget_exhausted',
    code: 'budget_exhausted',
  },
  {
    end: { kind: 'interrupted', during: 'stream' },
    subtype: 'error_during_execution',
    errors: ['The turn was interrupted'],
    reason: 'aborted_streaming',
    code: 'aborted_streaming',
  },
  {
    end: { kind: 'interrupted', during: 'tools' },
    subtype: 'error_during_execution',
    errors: ['The turn was interrupted'],
    reason: 'aborted_tools',
    code: 'aborted_tools',
  },
  {
    end: { kind: 'max_duration', maxDurationMs: 900 },
    subtype: 'error_during_execution',
    errors: ['Took longer than 900 ms'],
    reason: 'max_duration',
    code: 'max_duration',
  },
  {
    end: { kind: 'empty_answer' },
    subtype: 'error_during_execution',
    errors: ['The model gave an empty answer twice'],
    reason: 'empty_answer',
    code: 'empty_answer',
  },
  {
    end: { kind: 'no_structured_output', message: 'Failed to provide valid structured output, and so on.' },
    subtype: 'error_max_structured_output_retries',
    errors: ['Failed to provide valid structured output, and so on.'],
    reason: 'structured_output_retry_exhausted',
    code: 'structured_output_retry_exhausted',
  },
  {
    end: { kind: 'error_answer', code: 'refusal', text: 'refused' },
    subtype: 'success',
    errors: ['refused'],
    reason: 'refusal',
    code: 'refusal',
  },
  {
    end: { kind: 'error_answer', code: 'max_output_tokens', text: 'cut off' },
    subtype: 'success',
    errors: ['cut off'],
    reason: 'api_error',
    code: 'max_output_tokens',
  },
  {
    end: overloaded,
    subtype: 'success',
    errors: ['API Error: 529 Overloaded'],
    reason: 'api_error',
    code: 'overloaded',
  },
  {
    end: tooLong,
    subtype: 'success',
    errors: ['Prompt is too long'],
    reason: 'prompt_too_long',
    code: 'prompt_too_long',
  },
];

describe('why a turn ended decides its result', () => {
  test.each(TABLE)('[K6, FLD-21, FLD-30] $end.kind, $reason', ({ end, subtype, errors, reason, code }) => {
    const line = lineFor(end);
    expect(line).toMatchObject({ type: 'result', subtype, is_error: errors !== undefined, terminal_reason: reason });
    expect(line.errors).toEqual(errors);
    expect(line.error_code).toBe(code);
    expect(ResultMessage.safeParse(line).success).toBe(true);
  });

  test('[FLD-23] only a turn that ended by itself has a result text', () => {
    const withText = TABLE.filter(({ end }) => 'result' in lineFor(end)).map(({ end }) => end.kind);
    expect(new Set(withText)).toEqual(new Set(['completed', 'error_answer', 'api_error']));
    expect(lineFor({ kind: 'completed' })).toMatchObject({ result: 'Bye.' });
  });
});

describe('the fields of a result', () => {
  test('[FLD-20, FLD-22, FLD-26] times, turns and usage', () => {
    const line = lineFor(
      { kind: 'completed' },
      { userLines: 2, denials: [{ tool_name: 'x', tool_use_id: 'y', tool_input: {} }] },
    );
    expect(line).toMatchObject({
      duration_ms: 50,
      duration_api_ms: 30,
      num_turns: 3,
      usage: { input_tokens: 10, output_tokens: 2 },
      permission_denials: [{ tool_name: 'x', tool_use_id: 'y', tool_input: {} }],
      session_id: 'S1',
      uuid: 'U1',
      user_message_uuids: ['U0'],
      pending_tasks: [],
    });
    expect(line.total_cost_usd).toBeCloseTo(0.00002, 8);
    expect(Object.keys(line.modelUsage)).toEqual(['claude-haiku-4-5-20251001']);
  });

  test('[FLD-24] the stop reason is told only for error texts, as in 2.1.44', () => {
    expect(lineFor({ kind: 'completed' }, { stopReason: 'end_turn' }).stop_reason).toBeNull();
    expect(lineFor(overloaded, { stopReason: 'stop_sequence' }).stop_reason).toBe('stop_sequence');
  });

  test('[FLD-29] structured output is there only when there is one, and is then the result, too', () => {
    const ledger = new Ledger({ onUnknownModel: () => {} });
    const facts = {
      sessionId: 'S1',
      uuid: 'U1',
      durationMs: 1,
      dialect: '2.1.44' as const,
      ledger,
      tally: { ...emptyTally(), lastText: 'Bye.' },
    };
    expect(resultLine({ kind: 'completed' }, facts)).not.toHaveProperty('structured_output');
    expect(resultLine({ kind: 'completed' }, { ...facts, structuredOutput: { a: 1 } })).toMatchObject({
      result: '{"a":1}',
      structured_output: { a: 1 },
    });
  });

  test('the keys of a success come in the order of the wire', () => {
    expect(Object.keys(lineFor({ kind: 'completed' })).slice(0, 14)).toEqual([
      ...['type', 'subtype', 'is_error', 'duration_ms', 'duration_api_ms', 'num_turns', 'result', 'stop_reason'],
      ...['session_id', 'total_cost_usd', 'usage', 'modelUsage', 'permission_denials', 'uuid'],
    ]);
  });

  test('the keys of an error come in the order of the wire', () => {
    expect(Object.keys(lineFor({ kind: 'max_turns', maxTurns: 1 })).slice(0, 14)).toEqual([
      ...['type', 'subtype', 'duration_ms', 'duration_api_ms', 'is_error', 'num_turns', 'stop_reason', 'session_id'],
      ...['total_cost_usd', 'usage', 'modelUsage', 'permission_denials', 'uuid', 'errors'],
    ]);
  });
});

test('[K6, ERR-12] a run that could not start: an error with its code and no turn behind it', () => {
  const line = startFailureLine(
    { code: 'session_not_found', message: 'No conversation found' },
    { sessionId: 'S', uuid: 'U' },
  );
  expect(line).toMatchObject({
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 0,
    errors: ['No conversation found'],
    error_code: 'session_not_found',
    total_cost_usd: 0,
    modelUsage: {},
  });
  expect(ResultMessage.safeParse(line).success).toBe(true);
});

describe('[B-141] times of a turn', () => {
  const times = { begin: 1000, request: 1020, event: 1100, token: 1150 };

  test('to the first request, and from there to the first event and the first token', () => {
    const line = lineFor({ kind: 'completed' }, { times });
    expect(line).toMatchObject({ time_to_request_ms: 20, ttft_stream_ms: 80, ttft_ms: 130 });
    expect(ResultMessage.safeParse(line).success).toBe(true);
  });

  test('an answer without a word has no first token', () => {
    const { token: _, ...wordless } = times;
    const line = lineFor({ kind: 'completed' }, { times: wordless });
    expect(line).toMatchObject({ ttft_stream_ms: 80 });
    expect(line).not.toHaveProperty('ttft_ms');
  });

  test.each([
    ['a turn that has failed', overloaded, times],
    ['a turn without a request', { kind: 'completed' } as const, {}],
  ])('%s has none', (_name, end, known) => {
    expect(Object.keys(lineFor(end, { times: known })).filter((key) => /ttft|time_to/.test(key))).toEqual([]);
  });
});
