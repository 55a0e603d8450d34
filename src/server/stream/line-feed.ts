import type { JsonObject } from '../../util/json.ts';
import type { EventLog, NumberedLine } from '../ports/event-log.ts';
import type { Unsubscribe } from '../ports/holding.ts';

/** A client that reads lines, at its own speed. */
export interface LineReader {
  /** False: it has no room for more; `room` resolves when it has. The line itself was taken. */
  line(line: NumberedLine): boolean;
  preview?(line: JsonObject): boolean;
  /** Rejects when the client is gone, or has not read for too long. */
  room(): Promise<void>;
  /** The feed cannot go on. */
  broken(error: unknown): void;
}

const PAGE = 200;

/**
 * Gives a client the lines of a session behind a number, each once and in order. Lines come from memory as long as the
 * client keeps up; one that is slow gets them from the log, so that nothing piles up for it. Previews are for those that
 * keep up.
 */
export class LineFeed {
  readonly #events: EventLog;
  readonly #sessionId: string;
  readonly #reader: LineReader;
  #cursor: number;
  /** The newest number that was heard of. */
  #newest: number;
  #isLive = false;
  #isOver = false;
  #stop: Unsubscribe = () => {};

  constructor(
    { events, sessionId, after }: { events: EventLog; sessionId: string; after: number },
    reader: LineReader,
  ) {
    this.#events = events;
    this.#sessionId = sessionId;
    this.#reader = reader;
    this.#cursor = after;
    this.#newest = after;
  }

  /** The number of the last line that the client got. */
  get cursor(): number {
    return this.#cursor;
  }

  start(): void {
    this.#stop = this.#events.subscribe(this.#sessionId, {
      onLines: (lines) => this.#arrived(lines),
      onPreview: (line) => {
        if (this.#isLive && this.#reader.preview?.(line) === false) this.#fallBehind();
      },
    });
    void this.#catchUp(Promise.resolve());
  }

  stop(): void {
    this.#isOver = true;
    this.#stop();
  }

  #arrived(lines: readonly NumberedLine[]): void {
    this.#newest = lines.at(-1)?.seq ?? this.#newest;
    if (!this.#isLive) return;
    for (const line of lines) {
      if (this.#isOver || line.seq <= this.#cursor) continue;
      if (line.seq === this.#cursor + 1 && this.#give(line)) continue;
      this.#fallBehind();
      return;
    }
  }

  #give(line: NumberedLine): boolean {
    this.#cursor = line.seq;
    return this.#reader.line(line);
  }

  #fallBehind(): void {
    this.#isLive = false;
    void this.#catchUp(this.#reader.room());
  }

  /** Reads the log up to its end; from then on lines come from memory. Never rejects. */
  async #catchUp(room: Promise<void>): Promise<void> {
    try {
      await room;
      while (!this.#isOver) {
        const page = await this.#events.read(this.#sessionId, { after: this.#cursor, limit: PAGE });
        for (const line of page) {
          if (this.#isOver) return;
          if (!this.#give(line)) await this.#reader.room();
        }
        if (page.length === 0 && this.#newest <= this.#cursor) {
          this.#isLive = true;
          return;
        }
      }
    } catch (error) {
      if (!this.#isOver) this.#reader.broken(error);
    }
  }
}
