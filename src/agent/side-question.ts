import { createAccumulator } from '../model/accumulate.ts';
import { isGroup } from '../model/each-event.ts';
import type { Failure, Model, ModelRequest } from '../model/model.ts';
import type { Runtime } from '../util/runtime.ts';
import type { ContentBlock } from '../wire/api/content.ts';
import type { Ledger } from './ledger.ts';
import { budgetExhausted, type Limits } from './limits.ts';

/** The ledger and the limits that a call outside the conversation is booked with. */
export interface Payer {
  readonly runtime: Runtime;
  readonly ledger: Ledger;
  readonly limits: Limits;
}

export interface WholeAnswer {
  blocks: ContentBlock[];
  /** Null when the answer is incomplete. */
  stopReason: string | null;
  failure: Failure | null;
}

/**
 * One model call outside the conversation, such as a summary: the answer is returned as a whole, neither shown nor
 * recorded. Every attempt is booked, and no further attempt is made when the budget is used up.
 */
export async function askSideQuestion(
  payer: Payer,
  model: Model,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  const { ledger, limits, runtime } = payer;
  const started = runtime.clock.now();
  let attempt = newAttempt();
  const book = () => {
    const { accumulator } = attempt;
    if (accumulator.started) ledger.addSideQuestion(accumulator.head.model, accumulator.usage, model.provider);
  };
  try {
    for await (const item of model.stream(request, signal)) {
      for (const event of isGroup(item) ? item : [item]) {
        if (event.type === 'failure') attempt.failure = event.failure;
        if (event.type === 'retry') {
          book();
          attempt = newAttempt();
          if (budgetExhausted(limits, ledger.spentUsd)) return ended(attempt, event.failure);
        }
        const completed = event.type === 'event' ? attempt.accumulator.add(event.event) : null;
        if (completed) attempt.blocks.push(completed.block);
      }
    }
  } finally {
    book();
    ledger.addApiTime(runtime.clock.now() - started);
  }
  return ended(attempt, attempt.failure);
}

interface Attempt {
  accumulator: ReturnType<typeof createAccumulator>;
  blocks: ContentBlock[];
  failure: Failure | null;
}

function newAttempt(): Attempt {
  return { accumulator: createAccumulator(), blocks: [], failure: null };
}

function ended({ accumulator, blocks }: Attempt, failure: Failure | null): WholeAnswer {
  return { blocks, stopReason: accumulator.stopReason, failure };
}
