import { closeSync, openSync, writeSync } from 'node:fs';
import { messageOf } from '../../util/message-of.ts';
import type { Logger } from '../../util/runtime.ts';
import { printable } from '../../util/text/printable.ts';
import { HeddleError } from '../../wire/errors.ts';
import type { RunConfig } from '../../wire/run-config.ts';

/**
 * Warnings and errors go to stderr as one line each. `--debug` logs everything to stderr, `--debug-file` to a file
 * instead; both are for people, and no log line may contain a credential. Logging never fails a run.
 */
export function createLogger(config: RunConfig): CliLogger {
  const say = (text: string) => {
    logger.beforeLine?.();
    process.stderr.write(text);
  };
  // A closed terminal or reader of stderr does not end a run; its answer may still be wanted on stdout.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  const file = config.debugFile === undefined ? null : openDebugFile(config.debugFile, say);
  const debug = config.debug !== undefined || config.debugToStderr === true;
  const filter = typeof config.debug === 'string' ? config.debug.split(',') : null;
  const log: Logger = (level, message, details) => {
    const detail = details && Object.keys(details).length > 0 ? ` ${JSON.stringify(details)}` : '';
    file?.write(`${new Date().toISOString()} ${level} ${message}${detail}\n`);
    const important = level === 'warn' || level === 'error';
    const wanted = debug && (!filter || filter.some((word) => message.includes(word)));
    if (!important && !(wanted && file === null)) return;
    const line = `heddle: ${shown(message)}${debug ? printable(detail) : ''}`;
    say(`${logger.wrap?.(line) ?? line}\n`);
  };
  const logger: CliLogger = { log, close: () => file?.close(), beforeLine: null, wrap: null };
  return logger;
}

export interface CliLogger {
  log: Logger;
  close(): void;
  /** Called before each line on stderr, so that the progress line can be erased. */
  beforeLine: (() => void) | null;
  /** Breaks a line for a terminal; null: it is written unchanged (`wrap-logger.ts` sets it). */
  wrap: ((line: string) => string) | null;
}

/**
 * Messages quote servers, files and models: such text must not act on the terminal, nor be mistaken for a line of
 * Heddle.
 */
function shown(message: string): string {
  return message.split('\n').map(printable).join('\n  ');
}

interface DebugFile {
  write(text: string): void;
  close(): void;
}

function openDebugFile(path: string, say: (text: string) => void): DebugFile {
  let fd: number | null = openOrRefuse(path);
  const close = () => {
    if (fd !== null) closeSync(fd);
    fd = null;
  };
  return {
    write(text) {
      if (fd === null) return;
      try {
        writeSync(fd, text);
      } catch (error) {
        close();
        say(`heddle: --debug-file ${path} cannot be written any more: ${(error as Error).message}\n`);
      }
    },
    close,
  };
}

function openOrRefuse(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (cause) {
    const [reason] = messageOf(cause).split(', '); // the rest of the message is the path
    throw new HeddleError('invalid_option', `--debug-file: ${path} cannot be written: ${reason}`, {
      cause,
    });
  }
}
