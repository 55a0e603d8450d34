import { describe, expect, test } from 'vitest';
import { Ledger } from '../../src/agent/ledger.ts';
import type { Limits } from '../../src/agent/limits.ts';
import { askSideQuestion } from '../../src/agent/side-question.ts';
import type { ModelRequest, ModelYield } from '../../src/model/model.ts';
import { attempt, CUT, MODEL, retryAfter, testRuntime } from './support.ts';

const request: ModelRequest = { model: MODEL, system: [], tools: [], messages: [], maxOutputTokens: 100 };
const text = (said: string) => ({ type: 'text' as const, text: said });
const twoAttempts: ModelYield[] = [
  ...attempt('m1', [text('half')], 'open'),
  retryAfter(CUT),
  attempt('m2', [text('whole')]),
];

/** Asks a model that yields these items, and says how far it was listened to. */
async function ask(items: readonly ModelYield[], limits: Limits = {}) {
  const ledger = new Ledger({ onUnknownModel: () => {} });
  let taken = 0;
  let isLetGo = false;
  const model = {
    provider: 'events',
    async *stream() {
      try {
        for (const item of items) {
          taken++;
          yield item;
        }
      } finally {
        isLetGo = true;
      }
    },
  };
  const runtime = testRuntime(() => {});
  const answer = await askSideQuestion({ runtime, ledger, limits }, model, request, new AbortController().signal);
  return { answer, ledger, taken, isLetGo };
}

describe('a call beside the conversation', () => {
  test('is taken as a whole, without what a dead attempt had said; every attempt is paid for', async () => {
    const { answer, ledger } = await ask(twoAttempts);
    expect(answer).toMatchObject({ blocks: [text('whole')], stopReason: 'end_turn', failure: null });
    expect(ledger.modelUsage[MODEL]).toMatchObject({ inputTokens: 20, outputTokens: 8 });
    expect(ledger.turnUsage.input_tokens).toBe(0);
  });

  test('is not tried again when the budget is used up by then', async () => {
    const { answer, ledger, taken, isLetGo } = await ask(twoAttempts, { maxBudgetUsd: 0.000_001 });
    expect(answer).toEqual({ blocks: [], stopReason: null, failure: CUT });
    expect([taken, isLetGo]).toEqual([twoAttempts.length - 1, true]);
    expect(ledger.modelUsage[MODEL]).toMatchObject({ inputTokens: 10, outputTokens: 1 });
  });

  test('is tried again while the budget lasts', async () => {
    expect((await ask(twoAttempts, { maxBudgetUsd: 1 })).answer.blocks).toEqual([text('whole')]);
  });

  test('that fails says how, and costs what it had streamed', async () => {
    const items = [...attempt('m1', [text('half')], 'open'), { type: 'failure' as const, failure: CUT }];
    const { answer, ledger } = await ask(items);
    expect(answer).toMatchObject({ stopReason: null, failure: CUT });
    expect(ledger.modelUsage[MODEL]).toMatchObject({ inputTokens: 10 });
  });
});
