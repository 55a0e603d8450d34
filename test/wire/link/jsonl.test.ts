import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeddleError } from '../../../src/wire/errors.ts';
import {
  encodeLine,
  type Line,
  LineDecoder,
  LineWriter,
  MAX_LINE_BYTES,
  type OverlongLine,
  parseLine,
  RAW_JSON,
  readLines,
} from '../../../src/wire/link/jsonl.ts';

/** JSON objects as they travel: what JSON.parse may give, with any text. */
const jsonObject = fc
  .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

/** Cuts bytes at the given places, wherever they fall. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

function decode(chunks: Iterable<Uint8Array>, options?: { maxBytes?: number }): (Line | OverlongLine)[] {
  const decoder = new LineDecoder(options);
  return [...[...chunks].flatMap((chunk) => [...decoder.push(chunk)]), ...decoder.end()];
}

async function collect(chunks: Iterable<Uint8Array>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of readLines(Readable.from(chunks, { objectMode: false }))) items.push(item);
  return items;
}

describe('LineDecoder', () => {
  test('[TRN-10, P-11] any objects, cut into any chunks, come back as they were', () => {
    const cases = fc.record({
      objects: fc.array(jsonObject),
      newline: fc.constantFrom('\n', '\r\n', '\n\n', '\r\n \t\r\n'),
      start: fc.constantFrom('', '\ufeff', '\n', '\ufeff\n'),
      lastNewline: fc.boolean(),
      places: fc.array(fc.nat()),
    });
    fc.assert(
      fc.property(cases, ({ objects, newline, start, lastNewline, places }) => {
        const text =
          start + objects.map((object) => JSON.stringify(object)).join(newline) + (lastNewline ? newline : '');
        const lines = decode(cut(Buffer.from(text), places));
        expect(lines.map(parseLine)).toEqual(objects);
      }),
      { numRuns: 150 },
    );
  });

  test('[TRN-10] one byte at a time, also inside a character and between CR and LF', () => {
    const bytes = Buffer.from('\ufeff{"a":"é漢😀"}\r\n{"b":"\u2028"}\n');
    const lines = decode(cut(bytes, [...bytes.keys()]));
    expect(lines).toEqual([
      { text: '{"a":"é漢😀"}', number: 1 },
      { text: '{"b":"\u2028"}', number: 2 },
    ]);
  });

  test('blank lines are skipped, and counted', () => {
    expect(decode([Buffer.from('\n  \n\r\n{"a":1}\n\t\n{"b":2}')])).toEqual([
      { text: '{"a":1}', number: 4 },
      { text: '{"b":2}', number: 6 },
    ]);
  });

  test('a mark of byte order counts only at the start', () => {
    expect(decode([Buffer.from('\ufeff{}\n\ufeff{}\n')])).toEqual([
      { text: '{}', number: 1 },
      { text: '\ufeff{}', number: 2 },
    ]);
  });

  test('bytes that are no UTF-8 do not stop it', () => {
    const lines = decode([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('{"ok":true}\n')]);
    expect(lines).toMatchObject([{ text: '\ufffd\ufffd' }, { text: '{"ok":true}' }]);
  });

  test('any Uint8Array will do, also a view into a larger buffer', () => {
    const whole = new TextEncoder().encode('xx{"a":1}\nyy');
    expect(decode([whole.subarray(2, 10)])).toEqual([{ text: '{"a":1}', number: 1 }]);
  });

  test('[K34] a line of the cap is read, one byte more is passed over with its size', () => {
    const line = '{"a":"12345"}';
    const cap = line.length;
    expect(decode([Buffer.from(`${line}\n`)], { maxBytes: cap })).toEqual([{ text: line, number: 1 }]);
    const overlong = { bytes: cap, maxBytes: cap - 1, number: 1 };
    expect(decode([Buffer.from(`${line}\n`)], { maxBytes: cap - 1 })).toEqual([overlong]);
    expect(MAX_LINE_BYTES).toBe(256 * 1024 * 1024);
  });

  test('[K34] the lines around it are read, wherever the chunks are cut, and also when it is the last', () => {
    const bytes = Buffer.from('{"a":1}\n12345678901\n{"b":2}\n123456789012');
    const expected = [
      { text: '{"a":1}', number: 1 },
      { bytes: 11, maxBytes: 10, number: 2 },
      { text: '{"b":2}', number: 3 },
      { bytes: 12, maxBytes: 10, number: 4 },
    ];
    fc.assert(
      fc.property(fc.array(fc.nat()), (places) => {
        expect(decode(cut(bytes, places), { maxBytes: 10 })).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('[K34] nothing of it is held in memory', async () => {
    const decoder = new LineDecoder({ maxBytes: 1000 });
    const pushed = Array.from({ length: 5 }, () => pushAnother(decoder));
    await turn();
    collectGarbage();
    expect(pushed.map((chunk) => chunk.deref())).toEqual(Array(5).fill(undefined));
    expect([...decoder.push(Buffer.from('\n'))]).toEqual([{ bytes: 3000, maxBytes: 1000, number: 1 }]);
  });
});

/** Another 600 bytes of the same line. The memory behind them can be watched, and nobody else holds it. */
function pushAnother(decoder: LineDecoder): WeakRef<ArrayBufferLike> {
  const chunk = Buffer.alloc(600, 'x');
  expect([...decoder.push(chunk)]).toHaveLength(0);
  return new WeakRef(chunk.buffer);
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

describe('parseLine', () => {
  test('[ERR-05] text that is not JSON is a json_decode error with its place, not its text', () => {
    const secret = 'sk-secret not json';
    const error = parseLine({ text: secret, number: 7 });
    expect(error).toMatchObject({ code: 'json_decode', facts: { line: 7, length: secret.length, preview: secret } });
    expect((error as Error).message).toBe(`JSON decode error: line 7 is not JSON (${secret.length} characters)`);
  });

  test.each([
    ['7', 'a number'],
    ['null', 'null'],
    ['[1]', 'an array'],
    ['"text"', 'a string'],
    ['true', 'a boolean'],
  ])('[ERR-06] %s is JSON, but no message', (text, kind) => {
    expect(parseLine({ text, number: 2 })).toMatchObject({
      code: 'message_parse',
      message: `Message parse error: line 2 is ${kind}, not an object`,
    });
  });

  test('[K34] a line that was too long is a typed error with its size', () => {
    expect(parseLine({ bytes: 12, maxBytes: 10, number: 4 })).toMatchObject({
      code: 'line_too_long',
      message: 'Line 4 was skipped: it has 12 bytes, and 10 is the limit',
      facts: { line: 4, bytes: 12, maxBytes: 10 },
    });
  });

  test('__proto__ is a key like any other', () => {
    const parsed = parseLine({ text: '{"__proto__":{"polluted":true}}', number: 1 });
    expect(Object.keys(parsed)).toEqual(['__proto__']);
    expect((parsed as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('readLines', () => {
  test('[P-1] bad lines are errors in their place, and reading goes on', async () => {
    const items = await collect([Buffer.from('{"a":1}\nbad\n7\n{"b":2}')]);
    expect(items).toEqual([
      { a: 1 },
      expect.objectContaining({ code: 'json_decode' }),
      expect.objectContaining({ code: 'message_parse' }),
      { b: 2 },
    ]);
  });

  test('[ERR-09, P-2] 10,000 lines of anything give an object or a typed error each, never a throw', async () => {
    const line = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
    const lines = fc.sample(fc.oneof(line, fc.json(), fc.string({ unit: 'binary' })), { numRuns: 10_000, seed: 7 });
    const items = await collect([Buffer.from(lines.join('\n'), 'latin1')]);
    expect(items.length).toBeGreaterThan(7000);
    expect(items.every((item) => HeddleError.isInstance(item) || (typeof item === 'object' && item !== null))).toBe(
      true,
    );
  });

  test('[K34] an overlong line is one error in its place, and reading goes on', async () => {
    const stream = new PassThrough();
    const lines = readLines(stream, { maxBytes: 20 });
    stream.end('{"a":1}\n{"b":"0123456789012345"}\n{"c":3}\n');
    const items: unknown[] = [];
    for await (const item of lines) items.push(item);
    expect(items).toEqual([{ a: 1 }, expect.objectContaining({ code: 'line_too_long' }), { c: 3 }]);
  });

  test('a stream that breaks throws; one that is destroyed here just ends', async () => {
    const broken = new PassThrough();
    const reading = readLines(broken).next();
    broken.destroy(new Error('cable cut'));
    await expect(reading).rejects.toThrow('cable cut');
    const closed = new PassThrough();
    const ending = readLines(closed).next();
    closed.write('{"half":');
    closed.destroy();
    expect(await ending).toEqual({ done: true, value: undefined });
  });
});

describe('encodeLine', () => {
  test('is one line, whatever the text', () => {
    fc.assert(
      fc.property(jsonObject, (object) => {
        const line = encodeLine(object);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(JSON.parse(line)).toEqual(object);
      }),
    );
  });

  test('takes the text that a message brings along', () => {
    const message = Object.defineProperty({ type: 'stream_event', event: {} }, RAW_JSON, { value: '{"spliced":1}' });
    expect(encodeLine(message)).toBe('{"spliced":1}\n');
    expect(JSON.stringify(message)).toBe('{"type":"stream_event","event":{}}');
    expect(Object.keys(message)).toEqual(['type', 'event']);
  });
});

/** A stream that takes its chunks only when told to. */
class SlowSink extends Writable {
  readonly chunks: string[] = [];
  #taken: (() => void) | null = null;

  constructor() {
    super({ highWaterMark: 100, decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    this.#taken = done;
  }

  /** Takes all that was written so far. */
  async takeAll(): Promise<void> {
    for (let taken = this.#taken; taken; taken = this.#taken) {
      this.#taken = null;
      taken();
      await turn();
    }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function isPending(promise: Promise<unknown> | undefined): Promise<boolean> {
  const waiting = Symbol('waiting');
  await turn();
  return (await Promise.race([promise, Promise.resolve(waiting)])) === waiting;
}

describe('LineWriter', () => {
  test('[ARC-08] lines go out whole and in order', async () => {
    const out = new PassThrough();
    const writer = new LineWriter(out);
    const objects = Array.from({ length: 100 }, (_, n) => ({ n, text: 'x'.repeat(n * 50) }));
    const writing = Promise.all(objects.map((object) => writer.write(object)));
    const read: unknown[] = [];
    for await (const item of readLines(out)) if (read.push(item) === objects.length) break;
    expect(read).toEqual(objects);
    await writing.catch(() => {}); // leaving the loop has closed the stream
  });

  test('[P-16] a write waits while the stream is full', async () => {
    const sink = new SlowSink();
    const writer = new LineWriter(sink);
    await writer.writeText('x'.repeat(200));
    await turn();
    const second = writer.writeText('y');
    expect(await isPending(second)).toBe(true);
    await sink.takeAll();
    await second;
    expect(sink.chunks.join('')).toBe(`${'x'.repeat(200)}y`);
  });

  test('a writer that waits for each write holds little, whatever it writes', async () => {
    const sink = new SlowSink();
    const writer = new LineWriter(sink);
    let written = 0;
    const writing = (async () => {
      for (; written < 10_000; written++) await writer.write({ n: written, text: 'x'.repeat(100) });
    })();
    for (let i = 0; i < 10; i++) await turn();
    expect(written).toBeLessThan(2000);
    while (written < 10_000) await sink.takeAll().then(turn);
    await writing;
    const done = writer.flush();
    await sink.takeAll();
    await done;
    expect(sink.chunks.join('').trimEnd().split('\n')).toHaveLength(10_000);
  });

  test('[P-19] flush waits until all is taken, also when no write had to wait', async () => {
    const sink = new SlowSink();
    const writer = new LineWriter(sink);
    await writer.write({ a: 1 });
    const flushed = writer.flush();
    expect(await isPending(flushed)).toBe(true);
    await sink.takeAll();
    await flushed;
    expect(sink.chunks.join('')).toBe('{"a":1}\n');
    await writer.flush();
  });

  test('[P-19] flush after end waits for the end', async () => {
    const sink = new SlowSink();
    const writer = new LineWriter(sink);
    await writer.write({ a: 1 });
    writer.end();
    const flushed = writer.flush();
    expect(await isPending(flushed)).toBe(true);
    await sink.takeAll();
    await flushed;
    expect(sink.writableFinished).toBe(true);
  });

  test('what was written before end goes out; what comes after is rejected', async () => {
    const out = new PassThrough();
    const writer = new LineWriter(out);
    await writer.write({ a: 1 });
    writer.end();
    await expect(writer.write({ b: 2 })).rejects.toMatchObject({ code: 'closed' });
    const read: unknown[] = [];
    for await (const item of readLines(out)) read.push(item);
    expect(read).toEqual([{ a: 1 }]);
  });

  test('[P-15] a reader that is gone rejects the writes, waiting ones too, and is told', async () => {
    const sink = new SlowSink();
    const writer = new LineWriter(sink);
    const told: HeddleError[] = [];
    writer.onFailure((error) => told.push(error));
    await writer.writeText('x'.repeat(200));
    await turn();
    const waiting = expect(writer.writeText('y')).rejects.toMatchObject({ code: 'closed', cause: { code: 'EPIPE' } });
    sink.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await waiting;
    await expect(writer.writeText('z')).rejects.toMatchObject({ code: 'closed', cause: { code: 'EPIPE' } });
    expect(told.map(({ code }) => code)).toEqual(['closed']);
    await writer.flush();
  });

  test('a stream that is destroyed without an error rejects a waiting write, too', async () => {
    const sink = new SlowSink();
    const writer = new LineWriter(sink);
    await writer.writeText('x'.repeat(200));
    await turn();
    const waiting = expect(writer.writeText('y')).rejects.toMatchObject({ code: 'closed' });
    sink.destroy();
    await waiting;
  });

  test('[P-15] a pipe that nobody reads any more fails (EPIPE)', async () => {
    const script = "require('fs').closeSync(0); console.log('closed'); setInterval(() => {}, 1000)";
    const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const writer = new LineWriter(child.stdin);
    const failed = new Promise<HeddleError>((resolve) => writer.onFailure(resolve));
    await once(child.stdout, 'data');
    const write = async () => {
      for (;;) await (writer.write({ text: 'x'.repeat(10_000) }) ?? turn());
    };
    await expect(write()).rejects.toMatchObject({ code: 'closed', cause: { code: 'EPIPE' } });
    expect((await failed).message).toBe('The reader of the output is gone');
    await writer.flush();
    child.kill();
    await once(child, 'exit');
  });
});
