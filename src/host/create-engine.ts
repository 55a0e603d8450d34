import type { Model } from '../model/model.ts';
import { kindOf } from '../util/checks.ts';
import { processLogger } from '../util/process-warning.ts';
import { HeddleError } from '../wire/errors.ts';
import { type Engine, type EngineOptions, openEngine } from './engine.ts';
import { checkEngineOptions } from './engine-checks.ts';

/**
 * Makes an engine: everything that an agent consists of, as an object of your program. Nothing runs until a session is
 * served, and nothing of the process (environment, directory, standard streams) is used that is not handed in. Options are
 * checked before (throws `invalid_option`). What there is to warn of goes to `log`, else to `process.emitWarning`.
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
  const engine = openEngine({ ...options, ...(model && { model }), log: options.log ?? processLogger() });
  return { ...engine, hasLog: options.log !== undefined };
}

/** A model of the program's own, whose answer is looked at before the loop takes it for one. */
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
