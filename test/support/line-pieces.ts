import { setTimeout as sleep } from 'node:timers/promises';
import { STREAM_BOTH, startCli } from './cli.ts';
import type { Place } from './place.ts';
import { conversationText } from './requests.ts';

/** A line of the host, and the words in it. Its characters are one to four bytes long. */
export function pieceLine(at: number): { words: string; bytes: Buffer } {
  const words = `grüße 🧵 织 ${at}.`;
  return { words, bytes: Buffer.from(JSON.stringify({ type: 'user', message: { role: 'user', content: words } })) };
}

export interface Pieces {
  /** Each is one line that arrives in two pieces, so many bytes in the first. */
  cuts: readonly number[];
  largeBytes: number;
}

/**
 * Lines as pipes may deliver them (trust P-11): one byte by byte, others cut in two, two in one write, a large one, and
 * a last one without an end. Returns how many there were, and how many have reached the model as they were.
 */
export async function sendInPieces(
  place: Place,
  { cuts, largeBytes }: Pieces,
): Promise<{ sent: number; arrived: number }> {
  const cli = startCli(STREAM_BOTH, { place });
  const sent: string[] = [];
  const line = () => {
    const { words, bytes } = pieceLine(sent.length);
    sent.push(words);
    return bytes;
  };
  const writeApart = async (...pieces: (Buffer | string)[]) => {
    for (const piece of pieces) {
      cli.child.stdin?.write(piece);
      await sleep(2);
    }
  };
  await writeApart(...[...line()].map((byte) => Buffer.from([byte])), '\n');
  for (const cut of cuts) {
    const bytes = line();
    await writeApart(bytes.subarray(0, cut), bytes.subarray(cut), '\n');
  }
  cli.write(`${line()}\n${line()}\n`);
  const large = '🧵'.repeat(largeBytes / 4);
  sent.push(large);
  cli.say(large);
  cli.write(line().toString('utf8'));
  cli.endInput();
  await cli.finished;
  const heard = conversationText(place.api.requests.at(-1));
  return { sent: sent.length, arrived: sent.filter((words) => heard.includes(words)).length };
}
