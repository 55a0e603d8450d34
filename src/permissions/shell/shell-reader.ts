import { madeOnce } from '../../util/made-once.ts';
import { messageOf } from '../../util/message-of.ts';
import { warnOnce } from '../../util/once.ts';
import type { Logger } from '../../util/runtime.ts';
import { needsParser, type ParseShell, readShell } from './read-shell.ts';
import { notRead, type ShellScript } from './shell-script.ts';

/** Reads a command line for permissions. Never rejects: a command that cannot be read counts as unknown. */
export type ReadCommand = (command: string) => Promise<ShellScript>;

export interface ShellReaderOptions {
  log: Logger;
  /** Default: the parser that ships with the program. */
  load?: () => Promise<ParseShell>;
}

/**
 * Reads plain commands at once and loads the parser for the first command that is not plain. If loading fails, the
 * reader logs it once, and such commands are unknown until loading succeeds.
 */
export function createShellReader({ log, load = loadParser }: ShellReaderOptions): ReadCommand {
  const warn = warnOnce(log);
  const parser = madeOnce(load);
  /** Unknown this time; the next command tries to load the parser again. */
  const absent = (error: unknown): ParseShell => {
    warn(`Shell commands that are not plain cannot be understood: ${messageOf(error)}`);
    const missing = notRead(`what reads shell commands cannot be loaded: ${messageOf(error)}`);
    return () => missing;
  };
  return async (command) => {
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
