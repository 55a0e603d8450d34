import { StringDecoder } from 'node:string_decoder';
import { type OutputFile, openOutputFile } from './output-file.ts';

export interface OutputLimit {
  /** The most that the model gets to see. */
  maxChars: number;
  /** The directory for output that is longer; made on demand, readable by the user alone. */
  spillDir: string;
  /** The source of the output; part of the file name. */
  name: string;
}

/** `text`, or for a long text its two ends with a note between them that names the file with the whole. */
export function limitOutput(text: string, limit: OutputLimit): string {
  if (text.length <= limit.maxChars) return text;
  const output = createOutput(limit);
  output.add(Buffer.from(text));
  return output.end();
}

/** Output that arrives in pieces; memory stays bounded however much comes. */
export interface Output {
  add(data: Buffer): void;
  /** Ends the output and returns the limited text. */
  end(): string;
  /** The file with the whole output; null while it is short, and when not all of it could be kept. */
  wholeFile(): string | null;
}

export function createOutput({ maxChars, spillDir, name }: OutputLimit): Output {
  const decoder = new StringDecoder('utf8');
  const half = Math.ceil(maxChars / 2);
  /** All bytes so far, until a file holds them. */
  let early: Buffer[] = [];
  /** Everything while it is short; afterwards one end of it. */
  let head = '';
  let tail = '';
  let total = 0;
  let spill: OutputFile | null = null;

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
    if (tail.length > 4 * maxChars) tail = endOf(tail, half);
  }

  function startSpill(): void {
    spill = openOutputFile({ dir: spillDir, name, extension: 'txt' });
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
      spill.close();
      const place = positionOf(spill);
      const [start, end] = [cutEnd(head), cutStart(endOf(tail, half))];
      const missing = total - start.length - end.length;
      const note = `[… ${missing} of ${total} characters left out here; ${place} …]`;
      return [start, note, end].filter((part) => part !== '').join('\n\n');
    },
    wholeFile: () => (spill?.state === 'whole' ? spill.path : null),
  };
}

function positionOf({ path, state, bytes }: OutputFile): string {
  if (state === 'whole') return `the whole output is in ${path}`;
  if (state === 'cut') return `the first ${bytes} bytes are in ${path}`;
  return `it could not be saved: ${state.problem}`;
}

/** `slice(-0)` would be everything. */
function endOf(text: string, length: number): string {
  return length === 0 ? '' : text.slice(-length);
}

/** A cut must not part the two halves of a character. */
function cutEnd(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

function cutStart(text: string): string {
  return /^[\uDC00-\uDFFF]/.test(text) ? text.slice(1) : text;
}
