import { warnProcess } from '../util/process-warning.ts';
import type { Logger } from '../util/runtime.ts';
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
  const engine = openEngine({ ...options, log: options.log ?? processLogger() });
  return { ...engine, hasLog: options.log !== undefined };
}

/** What is remembered as said; sessions of one engine mostly have the same to say. */
const MAX_SAID = 1000;

/** Warnings become those of the process, each once in the life of an engine; of what has a stack, every one (ruling K51). */
function processLogger(): Logger {
  const said = new Set<string>();
  return (level, message, facts) => {
    if (level !== 'warn' && level !== 'error') return;
    const stack = typeof facts?.stack === 'string' ? facts.stack : undefined;
    if (stack === undefined && said.has(message)) return;
    if (said.size < MAX_SAID) said.add(message);
    warnProcess(message, stack);
  };
}
