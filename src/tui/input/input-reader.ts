import { StringDecoder } from 'node:string_decoder';
import { StdinBuffer } from '@earendil-works/pi-tui/dist/stdin-buffer.js';
import { startTimer } from '../../util/timer.ts';
import { decodeSequence } from './decode-sequence.ts';
import type { InputEvent } from './input-event.ts';

export interface InputReaderOptions {
  /** Takes the events in the order in which they came. */
  readonly onEvent: (event: InputEvent) => void;
  /** How long Escape alone waits for more of a sequence: 25, or 100 over ssh. */
  readonly escapeMs: number;
  /** The terminal does not bracket pastes: many characters that come at once are one. */
  readonly guessesPastes?: boolean;
}

/** From the bytes of a terminal to keys, text and pastes. */
export interface InputReader {
  /** Takes what was read: bytes, of which a character may be cut anywhere. */
  write(bytes: Uint8Array): void;
  /** Forgets what is not complete, and stops waiting for more. */
  close(): void;
}

const ESC = '\x1b';
const DELETE = '\x7f';
const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
/** Longer pastes are cut, and said to be. */
const MAX_PASTE = 16 * 1024 * 1024;
/** A sequence that does not end is not one: a terminal's longest answer is a colour or a version. */
const MAX_SEQUENCE = 4096;
/** After so long without its end, a paste no longer takes Escape and Ctrl+C for text. */
const STALLED_MS = 2000;
const SEQUENCE_MS = 50;
const BURST = 20;
const BURST_MS = 10;

export function createInputReader({ onEvent, escapeMs, guessesPastes = false }: InputReaderOptions): InputReader {
  const decoder = new StringDecoder('utf8');
  const splitter = new StdinBuffer({ escapeTimeout: escapeMs, timeout: SEQUENCE_MS });
  const pasting = new PasteCollector(onEvent);
  let lastBurst = Number.NEGATIVE_INFINITY;
  let sequences: string[] = [];
  let isReading = false;
  splitter.on('data', (sequence) => {
    sequences.push(sequence);
    if (!isReading) emitAll(); // the time for the rest of a sequence is over
  });

  function emitAll(): void {
    const events = eventsOf(sequences);
    sequences = [];
    for (const event of events) onEvent(event);
  }

  function readKeys(text: string): void {
    if (text === '') return;
    isReading = true;
    splitter.process(text);
    isReading = false;
    emitAll();
    if (splitter.getBuffer().length > MAX_SEQUENCE) splitter.clear();
  }

  function read(text: string): void {
    if (pasting.isOpen) {
      const rest = pasting.add(text);
      if (rest !== null) read(rest);
      return;
    }
    const pending = splitter.getBuffer();
    const start = (pending + text).indexOf(PASTE_START);
    if (start < 0) {
      readKeys(text);
      return;
    }
    const whole = pending + text;
    splitter.clear();
    readKeys(whole.slice(0, start));
    if (splitter.getBuffer() !== '') {
      sequences.push(...splitter.flush());
      emitAll();
    }
    pasting.open();
    read(whole.slice(start + PASTE_START.length));
  }

  return {
    write(bytes) {
      const text = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (guessesPastes && !pasting.isOpen && isBurst(text, lastBurst)) {
        lastBurst = Date.now();
        onEvent({ type: 'paste', text, isCut: false });
      } else read(text);
    },
    close() {
      splitter.destroy();
      pasting.close();
    },
  };
}

/**
 * The events of what was read at once. Characters come one by one, and a surrogate pair in two halves: together they
 * are one text.
 */
