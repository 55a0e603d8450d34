import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseReader, type SseEvent } from '../../../src/model/http/sse.ts';

function read(...chunks: (string | Buffer)[]): SseEvent[] {
  const reader = createSseReader();
  return chunks.flatMap((chunk) => reader.push(Buffer.from(chunk as string)));
}

describe('createSseReader', () => {
  it.each([
    ['a named event', 'event: ping\ndata: {}\n\n', [{ event: 'ping', data: '{}' }]],
    ['several data lines', 'data: a\ndata: b\n\n', [{ data: 'a\nb' }]],
    ['CRLF', 'event: x\r\ndata: a\r\n\r\n', [{ event: 'x', data: 'a' }]],
    ['lone CR', 'data: a\r\rdata: b\r\r', [{ data: 'a' }, { data: 'b' }]],
    ['no space after the colon', 'event:x\ndata:a\n\n', [{ event: 'x', data: 'a' }]],
    ['only one space is dropped', 'data:  a\n\n', [{ data: ' a' }]],
    ['comments and other fields', ': hi\nid: 7\nretry: 5\nfoo\ndata: a\n\n', [{ data: 'a' }]],
    ['a byte order mark', '\ufeffdata: a\n\n', [{ data: 'a' }]],
    ['an empty data line', 'data\n\ndata:\n\n', [{ data: '' }, { data: '' }]],
    ['an event without data', 'event: x\n\ndata: a\n\n', [{ data: 'a' }]],
    ['an event that the end leaves open', 'data: a\n\ndata: b\n', [{ data: 'a' }]],
    ['line separators inside data', 'data: a\u2028b\n\n', [{ data: 'a\u2028b' }]],
  ])('[M-8] reads %s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it('[M-8] gives the same events however the bytes are cut', () => {
    const line = fc.oneof(
      fc.constantFrom('event: x', 'event: ping', ': comment', 'data:', 'data', 'id: 1', ''),
      fc.string({ unit: 'binary', maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    );
    const body = fc
      .tuple(fc.boolean(), fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 }))
      .map(([bom, lines]) => (bom ? '\ufeff' : '') + lines.map((parts) => parts.join('')).join(''));
    fc.assert(
      fc.property(body, fc.array(fc.nat(200), { maxLength: 40 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(read(...chunks)).toEqual(read(bytes));
      }),
      { numRuns: 200 },
    );
  });

  it('[M-6] tells a keep-alive from the bytes of a real event', () => {
    const reader = createSseReader();
    const pushed = (text: string) => {
      reader.push(Buffer.from(text));
      return reader.inEvent;
    };
    expect(pushed('event: pi')).toBe(false);
    expect(pushed('ng\ndata: {"ty')).toBe(false);
    expect(pushed('pe":"ping"}\n\n: still here\n\n')).toBe(false);
    expect(pushed('event: content_block_delta\n')).toBe(true);
    expect(pushed('data: {')).toBe(true);
    expect(pushed('}\n\n')).toBe(false);
  });

  it('[M-12] reads one event of 20 MB in small chunks without slowing down', () => {
    const bytes = Buffer.from(`data: ${'x'.repeat(20_000_000)}\n\n`);
    const reader = createSseReader();
    const events: SseEvent[] = [];
    for (let at = 0; at < bytes.length; at += 16_384) events.push(...reader.push(bytes.subarray(at, at + 16_384)));
    expect(events[0]?.data.length).toBe(20_000_000);
    expect(reader.pendingBytes).toBe(0);
  });
});
