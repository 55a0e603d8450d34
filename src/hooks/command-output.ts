import { StringDecoder } from 'node:string_decoder';
import { tryParseJson } from '../util/json.ts';
import { type HookAnswer, readAnswer } from './answer.ts';

/** How many characters of each stream are stored: the rest is read and dropped. */
const MAX_CHARS = 1_000_000;

/** The beginning of a command's output. */
export class OutputHead {
  #isCut = false;
  readonly #texts = { stdout: '', stderr: '' };
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };

  add(stream: 'stdout' | 'stderr', data: Buffer): void {
    const room = MAX_CHARS - this.#texts[stream].length;
    if (room <= 0) {
      this.#isCut = true;
      return;
    }
    const text = this.#decoders[stream].write(data);
    if (text.length > room) this.#isCut = true;
    this.#texts[stream] += text.slice(0, room);
  }

  get stdout(): string {
    return this.#texts.stdout;
  }

  get stderr(): string {
    return this.#texts.stderr;
  }

  get isCut(): boolean {
    return this.#isCut;
  }
}

/** A command that asks not to be waited for prints a short first line. */
const MAX_FIRST_LINE = 4096;

/** The answer in the first line, if it is complete; null while more of it may come. */
export function firstAnswer(event: string, stdout: string): HookAnswer | null {
  if (stdout.length > MAX_FIRST_LINE) return null;
  const [line = '', ...rest] = stdout.trimStart().split('\n', 2);
  if (!line.startsWith('{') || (rest.length === 0 && !line.trimEnd().endsWith('}'))) return null;
  const value = tryParseJson(line);
  return value === undefined ? null : readAnswer(event, value);
}

/** The output without the first line by which a command asks not to be waited for. */
export function lastAnswer(event: string, stdout: string): string {
  const [line = '', ...rest] = stdout.trimStart().split('\n');
  return rest.length > 0 && firstAnswer(event, line)?.isAsync ? rest.join('\n') : stdout;
}
