import assert from 'node:assert/strict';
import type { JsonObject } from '../util/json.ts';
import { HeddleError } from '../wire/errors.ts';
import type { Transport } from '../wire/link/transport.ts';
import { LineReader, type MakePair, type PairCheck, pause, soon, withOpenPair } from './linked-pair.ts';

export interface TransportCase {
  name: string;
  /** Rejects when the transport breaks its contract. `makePair` returns a fresh pair each time. */
  run(makePair: MakePair): Promise<void>;
}

/**
 * The contract of a Transport, as cases for any test framework.
 *
 * @example
 * ```ts
 * import { test } from 'vitest';
 * import type { MakePair } from 'heddle/testing';
 *
 * declare const makePair: MakePair; // your transport, and the means to drive it from its other end
 *
 * for (const { name, run } of transportCases()) test(name, () => run(makePair));
 * ```
 */
export function transportCases(): TransportCase[] {
  const pairCases = { ...lineCases, ...byteCases, ...pressureCases, ...endCases };
  return [
    { name: '[TRN-01, TRN-06] is ready between connect and close', run: checkReadiness },
    ...Object.entries(pairCases).map(([name, check]) => ({
      name,
      run: (makePair: MakePair) => withOpenPair(makePair, check),
    })),
  ];
}

async function checkReadiness(makePair: MakePair): Promise<void> {
  const { near, accept, dispose } = await makePair();
  try {
    assert.equal(near.isReady(), false, 'before connect');
    await soon(near.connect(), 'connect');
    assert.equal(near.isReady(), true, 'after connect');
    const far = await soon(accept(), 'the far end');
    near.endInput();
    assert.equal(near.isReady(), true, 'after endInput: it still reads');
    const closing = near.close();
    assert.equal(near.isReady(), false, 'after close');
    await soon(closing, 'close');
    await soon(far.close(), 'close of the far end');
  } finally {
    await dispose?.();
  }
}

const lineCases: Record<string, PairCheck> = {
  '[TRN-02] a line arrives as it was written, either way': async ({ near, far }) => {
    const lines = [
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'hi' }] } },
      { text: 'é 漢 😀 \u0000 \n \r\n \\ "', list: [1.5, -0.1, 1e21, true, null, [], {}], '': 0 },
      {},
    ];
    await deliver(near, far, lines);
    await deliver(far, near, lines);
  },

  '[P-14] U+2028 and U+2029 stay inside their line': ({ near, far }) =>
    deliver(near, far, [{ text: 'a\u2028b\u2029c\u0085d\ve\ff' }, { text: 'next' }]),

  'a line of 5 MB arrives whole, either way': async ({ near, far }) => {
    const large = { text: 'warp ü weft '.repeat(400_000) };
    await deliver(near, far, [large, { after: true }]);
    await deliver(far, near, [large, { after: true }]);
  },

  '[ARC-08] 100 concurrent writes arrive whole and in order': ({ near, far }) =>
    deliver(
      near,
      far,
      numbered(100, (n) => 'x'.repeat((n * 7919) % 20_000)),
    ),

  '[TRN-03] lines are read while others are written': async ({ near, far }) => {
    const lines = numbered(1000);
    await Promise.all([deliver(near, far, lines), deliver(far, near, lines)]);
  },

  'lines that came before the reader are kept': async ({ near, far }) => {
    for (const line of numbered(3)) await far.write(line);
    await soon(far.close(), 'close');
    await pause(50);
    assert.deepEqual(await new LineReader(near).rest(), numbered(3));
  },
};

const byteCases: Record<string, PairCheck> = {
  '[TRN-10, P-11] bytes may be cut anywhere: inside a character, a CRLF, a mark': async ({ near, sendBytes }) => {
    if (!sendBytes) return;
    const bytes = Buffer.from('\ufeff{"a":"é漢😀"}\r\n\n  \r\n{"b":2}\n{"c":3}');
    const cut = (async () => {
      for (const byte of bytes) await sendBytes(Uint8Array.of(byte));
      await sendBytes(Buffer.from('\n'));
    })();
    assert.deepEqual(await new LineReader(near).lines(3), [{ a: 'é漢😀' }, { b: 2 }, { c: 3 }]);
    await cut;
  },

  '[P-1] a line that cannot be read is an error, and reading goes on': async ({ near, sendBytes }) => {
    if (!sendBytes) return;
    const bad = ['not json', '{"half":', '7', 'null', '[1]', '"text"', '\0', '{"a":1}{"b":2}', '\xff\xfe'];
    const reader = new LineReader(near);
    for (const text of bad) {
      await sendBytes(Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from('\n{"good":true}\n')]));
      const item = await reader.item();
      assert.ok(HeddleError.isInstance(item), `${JSON.stringify(text)} was read as ${JSON.stringify(item)}`);
      assert.ok(item.code === 'json_decode' || item.code === 'message_parse', `wrong code: ${item.code}`);
      assert.deepEqual(await reader.line(), { good: true });
    }
  },
};

const LINE_16K = 'x'.repeat(16 * 1024);
/** A transport that accepts this many lines of 16 KB without a reader has no back-pressure. */
const TOO_MANY = 2000;

