import type { Readable, Writable } from 'node:stream';
import type { JsonObject } from '../util/json.ts';
import { LineWriter, readLines } from '../wire/jsonl.ts';
import type { ExitInfo, Transport } from '../wire/transport.ts';

/** The agent's own end of a pipe: lines in from stdin, lines out to stdout. */
export function stdioTransport(
  input: Readable,
  output: Writable,
): Transport & { onReaderGone(listener: () => void): void } {
  const writer = new LineWriter(output);
  let closed = false;
  const exit: ExitInfo = { code: 0, signal: null, stderr: '' };
  return {
    connect: async () => {},
    write: (message: JsonObject) => writer.write(message),
    readMessages: () => readLines(input),
    endInput() {
      // Ending stdout for good is the exit of the process; until then everything written is flushed by `close`.
      closed = true;
    },
    async close() {
      closed = true;
      await writer.flush();
      return exit;
    },
    isReady: () => !closed,
    exit: Promise.resolve(exit),
    onReaderGone: (listener) => writer.onFailure(listener),
  };
}
