import { describe, expect, test } from 'vitest';
import { ByteLines } from '../../../src/sessions/files/byte-lines.ts';
import { recordsOfLine } from '../../../src/sessions/files/line-records.ts';
import { checkTranscript } from '../../../src/sessions/stored/check-transcript.ts';
import { planRepair } from '../../../src/sessions/stored/repair-transcript.ts';
import { HUGE_FILES } from '../../support/damage/sizes.ts';
import { DAMAGE_CORPUS } from '../../support/damage-corpus.ts';
import { nextRequest, restore } from '../../support/restored.ts';
import { assistant, call, user } from '../support.ts';

const line = (entry: object) => JSON.stringify(entry);
const MESSAGE = { id: 'a', type: 'message', role: 'assistant', model: 'm', stop_reason: null, stop_sequence: null };
const answer = (uuid: string, parent: string) => ({
  parentUuid: parent,
  type: 'assistant',
  message: { ...MESSAGE, content: [{ type: 'text', text: 'hi' }], usage: { input_tokens: 1, output_tokens: 1 } },
  uuid,
});

function check(text: string | Buffer) {
  const lines = new ByteLines();
  const loaded = [...lines.push(Buffer.from(text)), ...lines.end()].flatMap((each) => recordsOfLine(each));
  return checkTranscript(loaded).map(({ line: number, kind, isProblem }) => [number, kind, isProblem]);
}

function repair(text: string | Buffer) {
  const { bytes, repairs, refusal } = planRepair(Buffer.from(text));
  return { text: bytes.toString('latin1'), notes: repairs.map(({ line: at, text: note }) => [at, note]), refusal };
}

const whole = [line(user('u1', 'one')), line(answer('a1', 'u1')), line({ type: 'of-tomorrow', z: 1, a: [1.0] })];

describe('a check', () => {
  test('[K15] nothing to say about a whole file, also with kinds that nobody knows', () => {
    expect(check(`${whole.join('\n')}\n`)).toEqual([]);
  });

  test('[K15, S-4, S-10] damage, duplicates, lost parents and circles, each with its line', () => {
    const text = [
      line(user('u1', 'one')),
      'garbage',
      line(user('u1', 'one')),
      line(user('u2', 'two', { parent: 'gone' })),
      line(user('c1', 'x', { parent: 'c2' })) + line(user('c2', 'y', { parent: 'c1' })),
      '{"type":"user","torn',
    ].join('\n');
    expect(check(text)).toEqual([
      [2, 'damage', true],
      [3, 'duplicate', true],
      [4, 'missing_parent', true],
      [5, 'damage', true],
      [5, 'cycle', true],
      [6, 'damage', true],
    ]);
  });

  test('the shapes of kinds that are known', () => {
    const bad = [
      { ...user('u1', 'x'), message: { role: 'robot' } },
      { type: 'tag', tag: 5, sessionId: 's' },
    ];
    expect(check(bad.map(line).join('\n'))).toEqual([
      [1, 'shape', true],
      [2, 'shape', true],
    ]);
  });

  test('[SES-32] an old file, and calls that a resume will answer, are no problems', () => {
    const old = { type: 'user', message: { role: 'user', content: 'x' } };
    expect(check(line(old))).toEqual([[1, 'no_uuid', false]]);
    const open = assistant('a1', [call('t1')], { parent: 'u1' });
    expect(check([line(user('u1', 'x')), line(open)].join('\n'))).toContainEqual([0, 'unanswered', false]);
  });
});

describe('a repair', () => {
  test('changes nothing about a whole file', () => {
    const text = `${whole.join('\n')}\n`;
    expect(repair(text)).toEqual({ text, notes: [], refusal: null });
  });

  test('[S-15] whole lines stay byte for byte: spaces, escapes, order of keys, numbers, carriage returns', () => {
    const odd = '{ "z" : 1.0 , "type":"of-tomorrow", "big": 12345678901234567890, "e":"\\u00e9" }\r';
    const { text, notes } = repair(`garbage\n${odd}\n${whole[0]}`);
    expect(text).toBe(`${odd}\n${whole[0]}\n`);
    expect(notes).toEqual([
      [1, 'dropped 7 bytes: not JSON'],
      [3, 'ended with a line feed'],
    ]);
  });

  test('[K15] records are taken out of damaged lines; what goes is said', () => {
    const { text, notes } = repair(`\0\0\0${whole[0]}\n${whole[1]}${whole[2]}\n{"type":"user","torn`);
    expect(text).toBe(`${whole[0]}\n${whole[1]}\n${whole[2]}\n`);
    expect(notes).toEqual([
      [1, 'dropped 3 bytes: zero bytes beside the record'],
      [2, 'rewritten: 2 records on one line, all recovered'],
      [3, 'dropped 20 bytes: torn: the file ends inside this record'],
    ]);
  });

  test('[S-12] a uuid that comes again goes, and it is said when it was another message', () => {
    const { text, notes } = repair(`${whole[0]}\n${whole[0]}\n${line(user('u1', 'not the same'))}\n`);
    expect(text).toBe(`${whole[0]}\n`);
    expect(notes).toEqual([
      [2, 'dropped user u1: stored before (the same again)'],
      [3, 'dropped user u1: stored before (with another content, now only in the backup)'],
    ]);
  });

  test('[SES-16, SES-17] lost parents become what a resume takes for them; the rest of the line stays', () => {
    const lost = '{"parentUuid":"gone", "type":"user","message":{"role":"user","content":"x"},"uuid":"u9"}';
    const circle = line(user('c1', 'x', { parent: 'c1' }));
    const { text, notes } = repair(`${whole[0]}\n${lost}\n${circle}\n`);
    expect(text.split('\n').slice(1)).toEqual([
      lost.replace('"gone"', '"u1"'),
      circle.replace('"parentUuid":"c1"', '"parentUuid":"u9"'),
      '',
    ]);
    expect(notes).toEqual([
      [2, 'u9 hangs from u1 instead of gone'],
      [3, 'c1 hangs from u9 instead of c1'],
    ]);
    expect(check(text)).toEqual([]);
  });

  test('a repaired file has nothing left to repair', () => {
    const damaged = Buffer.concat([
      Buffer.from(`\ufeff${whole[0]}\r\n\n`),
      Buffer.from([0x7b, 0xff, 0xfe, 0x0a, 0, 0, 0, 0x0a]),
      Buffer.from(line(user('b1', 'bytes', { parent: 'u1' })).replace('bytes', 'by\u0001tes')),
      Buffer.from(`${whole[1]}{"half\n${line(user('u2', 'on', { parent: 'nowhere' }))}`),
    ]);
    const once = planRepair(damaged);
    expect(once.refusal).toBeNull();
    expect(planRepair(once.bytes)).toEqual({ bytes: once.bytes, repairs: [], refusal: null });
  });
});

describe('[K15] a repaired session is read as the damaged one was', () => {
  // Reading the huge ones takes long enough once.
  test.each(DAMAGE_CORPUS.filter((each) => !HUGE_FILES.includes(each)))('$name', ({ make }) => {
    const damaged = make();
    const { bytes, refusal } = planRepair(damaged);
    expect(refusal).toBeNull();
    expect(nextRequest(restore(bytes))).toEqual(nextRequest(restore(damaged)));
    expect(planRepair(bytes).repairs).toEqual([]);
    expect(restore(bytes).tree.findings.filter(({ kind }) => kind === 'damage' || kind === 'duplicate')).toEqual([]);
  });
});
