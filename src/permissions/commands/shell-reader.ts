import { madeOnce } from '../../util/made-once.ts';
import { messageOf } from '../../util/message-of.ts';
import { warnOnce } from '../../util/once.ts';
import type { Logger } from '../../util/runtime.ts';
import { notRead, type ParseShell, type ReadCommand } from '../shell/shell-script.ts';

export interface ShellReaderOptions {
  log: Logger;
  /** Default: the parser that ships with the program. */
  load?: () => Promise<ParseShell>;
}

/**
 * Loads the tables of programs for the first command, and the parser for the first command that is not plain. If loading
 * fails, the reader logs it once, and such commands are unknown until loading succeeds.
 */
export function createShellReader({ log, load = loadParser }: ShellReaderOptions): ReadCommand {
  const warn = warnOnce(log);
  const reading = madeOnce(loadReading);
  const parser = madeOnce(load);
  const absent = (error: unknown) => {
    warn(`Shell commands that are not plain cannot be understood: ${messageOf(error)}`);
    return notRead(`what reads shell commands cannot be loaded: ${messageOf(error)}`);
  };
  return async (command) => {
    const tables = await reading().catch(absent);
    if (!('read' in tables)) return tables;
    const { read, needsParser } = tables;
    try {
      const plain = read(command, null);
      if (!needsParser(plain)) return plain;
      // Unknown this time when it cannot be loaded; the next command tries to load the parser again.
      const parse = await parser().catch((error: unknown): ParseShell => {
        const missing = absent(error);
        return () => missing;
      });
      return read(command, parse);
    } catch (error) {
      log('warn', `A shell command could not be read: ${messageOf(error)}`);
      return notRead('the command could not be read');
    }
  };
}

async function loadReading() {
  const { createShellReading, needsParser } = await import('./read-shell.ts');
  return { read: createShellReading(), needsParser };
}

async function loadParser(): Promise<ParseShell> {
  const { loadShellParser } = await import('./read-shell.ts');
  return loadShellParser();
}
