import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { InputEvent } from '../../../src/tui/input/input-event.ts';
import { createInputReader, type InputReaderOptions } from '../../../src/tui/input/input-reader.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function reading(options: Partial<InputReaderOptions> = {}) {
  const events: InputEvent[] = [];
  const reader = createInputReader({ onEvent: (event) => events.push(event), escapeMs: 25, ...options });
  return { events, reader, write: (text: string | Buffer) => reader.write(Buffer.from(text as string)) };
}

const key = (name: string): InputEvent => ({ type: 'key', key: name });
const text = (typed: string): InputEvent => ({ type: 'text', text: typed });
const paste = (pasted: string): InputEvent => ({ type: 'paste', text: pasted, isCut: false });

describe('[TUI-56] bytes to keys', () => {
  test('text and keys that come at once stay in order', () => {
    const { events, write } = reading();
    write('ab\x1b[Dc\r');
    expect(events).toEqual([text('ab'), key('left'), text('c'), key('enter')]);
  });

  test('Escape alone is waited for, and not longer', () => {
    const { events, write } = reading({ escapeMs: 25 });
    write('\x1b');
    vi.advanceTimersByTime(24);
    expect(events).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(events).toEqual([key('escape')]);
  });

  test('a sequence in two pieces is one key', () => {
    const { events, write } = reading();
    write('\x1b[');
    vi.advanceTimersByTime(20);
    write('1;5D');
    expect(events).toEqual([key('ctrl+left')]);
  });

  test('two presses of Escape are two, and Escape before an arrow is Alt', () => {
    const { events, write } = reading();
    write('\x1b\x1b');
    write('\x1b\x1b[D');
    expect(events).toEqual([key('escape'), key('escape'), key('alt+left')]);
  });

  test('keys that begin like a longer sequence arrive after a moment', () => {
    const { events, write } = reading();
    write('\x1b_');
    vi.advanceTimersByTime(50);
    expect(events).toEqual([key('alt+_')]);
  });

  test('a sequence that never ends costs its own bytes only', () => {
    const { events, write } = reading();
    write(`\x1b]${'x'.repeat(10_000)}`);
    write('a');
    expect(events).toEqual([text('a')]);
  });
});

describe('[TUI-50] text of input methods', () => {
  test('a character whose bytes are read one by one is one', () => {
    const { events, write } = reading();
    for (const byte of Buffer.from('日👍🏽')) write(Buffer.from([byte]));
    expect(events.map((event) => (event.type === 'text' ? event.text : event)).join('')).toBe('日👍🏽');
  });

  test('what is committed at once is one text, surrogate pairs whole', () => {
    const { events, write } = reading();
    write('漢字👨‍👩‍👧');
    expect(events).toEqual([text('漢字👨‍👩‍👧')]);
  });
});

describe('pastes', () => {
  test('what is bracketed is one paste, with its Enters and sequences', () => {
    const { events, write } = reading();
    write('a\x1b[200~one\rtwo\x1b[31m\t\x1b[201~b');
    expect(events).toEqual([text('a'), paste('one\rtwo\x1b[31m\t'), text('b')]);
  });

  test('in any pieces it is the same paste', () => {
    const whole = Buffer.from('x\x1b[200~línea\r\n日本\x1b[20\x1b[201~y');
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 8 }), (cuts) => {
        const { events, write } = reading();
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        for (let i = 1; i < at.length; i++) write(whole.subarray(at[i - 1], at[i]));
        expect(events).toEqual([text('x'), paste('línea\r\n日本\x1b[20'), text('y')]);
      }),
    );
  });

  test('two in a row, and an empty one', () => {
    const { events, write } = reading();
    write('\x1b[200~1\x1b[201~\x1b[200~\x1b[201~');
    expect(events).toEqual([paste('1'), paste('')]);
  });

  test('one without an end is handed over, and Escape or Ctrl+C gets out of it', () => {
    const { events, write } = reading();
    write('\x1b[200~half');
    vi.advanceTimersByTime(2000);
    expect(events).toEqual([paste('half')]);
    write('more\r');
    write('\x03');
    write('a');
    expect(events.slice(1)).toEqual([paste('more\r'), key('ctrl+c'), text('a')]);
  });

  test('a huge one is cut, and says so', () => {
    const { events, write } = reading();
    write('\x1b[200~');
    for (let at = 0; at < 17; at++) write('x'.repeat(1024 * 1024));
    write('\x1b[201~');
    const [event] = events;
    expect(event).toMatchObject({ type: 'paste', isCut: true });
    expect(event?.type === 'paste' && event.text.length).toBe(16 * 1024 * 1024);
  });

  test('without brackets, more than a person types at once is one: its Enters send nothing', () => {
    const { events, write } = reading({ guessesPastes: true });
    write('hello\r');
    write('first line of it\rsecond line of it\r');
    write('end');
    expect(events).toEqual([text('hello'), key('enter'), paste('first line of it\rsecond line of it\r'), paste('end')]);
  });
});

test('[TUI-56] random bytes in random pieces: no exception, and every event is whole', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc
      .constantFrom('\x1b[', '\x1b[200~', '\x1b[201~', '\x1b]11;', '\x1bP', '\x1b[1;', '👍', '\r', '\x1b')
      .map((each) => Uint8Array.from(Buffer.from(each))),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const { events, reader } = reading();
      for (const bytes of pieces) reader.write(bytes);
      vi.advanceTimersByTime(5000);
      reader.close();
      for (const event of events) {
        if (event.type === 'text') expect(event.text).not.toMatch(/\p{Cc}|\p{Cs}/u);
        if (event.type === 'key') expect(event.key).toMatch(/^(?:(?:ctrl|alt|shift|super)\+)*\S+$/u);
      }
    }),
    { numRuns: 300 },
  );
});
