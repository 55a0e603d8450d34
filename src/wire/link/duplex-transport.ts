import type { Readable, Writable } from 'node:stream';
import type { JsonObject } from '../../util/json.ts';
import { LineWriter, readLines } from './jsonl.ts';
import type { ExitInfo, Transport } from './transport.ts';

/** Two streams that lead to the far end: the ends of a socket, or of a program. */
export interface DuplexEnds {
  input: Readable;
  output: Writable;
  /** Resolves when the far end is gone. */
  exit: Promise<ExitInfo>;
  /** Ends the far end, or the way to it, by force. */
  destroy(): void;
}

/** Lines over a socket, or over the pipes of a program. */
export function duplexTransport({ input, output, exit, destroy }: DuplexEnds): Transport {
  const writer = new LineWriter(output);
  let isReady = false;
  const closed = exit.then((info) => {
    isReady = false;
    return info;
  });
  return {
    async connect() {
      isReady = true;
    },
    write: (message: JsonObject) => writer.write(message),
    readMessages: () => readLines(input),
    endInput: () => writer.end(),
    async close() {
      isReady = false;
      writer.end();
      await writer.flush();
      destroy();
      return closed;
    },
    isReady: () => isReady,
    exit: closed,
  };
}
