import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRecent } from '../../../src/sessions/files/transcript-tail.ts';
import type { RecentPart } from '../../../src/sessions/store.ts';
import type { Entry } from '../../../src/wire/entries.ts';
import { tempDir, user } from '../support.ts';

const MB = 1024 * 1024;

const boundary = (uuid: string, more = {}): Entry => {
  return { parentUuid: null, logicalParentUuid: 'x', type: 'system', subtype: 'compact_boundary', uuid, ...more };
};

function fileOf(...lines: (Entry | string)[]): string {
  const path = join(tempDir(), 'session.jsonl');
  writeFileSync(path, '');
  for (const line of lines) appendFileSync(path, `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  return path;
}

const uuidsIn = (part: RecentPart | null) => part?.loaded.map((item) => ('entry' in item ? item.entry.uuid : 'damage'));

const lastMode = async (part: RecentPart | null) => (await part?.lastBefore(['mode']))?.get('mode');

describe('the end of a transcript', () => {
  test('begins with its last boundary', async () => {
    const path = fileOf(user('a', 'a'), boundary('b1'), user('c', 'c'), boundary('b2'), user('d', 'd'));
    expect(uuidsIn(await readRecent(path))).toEqual(['b2', 'd']);
  });

  test('is null without a boundary, without a file, and in an empty file', async () => {
    expect(await readRecent(fileOf(user('a', 'the word "compact_boundary" alone')))).toBeNull();
    expect(await readRecent(fileOf())).toBeNull();
    expect(await readRecent(join(tempDir(), 'none.jsonl'))).toBeNull();
  });

  test('a boundary of a subagent, in a message or in data is none', async () => {
    const data = { ...user('b', 'x'), toolUseResult: { type: 'system', subtype: 'compact_boundary', uuid: 'n' } };
    const path = fileOf(
      boundary('real'),
      data,
      boundary('side', { isSidechain: true }),
      user('c', '"compact_boundary"'),
    );
    expect(uuidsIn(await readRecent(path))).toEqual(['real', 'b', 'side', 'c']);
  });

  test('many lines that only mention a boundary cost a look each', async () => {
    const mention = (i: number) => ({ ...user(`u${i}`, 'x'), data: Array(20).fill({ subtype: 'compact_boundary' }) });
    const path = fileOf(boundary('real'), ...Array.from({ length: 3000 }, (_, i) => mention(i)));
    const started = performance.now();
    expect((await readRecent(path))?.loaded).toHaveLength(3001);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test.each([-200, -40, -12, -5, -1, 0, 1, 7, 30, 300])('a boundary at the border of a block (%i)', async (shift) => {
    // The last block begins exactly one megabyte before the end.
    const behind = (size: number) => user('d', 'ü'.repeat(size / 2));
    const rest = MB - Buffer.byteLength(JSON.stringify(behind(0))) - 1 + shift;
    const path = fileOf(user('a', 'x'.repeat(2 * MB)), { type: 'mode', mode: 'plan' }, boundary('b'), behind(rest));
    const part = await readRecent(path);
    expect(uuidsIn(part)).toEqual(['b', 'd']);
    expect(await lastMode(part)).toEqual({ type: 'mode', mode: 'plan' });
  });

  test('a line of many blocks is passed over', async () => {
    const long = user('long', `${'x'.repeat(3 * MB)} compact_boundary`);
    const path = fileOf(boundary('b'), { ...long, note: { subtype: 'compact_boundary' } }, user('d', 'd'));
    expect(uuidsIn(await readRecent(path))).toEqual(['b', 'long', 'd']);
  });

  test('damage behind the boundary comes along', async () => {
    expect(uuidsIn(await readRecent(fileOf(boundary('b'), '{"torn', user('c', 'c'))))).toEqual(['b', 'damage', 'c']);
  });
});

describe('what stands before the boundary', () => {
  test('the last entry of a type, not a mention of it, also on a glued line', async () => {
    const path = fileOf(
      { type: 'mode', mode: 'first' },
      `${JSON.stringify({ type: 'mode', mode: 'glued' })}${JSON.stringify(user('a', 'a'))}`,
      { ...user('b', 'b'), note: { type: 'mode', mode: 'nested' } },
      boundary('c'),
      { type: 'mode', mode: 'behind' },
    );
    const part = await readRecent(path);
    expect(await part?.lastBefore(['mode', 'cost-state'])).toEqual(
      new Map([['mode', { type: 'mode', mode: 'glued' }]]),
    );
  });

  test('a word counts only before it', async () => {
    const part = await readRecent(fileOf(user('a', ['Read']), boundary('b'), user('c', ['TodoWrite'])));
    expect(await part?.mentionedBefore('"Read"')).toBe(true);
    expect(await part?.mentionedBefore('"TodoWrite"')).toBe(false);
  });

  test('what is appended later changes nothing, and a file that is gone holds nothing', async () => {
    const path = fileOf({ type: 'mode', mode: 'plan' }, boundary('b'));
    const part = await readRecent(path);
    appendFileSync(path, `${JSON.stringify({ type: 'mode', mode: 'late' })}\n`);
    expect(await lastMode(part)).toEqual({ type: 'mode', mode: 'plan' });
    writeFileSync(path, '');
    expect(await lastMode(part)).toBeUndefined();
    expect(await part?.mentionedBefore('plan')).toBe(false);
  });
});
