import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, stringField } from '../../util/json.ts';
import { oneAtATime } from '../../util/one-at-a-time.ts';
import { HeddleError } from '../../wire/errors.ts';
import { RAW_JSON } from '../../wire/link/jsonl.ts';
import type { LogBounds, NumberedLine } from '../ports/event-log.ts';
import { Segment } from './segment.ts';

export interface LogLimits {
  /** A file that is larger is followed by another one. */
  segmentBytes: number;
  /** How long a file is kept after its last line. */
  keepMs: number;
  sync: boolean;
}

/** The stored lines of one session: a folder of files, named after the number of their first line. */
export class SessionLog {
  readonly #folder: string;
  readonly #limits: LogLimits;
  readonly #uuids = new Set<string>();
  readonly #inTurn = oneAtATime();
  #segments: Segment[] = [];

  private constructor(folder: string, limits: LogLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  static async load(folder: string, limits: LogLimits, now: number): Promise<SessionLog> {
    const log = new SessionLog(folder, limits);
    removeOld(folder, now - limits.keepMs);
    for (const first of firstNumbers(folder)) log.#segments.push(await log.#open(first));
    return log;
  }

  get bounds(): LogBounds {
    const newest = (this.#segments.at(-1)?.next ?? 1) - 1;
    return { oldest: this.#segments[0]?.first ?? newest + 1, newest };
  }

  knows(uuid: string): boolean {
    return this.#uuids.has(uuid);
  }

  /** Resolves with the lines that are new. */
  append(lines: readonly JsonObject[]): Promise<NumberedLine[]> {
    return this.#inTurn(async () => {
      const fresh = lines.filter((line) => !this.#uuids.has(stringField(line, 'uuid') ?? ''));
      if (fresh.length === 0) return [];
      const segment = await this.#last();
      const numbered = fresh.map((line, at) => numberedLine(line, segment.next + at));
      await segment.append(numbered);
      for (const line of fresh) {
        const uuid = stringField(line, 'uuid');
        if (uuid !== undefined) this.#uuids.add(uuid);
      }
      return numbered;
    });
  }

  async read({ after, limit }: { after: number; limit: number }): Promise<NumberedLine[]> {
    const { oldest, newest } = this.bounds;
    if (after > newest) throw unknownCursor(after, newest);
    if (after < oldest - 1) throw goneCursor(after, { oldest, newest });
    const lines: NumberedLine[] = [];
    for (const segment of this.#segments) {
      if (segment.next <= after + 1) continue;
      if (lines.length >= limit) break;
      lines.push(...(await segment.read(Math.max(segment.first, after + 1), limit - lines.length)));
    }
    return lines;
  }

  close(): Promise<unknown> {
    return this.#inTurn(() => Promise.all(this.#segments.map(({ journal }) => journal.close())));
  }

  /** The file that the next line goes to. */
  async #last(): Promise<Segment> {
    const last = this.#segments.at(-1);
    if (last && last.size < this.#limits.segmentBytes) return last;
    await last?.journal.close();
    const segment = await this.#open(last?.next ?? 1);
    this.#segments.push(segment);
    return segment;
  }

  #open(first: number): Promise<Segment> {
    const noted = (uuid: string) => this.#uuids.add(uuid);
    return Segment.load(join(this.#folder, nameOf(first)), first, { sync: this.#limits.sync, noted });
  }
}

/** The line with its number as its last field. */
function numberedLine(line: JsonObject, seq: number): NumberedLine {
  const raw = (line as { [RAW_JSON]?: string })[RAW_JSON] ?? JSON.stringify(line);
  const text = raw === '{}' ? `{"seq":${seq}}` : `${raw.slice(0, -1)},"seq":${seq}}`;
  return { seq, type: stringField(line, 'type') ?? '', text };
}

const nameOf = (first: number) => `${String(first).padStart(12, '0')}.jsonl`;

function firstNumbers(folder: string): number[] {
  return filesIn(folder)
    .flatMap((name) => /^(\d{12})\.jsonl$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** All but the newest file, which has the numbers of the lines to come. */
function removeOld(folder: string, before: number): void {
  for (const first of firstNumbers(folder).slice(0, -1)) {
    const path = join(folder, nameOf(first));
    if (statSync(path).mtimeMs >= before) return;
    rmSync(path, { force: true });
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing was stored yet
  }
}

function unknownCursor(after: number, newest: number): HeddleError {
  const message = `No line has the number ${after} yet; the newest is ${newest}. Begin behind that one`;
  return new HeddleError('cursor_unknown', message, { facts: { after, newest } });
}

function goneCursor(after: number, { oldest, newest }: LogBounds): HeddleError {
  const message =
    `Lines behind ${after} are not kept any more; the oldest has the number ${oldest}. ` +
    `Read the conversation from messages, and go on behind ${newest}`;
  return new HeddleError('cursor_gone', message, { facts: { after, oldest, newest } });
}
