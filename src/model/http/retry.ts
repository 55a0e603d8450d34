import type { Clock } from '../../util/runtime.ts';
import { isGroup } from '../each-event.ts';
import type { Failure, FailureClass, Model, ModelRequest, ModelYield } from '../model.ts';

export interface RetryOptions {
  /** Attempts after the first. Default 10. */
  maxRetries?: number;
  clock: Clock;
  /** A number in [0, 1), for the jitter. */
  random: () => number;
}

const DEFAULT_RETRIES = 10;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 32_000;
const JITTER = 0.25;
/** The limit for all waits of one call together when the provider names the waiting time. */
const LONGEST_WAIT_IN_ALL_MS = 600_000;

/** All other failures (bad request, bad key, unknown model) would occur again. */
const RETRYABLE: ReadonlySet<FailureClass> = new Set([
  'rate_limit',
  'overloaded',
  'server',
  'connection',
  'timeout',
  'malformed',
]);

/**
 * Repeats requests whose failure may be temporary, on a fixed schedule, and yields a `retry` event before each wait.
 */
export function withRetry(model: Model, options: RetryOptions): Model {
  return {
    provider: model.provider,
    stream: (request, signal) => streamWithRetry(model, options, request, signal),
    close: () => model.close?.(),
  };
}

async function* streamWithRetry(
  model: Model,
  { maxRetries = DEFAULT_RETRIES, clock, random }: RetryOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelYield, void> {
  let waitedMs = 0;
  let overloads = 0;
  for (let attempt = 1; ; attempt++) {
    let failure: Failure | undefined;
    for await (const item of model.stream(request, signal)) {
      if (!isGroup(item) && item.type === 'failure') failure = item.failure;
      else yield item;
    }
    if (!failure) return;
    overloads = failure.class === 'overloaded' ? overloads + 1 : 0;
    const isHopeless = overloads >= (request.overloadLimit ?? Number.POSITIVE_INFINITY);
    if (!RETRYABLE.has(failure.class) || attempt > maxRetries || isHopeless) {
      yield { type: 'failure', failure };
      return;
    }
    const { retryAfterMs } = failure;
    if (retryAfterMs !== undefined && waitedMs + retryAfterMs > LONGEST_WAIT_IN_ALL_MS) {
      yield { type: 'failure', failure: givenUp(failure, retryAfterMs) };
      return;
    }
    const delayMs = retryAfterMs ?? backoff(attempt, random());
    yield { type: 'retry', attempt, maxRetries, delayMs, failure };
    waitedMs += delayMs;
    try {
      await clock.sleep(delayMs, signal);
    } catch {
      yield { type: 'failure', failure: { class: 'aborted', message: 'The request was aborted.' } };
      return;
    }
  }
}

function backoff(attempt: number, chance: number): number {
  const base = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
  return Math.round(base * (1 + JITTER * chance));
}

function givenUp(failure: Failure, retryAfterMs: number): Failure {
  const asked = `The API asked to wait ${Math.ceil(retryAfterMs / 1000)} s before the next attempt`;
  const { body: _, ...rest } = failure; // the wire would show the body instead of the reason
  return { ...rest, message: `${failure.message} (${asked}; gave up, because 10 minutes of waiting is the limit.)` };
}
