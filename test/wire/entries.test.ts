import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Entry, type EntryOf, entrySchemas, parseEntry, readEntry } from '../../src/wire/entries.ts';
import { recordedLines } from './recordings.ts';

const recorded = [...recordedLines('session'), ...recordedLines('subagent')];
const isKnown = (type: string): type is keyof typeof entrySchemas => Object.hasOwn(entrySchemas, type);

describe('parseEntry', () => {
  test('[SES-10] keeps every recorded entry as it is, of unknown kinds too', () => {
    expect(recorded.length).toBeGreaterThan(50);
    expect(recorded.some(({ line }) => !isKnown(String(line.type)))).toBe(true);
    for (const { name, line } of recorded) {
      const parsed = parseEntry(line);
      expect(parsed.ok && parsed.entry, name).toBe(line);
    }
  });

  test('refuses what is no entry', () => {
    for (const value of [null, 'user', [], {}, { type: 1 }]) expect(parseEntry(value).ok).toBe(false);
  });
});

describe('readEntry', () => {
  test('[SES-04] [SES-05] [SES-09] recorded entries have the shape of their kind', () => {
    const seen = new Set<string>();
    for (const { name, line } of recorded) {
      const entry = line as Entry;
      if (!isKnown(entry.type)) continue;
      seen.add(entry.type);
      expect(readEntry(entry.type, entry), `${name} ${entry.type}`).toMatchObject({ ok: true });
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['user', 'assistant', 'system', 'attachment', 'file-history-snapshot', 'queue-operation']),
    );
  });

  test.each([
    ['[SES-06]', { type: 'summary', summary: 'About trees', leafUuid: 'u1' }],
    ['[SES-07]', { type: 'custom-title', customTitle: 'T', sessionId: 's' }],
    ['[SES-08]', { type: 'tag', tag: '', sessionId: 's' }],
  ] as const)('%s entries outside the chain', (_row, entry) => {
    expect(readEntry(entry.type, entry)).toEqual({ ok: true, entry });
  });

  test('[SES-02] a node needs uuid and parentUuid, and null is a root', () => {
    const root = { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: 'hi' } };
    expect(readEntry('user', root).ok).toBe(true);
    const rootless = readEntry('user', { ...root, parentUuid: undefined });
    expect(!rootless.ok && rootless.error.message).toContain('user entry: parentUuid: expected string');
  });
});

test('types: entries keep what they are not declared to have', () => {
  expectTypeOf<Entry['type']>().toEqualTypeOf<string>();
  expectTypeOf<Entry['anything']>().toBeUnknown();
  expectTypeOf<EntryOf<'custom-title'>['customTitle']>().toEqualTypeOf<string>();
});
