import { madeOnce } from '../util/made-once.ts';
import { messageOf } from '../util/message-of.ts';
import { warnOnce } from '../util/once.ts';
import type { Logger } from '../util/runtime.ts';
import type { ParseShell } from './shell-read.ts';
import { notRead, type ShellScript } from './shell-script.ts';

/** Reads a command line for permissions. Never rejects: what cannot be read is not known. */
export type ReadCommand = (command: string) => Promise<ShellScript>;

export interface ShellReaderOptions {
  log: Logger;
  /** Default: the parser that comes with the program. */
  load?: () => Promise<ParseShell>;
}

/**
 * Plain commands are read at once. The parser is loaded for the first that is not. If that fails, it is said once, and
 * such commands are unknown until it can be loaded.
 */
export function createShellReader({ log, load = loadParser }: ShellReaderOptions): ReadCommand {
  const warn = warnOnce(log);
  const parser = madeOnce(load);
  /** Not known this time; with the next command it is tried again. */
  const absent = (error: unknown): ParseShell => {
    warn(`Shell commands that are not plain cannot be understood: ${messageOf(error)}`);
    const missing = notRead(`what reads shell commands cannot be loaded: ${messageOf(error)}`);
    return () => missing;
  };
  return async (command) => {
    const { needsParser, readShell } = await import('./shell-read.ts');
    const plain = readShell(command, null);
    if (!needsParser(plain)) return plain;
    const parse = await parser().catch(absent);
    try {
      return readShell(command, parse);
    } catch (error) {
      log('warn', `A shell command could not be read: ${messageOf(error)}`);
      return notRead('the command could not be read');
    }
  };
}

async function loadParser(): Promise<ParseShell> {
  const { loadShellParser } = await import('./shell-parser.ts');
  return loadShellParser();
}
