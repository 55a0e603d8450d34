import { amount, type Check, record } from '../util/checks.ts';
import { checkNamed } from '../wire/check-named.ts';
import { HeddleError } from '../wire/errors.ts';
import { checkOptions, checkPrompt } from './options/check-options.ts';
import type { GivenOptions } from './options/options.ts';
import { type PromptStream, type Query, Run } from './query.ts';

/** An agent that is initialized and waits for its first prompt. */
export interface WarmQuery<Output = unknown> {
  /** Runs the agent on a prompt, once. Throws `closed` the second time, and after `close`. */
  query(prompt: string | PromptStream): Query<Output>;
  /** Ends an agent that is not needed. A query that has begun continues. */
  close(): void;
  /** Ends an agent that is not needed, and waits until it is gone. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface StartupParameters<Output = unknown> {
  options?: GivenOptions<Output>;
  /** How long the agent may take to initialize, in milliseconds. Default: 60,000. */
  initializeTimeoutMs?: number;
}

/**
 * Starts an agent before its prompt is known, so that the answer need not wait for the start. Rejects as `query` does
 * when the agent cannot be started; no process is left then.
 *
 * @example
 * ```ts
 * const warm = await startup({ options: { model: 'sonnet' } });
 * for await (const message of warm.query('What is in this directory?')) console.log(message.type);
 * ```
 */
export async function startup<Output = unknown>(
  parameters: StartupParameters<Output> = {},
): Promise<WarmQuery<Output>> {
  checkNamed(parameters, PARAMETERS, {
    before: '',
    noObject: (kind) => `startup takes an object, got ${kind}: startup({ options: {} })`,
    unknown: (name) =>
      `startup takes options and initializeTimeoutMs, not '${name}': startup({ options: { ${name} } })`,
  });
  const { options = {}, initializeTimeoutMs } = parameters;
  const given = { ...options, ...(initializeTimeoutMs !== undefined && { initializeTimeoutMs }) };
  checkOptions(given);
  const run = new Run<Output>(given);
  try {
    await run.initializationResult();
  } catch (error) {
    await run.close();
    throw error;
  }
  return warmQuery(run);
}

const PARAMETERS: Record<keyof StartupParameters, Check> = { options: record, initializeTimeoutMs: amount };

function warmQuery<Output>(run: Run<Output>): WarmQuery<Output> {
  let state: 'waiting' | 'begun' | 'closed' = 'waiting';
  const discard = async (): Promise<void> => {
    if (state === 'begun') return;
    state = 'closed';
    await run.close();
  };
  return {
    query(prompt) {
      checkPrompt(prompt);
      if (state !== 'waiting') {
        const why = state === 'begun' ? 'has its prompt already' : 'was closed';
        throw new HeddleError('closed', `This warm query ${why}; call startup() for another`);
      }
      state = 'begun';
      run.begin(prompt);
      return run;
    },
    close() {
      discard().catch(() => {});
    },
    [Symbol.asyncDispose]: discard,
  };
}
