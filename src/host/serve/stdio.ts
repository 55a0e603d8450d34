import type { Readable, Writable } from 'node:stream';
import type { JsonObject } from '../../util/json.ts';
import { LineWriter, readLines } from '../../wire/link/jsonl.ts';
import type { ExitInfo, Transport } from '../../wire/link/transport.ts';

/** The agent's own end of a pipe: lines in from stdin, lines out to stdout. */
export function stdioTransport(
  input: Readable,
  output: Writable,
): Transport & { onReaderGone(listener: () => void): void; readerGone(): boolean } {
  const writer = new LineWriter(output);
  let ready = false;
  const exit: ExitInfo = { code: 0, signal: null, stderr: '' };
  return {
    async connect() {
      ready = true;
    },
    write: (message: JsonObject) => writer.write(message),
    readMessages: () => readLines(input),
    endInput: () => writer.end(),
    async close() {
      ready = false;
      writer.end();
      await writer.flush();
      input.destroy();
      return exit;
    },
    isReady: () => ready,
    // The end of the host is not known here, and no caller has to wait for it.
    exit: Promise.resolve(exit),
    onReaderGone: (listener) => writer.onFailure(listener),
    readerGone: () => writer.failed,
  };
}
