import { wrapText } from '../util/wrap-text.ts';
import type { CliLogger } from './logger.ts';

/** On a terminal no word is broken at the edge; whoever reads a file or a pipe gets one line. Returns the logger. */
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
