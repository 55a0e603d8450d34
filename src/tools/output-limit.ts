import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { makeDirectory } from '../util/make-directory.ts';

export interface OutputLimit {
  /** How much the model gets to see. */
  maxChars: number;
  /** Where the whole output goes when it is more; made on demand, readable by nobody else (ruling G8). */
  spillDir: string;
  /** What the file is named after. */
  name: string;
}

/** `text`, or when it is too long its two ends with a note between them that says where the whole is. */
export function limitOutput(text: string, limit: OutputLimit): string {
  if (text.length <= limit.maxChars) return text;
  const output = createOutput(limit);
  output.add(Buffer.from(text));
  return output.end();
}

/** Output that arrives in pieces; memory stays bounded however much comes. */
export interface Output {
  add(data: Buffer): void;
  /** No more comes: the limited text. */
  end(): string;
}

/** What is kept on disk of one output; a command that writes without end must not fill the disk. */
const MAX_SPILL_BYTES = 64 * 1024 * 1024;

export function createOutput({ maxChars, spillDir, name }: OutputLimit): Output {
  const decoder = new StringDecoder('utf8');
  const half = Math.ceil(maxChars / 2);
  /** The bytes behind `head`, until there is a file that has them. */
  let early: Buffer[] = [];
  /** Everything while it is short; afterwards one end of it. */
  let head = '';
  let tail = '';
  let total = 0;
  let spill: Spill | null = null;

  function take(data: Buffer, text: string): void {
    total += text.length;
    if (spill === null) {
      early.push(data);
      head += text;
      if (head.length > maxChars) startSpill();
      return;
    }
    spill.write(data);
    tail += text;
    // Cut rarely, not at every piece: each cut copies.
    if (tail.length > 4 * maxChars) tail = tail.slice(-half);
  }

  function startSpill(): void {
    spill = openSpill(spillDir, name);
    for (const data of early) spill.write(data);
    early = [];
    tail = head.slice(half);
    head = head.slice(0, half);
  }

  return {
    add: (data) => take(data, decoder.write(data)),
    end() {
      take(Buffer.alloc(0), decoder.end());
      if (spill === null) return head;
      const place = spill.close();
      const [start, end] = [cutEnd(head), cutStart(tail.slice(-half))];
      const missing = total - start.length - end.length;
      return `${start}\n\n[… ${missing} of ${total} characters left out here; ${place} …]\n\n${end}`;
    },
  };
}

interface Spill {
  write(data: Buffer): void;
  /** Says where what was written is. */
  close(): string;
}

/**
 * Written synchronously: a stream would hold in memory what the disk has not taken yet, and the point is to hold
 * nothing. A failing disk costs the file, not the command.
 */
function openSpill(dir: string, name: string): Spill {
  const base = join(dir, name.replace(/[^\w-]/g, '_').slice(0, 100));
  let path = '';
  let written = 0;
  let full = false;
  let problem: string | null = null;

  function attempt<T>(action: () => T): T | null {
    try {
      return action();
    } catch (error) {
      problem = `it could not be saved: ${(error as Error).message}`;
      return null;
    }
  }

  const file = attempt(() => {
    makeDirectory(dir, 0o700);
    // Counted up, not random: the model reads the name, and a replayed run must tell it the same.
    for (let n = 1; ; n++) {
      path = n === 1 ? `${base}.txt` : `${base}-${n}.txt`;
      const created = openNew(path);
      if (created !== null) return created;
    }
  });
  return {
    write(data) {
      if (file === null || problem !== null || full) return;
      const part = data.subarray(0, MAX_SPILL_BYTES - written);
      full = part.length < data.length;
      written += part.length;
      attempt(() => {
        for (let done = 0; done < part.length; ) done += writeSync(file, part, done);
      });
    },
    close() {
      if (file !== null) closeSync(file);
      if (problem !== null) return problem;
      return full ? `the first ${written} bytes are in ${path}` : `the whole output is in ${path}`;
    },
  };
}

/** Null when there is something at the path already. */
function openNew(path: string): number | null {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    throw error;
  }
}

/** A cut must not part the two halves of a character. */
function cutEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function cutStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
