import { closeSync, openSync, writeSync } from 'node:fs';
import type { Logger } from '../util/runtime.ts';
import type { RunConfig } from '../wire/run-config.ts';

/**
 * Warnings and errors go to stderr as one line each. `--debug` adds everything on stderr, `--debug-file` writes it to a
 * file instead; both are for people, and nothing that is logged may hold a credential.
 */
export function createLogger(config: RunConfig): { log: Logger; close(): void } {
  const file = config.debugFile === undefined ? null : openSync(config.debugFile, 'a', 0o600);
  const debug = config.debug !== undefined || config.debugToStderr === true;
  const filter = typeof config.debug === 'string' ? config.debug.split(',') : null;
  const log: Logger = (level, message, facts) => {
    const detail = facts && Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : '';
    if (file !== null) writeSync(file, `${new Date().toISOString()} ${level} ${message}${detail}\n`);
    const important = level === 'warn' || level === 'error';
    const wanted = debug && (!filter || filter.some((word) => message.includes(word)));
    if (!important && !(wanted && file === null)) return;
    process.stderr.write(`heddle: ${message}${debug ? detail : ''}\n`);
  };
  return { log, close: () => file !== null && closeSync(file) };
}
