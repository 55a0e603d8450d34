import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordsOfLine } from '../../../src/sessions/files/line-records.ts';
import { user } from '../support.ts';

function read(text: string) {
  const bytes = Buffer.from(text);
  const records = recordsOfLine({ bytes, length: bytes.length, number: 7, ended: true });
  return {
    uuids: records.flatMap((record) => ('entry' in record ? [record.entry.uuid] : [])),
    damage: records.flatMap((record) => ('damage' in record ? [record.damage] : [])),
  };
}

const one = JSON.stringify(user('one', 'with } and { and "quotes" \\ inside'));
const two = JSON.stringify(user('two', [{ type: 'text', text: '}{"type":"user"}' }]));

describe('[S-11] records glued on one line', () => {
  test.each([
    ['two whole records', one + two, ['one', 'two'], 0],
    ['three whole records', one + two + JSON.stringify(user('three', 'x')), ['one', 'two', 'three'], 0],
    ['spaces between', `${one}  ${two}`, ['one', 'two'], 0],
    ['NUL between', `${one}\0\0\0${two}`, ['one', 'two'], 0],
    ['a torn record before', one.slice(0, 60) + two, ['two'], 60],
    ['torn inside a string', one.slice(0, one.indexOf('quotes')) + two, ['two'], one.indexOf('quotes')],
    ['a torn record behind', one + two.slice(0, -10), ['one'], two.length - 10],
    ['torn right behind a nested object', one + two.slice(0, two.lastIndexOf('"}]')) + two, ['one', 'two'], undefined],
    ['garbage behind', `${one}garbage`, ['one'], 7],
  ])('%s', (_, text, uuids, bytes) => {
    const { uuids: found, damage } = read(text);
    expect(found).toEqual(uuids);
    expect(damage).toHaveLength(1);
    if (bytes !== undefined) expect(damage[0]?.bytes).toBe(bytes);
  });

  test('a nested object of a torn record is not taken for an entry', () => {
    for (let cut = 1; cut < two.length; cut++) expect(read(two.slice(0, cut)).uuids).toEqual([]);
  });

  test('any number of any records, glued, all come back', () => {
    const entry = fc.record({ type: fc.string(), uuid: fc.uuid(), data: fc.jsonValue() });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 2, maxLength: 6 }), (entries) => {
        const { uuids } = read(entries.map((e) => JSON.stringify(e)).join(''));
        expect(uuids).toEqual(entries.map((e) => e.uuid));
      }),
      { numRuns: 200 },
    );
  });

  test('a long line of braces costs no quadratic time', () => {
    const started = performance.now();
    read('{"'.repeat(400_000));
    read(`${'{"a":'.repeat(200_000)}`);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test('a line too long to be kept is reported with its length', () => {
  expect(recordsOfLine({ bytes: null, length: 9, number: 2, ended: true })).toEqual([
    { damage: { line: 2, reason: 'too long to be read', bytes: 9 } },
  ]);
});