function eventsOf(sequences: readonly string[]): InputEvent[] {
  const events: (InputEvent | null)[] = [];
  let text = '';
  for (let at = 0; at < sequences.length; at++) {
    const sequence = sequences[at] ?? '';
    if (sequence.length === 1 && sequence >= ' ' && sequence !== DELETE) {
      text += sequence;
      continue;
    }
    if (text !== '') events.push(textEvent(text));
    text = '';
    // Older terminals send Alt with an arrow as Escape before the arrow. A person cannot be that quick.
    const withAlt = sequence === ESC ? ALT_OF[sequences[at + 1] ?? ''] : undefined;
    if (withAlt !== undefined) at++;
    if (sequence === ESC + ESC) events.push(decodeSequence(ESC), decodeSequence(ESC));
    else events.push(decodeSequence(withAlt ?? sequence));
  }
  if (text !== '') events.push(textEvent(text));
  return events.filter((event) => event !== null);
}

/** Keys after Escape, in the form that has Alt in it. */
const ALT_OF: Readonly<Record<string, string>> = Object.fromEntries(
  ['A', 'B', 'C', 'D', 'H', 'F'].flatMap((letter) => [
    [`\x1b[${letter}`, `\x1b[1;3${letter}`],
    [`\x1bO${letter}`, `\x1b[1;3${letter}`],
  ]),
);

/** Half characters and C1 controls are dropped. */
function textEvent(text: string): InputEvent | null {
  const whole = text.replaceAll(/\p{Cs}|\p{Cc}/gu, '');
  return whole === '' ? null : { type: 'text', text: whole };
}

/** Whether these are more characters than a person types at once, without a sequence among them. */
function isBurst(text: string, lastBurst: number): boolean {
  const isPlain = !/[^\P{Cc}\t\n\r]/u.test(text);
  return isPlain && (text.length > BURST || (text !== '' && Date.now() - lastBurst < BURST_MS));
}

/** Collects one paste. Its end may come in pieces, late, or never. */
class PasteCollector {
  readonly #onEvent: (event: InputEvent) => void;
  #pieces: string[] = [];
  #length = 0;
  /** The end of what came, which may be the beginning of the end mark. */
  #tail = '';
  #isStalled = false;
  #timer: NodeJS.Timeout | undefined;
  isOpen = false;

  constructor(onEvent: (event: InputEvent) => void) {
    this.#onEvent = onEvent;
  }

  open(): void {
    this.isOpen = true;
    this.#isStalled = false;
    this.#wait();
  }

  /** Takes more of the paste. Returns what follows it, once it is over. */
  add(text: string): string | null {
    if (this.#isStalled && (text === '\x03' || text === '\x1b')) {
      this.#end();
      return text;
    }
    const all = this.#tail + text;
    const end = all.indexOf(PASTE_END);
    if (end >= 0) {
      this.#take(all.slice(0, end));
      this.#end();
      return all.slice(end + PASTE_END.length);
    }
    const kept = all.length - beginningOfEnd(all);
    this.#take(all.slice(0, kept));
    this.#tail = all.slice(kept);
    this.#wait();
    return null;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.isOpen = false;
    this.#drop();
  }

  #take(text: string): void {
    const room = MAX_PASTE - this.#length;
    if (room > 0 && text !== '') this.#pieces.push(text.slice(0, room));
    this.#length += text.length;
  }

  /** A terminal that forgets the end mark must not swallow every later key. */
  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = startTimer(STALLED_MS, () => {
      this.#isStalled = true;
      if (this.#length > 0) this.#emit();
    }).unref();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.isOpen = false;
    // An empty paste is what some terminals send for an image. A stalled one has been handed over already.
    if (!this.#isStalled || this.#length > 0) this.#emit();
  }

  #emit(): void {
    const text = this.#pieces.join('');
    const isCut = this.#length > MAX_PASTE;
    this.#drop();
    this.#onEvent({ type: 'paste', text, isCut });
  }

  #drop(): void {
    this.#pieces = [];
    this.#length = 0;
    this.#tail = '';
  }
}

/** How many characters at the end of the text may begin the end mark of a paste. */
function beginningOfEnd(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(PASTE_END.slice(0, length))) return length;
  }
  return 0;
}
