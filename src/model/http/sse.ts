export interface SseEvent {
  /** The name given by an `event:` line. */
  event: string | undefined;
  /** The `data:` lines, joined by line feeds. */
  data: string;
}

export interface SseReader {
  /** Takes the next bytes, cut anywhere, and returns the events that are now complete. */
  push(chunk: Buffer): SseEvent[];
  /** The bytes of an incomplete line plus the data of an incomplete event. */
  readonly pendingBytes: number;
  /** True while the bytes of an event that is not a mere keep-alive are arriving. */
  readonly inEvent: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const KEEP_ALIVE = 'ping';
/** More than any keep-alive holds, so more pending bytes than this belong to a real event. */
const KEEP_ALIVE_BYTES = 64;

/**
 * Reads server-sent events as they arrive. Lines are cut as bytes and only whole lines are decoded, so a chunk may end
 * inside a character. An event that is incomplete at the end of the stream is never returned, as the standard says.
 *
 * The model streams thousands of small events: there is one decoding per chunk and no work per byte.
 */
export function createSseReader(): SseReader {
  let unfinished: Buffer[] = [];
  let unfinishedBytes = 0;
  let atStart = true;
  let endedInCr = false;
  let name: string | undefined;
  /** The data lines so far; null before the first. Nearly all events have one line, so there is nothing to join. */
  let data: string | null = null;

  /** The text of all lines that the chunk completes; the bytes after the last line end are kept for later. */
  function completeLines(chunk: Buffer): string {
    const end = Math.max(chunk.lastIndexOf(LF), chunk.lastIndexOf(CR));
    if (end < 0) {
      keep(chunk);
      return '';
    }
    const head = chunk.subarray(0, end + 1);
    const bytes = unfinished.length === 0 ? head : Buffer.concat([...unfinished, head]);
    unfinished = [];
    unfinishedBytes = 0;
    keep(chunk.subarray(end + 1));
    endedInCr = chunk[end] === CR && end === chunk.length - 1;
    return withPlainLineEnds(bytes.toString('utf8'));
  }

  function keep(rest: Buffer): void {
    if (rest.length === 0) return;
    unfinished.push(rest);
    unfinishedBytes += rest.length;
  }

  function addData(value: string): void {
    data = data === null ? value : `${data}\n${value}`;
  }

  function takeLine(line: string): void {
    if (line.startsWith('data:')) {
      addData(line.slice(line.charCodeAt(5) === 0x20 ? 6 : 5));
    } else if (line.startsWith('event:')) {
      name = line.slice(line.charCodeAt(6) === 0x20 ? 7 : 6);
    } else if (line === 'data') {
      addData('');
    }
    // Comments, `id`, `retry` and unknown fields are ignored.
  }

  function takeEvent(): SseEvent | null {
    const event = data === null ? null : { event: name || undefined, data };
    name = undefined;
    data = null;
    return event;
  }

  return {
    push(chunk) {
      const events: SseEvent[] = [];
      const rest = endedInCr && chunk[0] === LF ? chunk.subarray(1) : chunk;
      if (chunk.length > 0) endedInCr = false;
      let text = completeLines(rest);
      if (atStart && text !== '') {
        if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
        atStart = false;
      }
      for (let from = 0; from < text.length; ) {
        const end = text.indexOf('\n', from);
        if (end > from) {
          takeLine(text.slice(from, end));
        } else {
          const event = takeEvent();
          if (event) events.push(event);
        }
        from = end + 1;
      }
      return events;
    },
    get pendingBytes() {
      return unfinishedBytes + (data?.length ?? 0);
    },
    get inEvent() {
      if (name !== undefined) return name !== KEEP_ALIVE;
      return unfinishedBytes + (data?.length ?? 0) > KEEP_ALIVE_BYTES;
    },
  };
}

function withPlainLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