const pressureCases: Record<string, PairCheck> = {
  '[P-16] a write waits while nobody reads, and nothing is lost': async ({ near, far }) => {
    const { written, last } = await writeUntilStalled(near);
    const reader = new LineReader(far);
    for (let n = 0; n < written; n++) assert.equal((await reader.line()).n, n);
    await soon(last, 'the write that waited');
  },

  'a reader that stops holds the far end back, too': async ({ near, far }) => {
    const { written, last } = await writeUntilStalled(far);
    const reader = new LineReader(near);
    for (let n = 0; n < written; n++) assert.equal((await reader.line()).n, n);
    await soon(last, 'the write that waited');
  },

  'a write that waits settles when the far end goes': async ({ near, far }) => {
    const { last } = await writeUntilStalled(near);
    const settled = Promise.allSettled([last]);
    await soon(far.close(), 'close');
    await soon(settled, 'the write that waited');
    await assertClosedSoon(near);
  },
};

const endCases: Record<string, PairCheck> = {
  '[TRN-04, TRN-07] endInput lets the far end finish: it reads all, and its last lines arrive': async (pair) => {
    const { near, far } = pair;
    for (const line of numbered(3)) await near.write(line);
    near.endInput();
    assert.deepEqual(await new LineReader(far).rest(), numbered(3));
    const reading = new LineReader(near).rest();
    for (const line of numbered(2000)) await far.write(line);
    await soon(far.close(), 'close of the far end');
    assert.deepEqual(await reading, numbered(2000));
    if (pair.crash) assert.equal((await soon(near.exit, 'the exit')).code, 0);
  },

  '[TRN-05, TRN-07] close ends a far end that goes on': async ({ near, far }) => {
    await soon(near.close(), 'close');
    assert.deepEqual(await new LineReader(far).rest(), []);
    await assertClosedSoon(far);
  },

  '[TRN-03] close ends a reader that waits': async ({ near, far }) => {
    const reader = new LineReader(near);
    await far.write({ first: true });
    await reader.line();
    const rest = reader.rest();
    await soon(near.close(), 'close');
    assert.deepEqual(await rest, []);
  },

  'a write after endInput or close is rejected as closed': async ({ near }) => {
    near.endInput();
    await assertClosed(near);
    await soon(near.close(), 'close');
    await assertClosed(near);
  },

  'endInput and close may be repeated': async ({ near }) => {
    near.endInput();
    near.endInput();
    const exits = await soon(Promise.all([near.close(), near.close()]), 'close');
    near.endInput();
    assert.deepEqual(await soon(near.close(), 'close'), exits[0]);
  },

  'exit resolves once, with what close tells': async ({ near }) => {
    const exit = await soon(near.close(), 'close');
    assert.deepEqual(await soon(near.exit, 'the exit'), exit);
    assert.equal(await near.exit, await near.exit);
  },

  '[ERR-04] exit tells the code and the stderr of a far end that died': async ({ near, crash }) => {
    if (!crash) return;
    const reader = new LineReader(near);
    await crash(3, 'first line\nthe loom is broken\n');
    assert.deepEqual(await reader.rest(), []);
    const exit = await soon(near.exit, 'the exit');
    assert.equal(exit.code, 3);
    assert.match(exit.stderr, /the loom is broken/);
    await assertClosedSoon(near);
  },
};

/** Writes all lines at once and asserts that the other end reads exactly them. */
async function deliver(from: Transport, to: Transport, lines: readonly JsonObject[]): Promise<void> {
  const writing = Promise.all(lines.map((line) => from.write(line)));
  const read = await new LineReader(to).lines(lines.length);
  await soon(writing, 'the writes');
  assert.deepEqual(read, lines);
}

function numbered(count: number, text: (n: number) => string = () => ''): JsonObject[] {
  return Array.from({ length: count }, (_, n) => ({ n, text: text(n) }));
}

/** Writes line after line, each once the one before was accepted, until one has to wait: `last`. */
async function writeUntilStalled(to: Transport): Promise<{ written: number; last: Promise<void> }> {
  for (let n = 0; n < TOO_MANY; n++) {
    const last = Promise.resolve(to.write({ n, text: LINE_16K }));
    const stalled = await Promise.race([last.then(() => false), pause(150).then(() => true)]);
    if (stalled) return { written: n + 1, last };
  }
  throw new assert.AssertionError({ message: `took ${TOO_MANY} lines of 16 KB that nobody reads` });
}

async function assertClosed(transport: Transport): Promise<void> {
  const error = await failureOf(transport);
  assert.ok(HeddleError.isInstance(error) && error.code === 'closed', `expected a rejection as closed, got ${error}`);
}

/** The end of the far end may be noticed a moment later; then every write is rejected. */
async function assertClosedSoon(transport: Transport): Promise<void> {
  for (let tries = 0; tries < 100 && !(await failureOf(transport)); tries++) await pause(20);
  await assertClosed(transport);
}

async function failureOf(transport: Transport): Promise<unknown> {
  const writing = (async () => transport.write({ type: 'probe' }))();
  return soon(
    writing.then(
      () => null,
      (error: unknown) => error,
    ),
    'a write to a closed transport',
  );
}
