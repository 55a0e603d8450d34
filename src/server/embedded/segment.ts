import { isObject, stringField, tryParseJson } from '../../util/json.ts';
import type { NumberedLine } from '../ports/event-log.ts';
import { Journal } from './journal.ts';

/** A file with consecutive lines of a session, the first of which has the number `first`. */
export class Segment {
  readonly first: number;
  readonly journal: Journal;
  /** Where each line begins. */
  readonly #offsets: number[] = [];

  private constructor(journal: Journal, first: number) {
    this.journal = journal;
    this.first = first;
  }

  /** `noted` gets the uuid of each line that has one. */
  static async load(
    path: string,
    first: number,
    { sync, noted }: { sync: boolean; noted: (uuid: string) => void },
  ): Promise<Segment> {
    const segment = new Segment(new Journal(path, { sync }), first);
    let at = 0;
    for (const line of (await segment.journal.read()).split('\n')) {
      if (line === '') continue;
      segment.#offsets.push(at);
      at += Buffer.byteLength(line) + 1;
      const uuid = uuidIn(line);
      if (uuid !== undefined) noted(uuid);
    }
    return segment;
  }

  /** The number of the line that comes next. */
  get next(): number {
    return this.first + this.#offsets.length;
  }

  get size(): number {
    return this.journal.size;
  }

  async append(lines: readonly NumberedLine[]): Promise<void> {
    const texts = lines.map(({ text }) => `${text}\n`);
    let at = this.journal.size;
    await this.journal.appendText(texts.join(''));
    for (const text of texts) {
      this.#offsets.push(at);
      at += Buffer.byteLength(text);
    }
  }

  /** Lines from this number on, at most `limit`. */
  async read(from: number, limit: number): Promise<NumberedLine[]> {
    const begin = this.#offsets[from - this.first];
    if (begin === undefined) return [];
    const end = this.#offsets[from - this.first + limit] ?? this.journal.size;
    const text = (await this.journal.slice(begin, end)).toString('utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line, at) => ({ seq: from + at, type: typeIn(line), text: line }));
  }
}

function typeIn(text: string): string {
  return /^\{"type":"(\w+)"/.exec(text)?.[1] ?? stringField(tryParseJson(text), 'type') ?? '';
}

function uuidIn(text: string): string | undefined {
  const line = tryParseJson(text);
  return isObject(line) ? stringField(line, 'uuid') : undefined;
}
