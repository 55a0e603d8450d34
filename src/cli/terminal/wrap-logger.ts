import { wrapText } from '../../util/text/wrap-text.ts';
import type { CliLogger } from './logger.ts';

/** Wraps log lines at words on a terminal; a file or a pipe gets one line. Returns the logger. */
export function wrapLogger(logger: CliLogger): CliLogger {
  const { stderr } = process;
  if (!stderr.isTTY) return logger;
  logger.wrap = (line) =>
    line
      .split('\n')
      .flatMap((each) => wrapText(each, stderr.columns || 80, { hang: 2 }))
      .join('\n');
  return logger;
}
