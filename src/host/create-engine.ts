import type { Model } from '../model/model.ts';
import { kindOf } from '../util/checks.ts';
import { processLogger } from '../util/process/process-warning.ts';
import { HeddleError } from '../wire/errors.ts';
import { checkEngineOptions } from './engine/check-engine-options.ts';
import { type Engine, type EngineOptions, openEngine } from './engine/engine.ts';
import type { LoadTelemetry, TelemetryOptions } from './engine/telemetry.ts';

/**
 * Makes an engine: the agent as an object of your program. Throws `invalid_option` for invalid options.
 *
 * - Nothing runs until the engine serves a session.
 * - The engine uses only what you hand in of the process: its environment, directory and standard streams.
 * - Warnings go to `log`, by default to `process.emitWarning`.
 *
 * @example
 * ```ts
 * import { query, successOf } from 'heddle';
 *
 * const engine = createEngine({ cwd: process.cwd(), env: { ANTHROPIC_API_KEY: process.env.ANTHROPIC_API_KEY } });
 * for await (const message of query({ prompt: 'hello', options: { transport: inProcess(engine) } })) {
 *   if (message.type === 'result') console.log(successOf(message).result);
 * }
 * await engine.close();
 * ```
 */
export function createEngine(options: EngineOptions): Engine {
  checkEngineOptions(options);
  const model = options.model && keepingWord(options.model);
  const engine = openEngine({
    ...options,
    ...(model && { model }),
    telemetry: options.telemetry ? loadTelemetry(options.telemetry) : null,
    log: options.log ?? processLogger(),
  });
  return { ...engine, hasLog: options.log !== undefined };
}

/** Loads the code with the first use. */
function loadTelemetry(asked: true | TelemetryOptions): LoadTelemetry {
  return async (log) => {
    const { engineTelemetry } = await import('./telemetry/engine-telemetry.ts');
    return engineTelemetry(asked === true ? {} : asked, log);
  };
}

/** Wraps the program's own model, and checks that its `stream()` returns an async iterable. */
function keepingWord(model: Model): Model {
  return {
    get provider() {
      return model.provider;
    },
    stream(request, signal) {
      const answer: unknown = model.stream(request, signal);
      if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer) {
        return answer as ReturnType<Model['stream']>;
      }
      const what = `stream() of the model ${model.provider} returned ${kindOf(answer)}`;
      throw new HeddleError('callback_failed', `${what}; expected an async iterable of events: async *stream() {…}`);
    },
    close: () => model.close?.(),
  };
}
