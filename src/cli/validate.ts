import { HeddleError } from '../wire/errors.ts';
import type { RunConfig } from '../wire/run-config.ts';

/** Flags that only make sense together. Throws `invalid_option` with one line. */
export function validateFormats(config: RunConfig): void {
  const streamOut = config.outputFormat === 'stream-json';
  const streamIn = config.inputFormat === 'stream-json';
  if (streamOut && !config.verbose) {
    throw refuse('Error: When using --print, --output-format=stream-json requires --verbose');
  }
  if (streamIn && !streamOut) throw refuse('--input-format=stream-json requires --output-format=stream-json');
  if (config.includePartialMessages && !streamOut) {
    throw refuse('--include-partial-messages requires --print and --output-format=stream-json');
  }
  if (config.replayUserMessages && !(streamIn && streamOut)) {
    throw refuse('--replay-user-messages requires --input-format=stream-json and --output-format=stream-json');
  }
}

function refuse(message: string): HeddleError {
  return new HeddleError('invalid_option', message);
}
