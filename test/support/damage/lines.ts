import type { Entry } from '../../../src/wire/entries.ts';
import { ALL, type DamageCase, file, lineOf, outcome, story, without, wordsOf } from './story.ts';

const whole = () => file(story());
const lines = () => story().map(lineOf);
const lineAt = (uuid: string) => story().findIndex((entry) => entry.uuid === uuid);

/** Something was done to the bytes: by a crash, a full disk, an editor, a tool for merging. */
export const DAMAGED_LINES: readonly DamageCase[] = [
  torn('after its first byte', 'z3', () => 1, without('done-3')),
  torn('in the middle', 'z3', (length) => Math.floor(length / 2), without('done-3')),
  torn('before its last brace', 'z3', (length) => length - 2, without('done-3')),
  { name: 'no line feed at the end', make: () => whole().subarray(0, -1), kept: ALL },
  torn('with the result of the second call', 'rb3', half, without('out-b3', 'done-3'), 1),
  torn('with the result of the first call', 'ra3', half, without('out-a3', 'out-b3', 'done-3'), 2),
  torn('with the second call', 'b3', half, without('out-a3', 'out-b3', 'done-3'), 1),
  torn('with the first call', 'a3', half, without('out-a3', 'out-b3', 'done-3')),
  torn('with a thought', 'h3', half, without('say-3', 'out-a3', 'out-b3', 'done-3')),
  torn('with a prompt', 'p3', half, without('ask-3', 'say-3', 'out-a3', 'out-b3', 'done-3')),
  {
    name: 'torn inside a character',
    make: () => {
      const last = Buffer.from(lineOf(outcome('rb3', 'b3', 'toolu_b3', 'gone 漢')));
      return Buffer.concat([file(story().slice(0, lineAt('rb3'))), last.subarray(0, last.indexOf('漢') + 2)]);
    },
    kept: without('out-b3', 'done-3'),
    said: ['damage'],
    interrupted: 1,
  },
  inserted('garbage between lines', '%%% not of this world \u0007\u001b[31m %%%\n'),
  inserted('half a line between lines', `${lineOf(story()[3] as Entry).slice(0, 120)}\n`),
  inserted('scalars on lines', '1\n"x"\nnull\ntrue\n-0.5e9\n'),
  inserted('arrays on lines', '[]\n[1,2]\n[{"type":"user"}]\n'),
  inserted('objects that are no entries', '{}\n{"uuid":"p9"}\n{"type":5}\n{"type":null}\n'),
  inserted('a line of zero bytes', `${'\0'.repeat(4096)}\n`),
  inserted('zero bytes before a record', '\0'.repeat(4096)),
  inserted('marks of a merge', '<<<<<<< ours\n=======\n>>>>>>> theirs\n'),
  inserted('a log line that went astray', 'Debugger attached.\n(node:1) Warning: something\n'),
  inserted('half a record, and the next one glued to it', '{"type":"user","message":{"role":"us'),
  { ...inserted('blank lines', '\n\n   \n\t\n\r\n'), said: [] },
  bytes('two records on one line', () => glued(lineAt('ra1'), 2), ['damage']),
  bytes('five records on one line', () => glued(lineAt('p2'), 5), ['damage']),
  bytes('the whole file on one line', () => whole().toString().replaceAll('\n', ''), ['damage']),
  bytes('lines that end in a carriage return and a line feed', () => whole().toString().replaceAll('\n', '\r\n')),
  bytes('lines that end in a carriage return', () => whole().toString().replaceAll('\n', '\r'), ['damage']),
  bytes('a byte order mark', () => `\ufeff${whole()}`),
  bytes('a byte order mark on every line', () =>
    lines()
      .map((line) => `\ufeff${line}`)
      .join(''),
  ),
  bytes('spaces around every record', () =>
    lines()
      .map((line) => ` \t ${line.trimEnd()}  \n`)
      .join(''),
  ),
  bytes('commas behind the records, as in a list', () => `[\n${lines().join('').replaceAll('\n', ',\n')}]\n`, [
    'damage',
  ]),
  bytes('zero bytes at the end', () => `${whole()}${'\0'.repeat(9000)}`, ['damage']),
  bytes('a space after every colon of the envelope', () =>
    lines()
      .map((line) => line.replace(/"(uuid|parentUuid|type)":/g, '"$1" : '))
      .join(''),
  ),
  bytes(
    'every line twice',
    () =>
      lines()
        .map((line) => line + line)
        .join(''),
    ['duplicate'],
  ),
  bytes('the whole file twice', () => `${whole()}${whole()}`, ['duplicate']),
  bytes('the last line twice', () => `${whole()}${lines().at(-1)}`, ['duplicate']),
  bytes('the beginning again at the end', () => `${whole()}${lines().slice(0, 9).join('')}`, ['duplicate']),
  bytes('lines in the opposite order', () => lines().reverse().join('')),
  bytes('lines in the order of the alphabet', () => lines().sort().join('')),
  {
    name: 'invalid UTF-8 in a text',
    make: () => spoilt(whole(), 'say-2', 0),
    kept: without('say-2'),
    said: ['damage'],
  },
  {
    name: 'invalid UTF-8 in the uuid of an entry that others hang from',
    make: () => spoilt(whole(), '"uuid":"z1"', 8),
    kept: ALL,
    said: ['damage', 'missing_parent'],
  },
  {
    name: 'the beginning is lost, inside a line',
    make: () => whole().subarray(whole().indexOf('"uuid":"z1"')),
    kept: ALL.slice(5),
    said: ['damage', 'missing_parent'],
  },
  {
    name: 'a block of zero bytes over the end of one line and the beginning of the next',
    make: () => {
      const found = whole();
      const from = found.indexOf('say-2');
      return found.fill(0, from, found.indexOf('toolu_a2', from) + 4);
    },
    // The call is lost with its line; what it found stays, behind the result of the other one.
    kept: [...wordsOf(1), 'ask-2', 'out-b2', 'out-a2', 'done-2', ...wordsOf(3)],
    said: ['damage', 'missing_parent'],
  },
  {
    name: 'a raw line feed in the middle of a record',
    make: () => Buffer.from(whole().toString().replace('say-2', 'say\n-2')),
    kept: without('say-2'),
    said: ['damage', 'missing_parent'],
  },
];

function half(length: number): number {
  return Math.floor(length / 2);
}

/** The file ends inside the line of an entry. */
function torn(
  name: string,
  uuid: string,
  keep: (length: number) => number,
  kept: string[],
  interrupted = 0,
): DamageCase {
  const make = () => {
    const last = lines()[lineAt(uuid)] ?? '';
    return Buffer.from(lines().slice(0, lineAt(uuid)).join('') + last.slice(0, keep(last.length)));
  };
  return { name: `torn ${name}`, make, kept, said: ['damage'], interrupted };
}

/** Something stands between two turns, and between a call and its result. */
function inserted(name: string, bytes: string): DamageCase {
  const before = new Set([lineAt('p2'), lineAt('rb2')]);
  const make = () =>
    Buffer.from(
      lines()
        .map((line, at) => (before.has(at) ? bytes + line : line))
        .join(''),
    );
  return { name, make, kept: ALL, said: ['damage'] };
}

/** Nothing is lost, whatever was done. */
function bytes(name: string, make: () => string, said: DamageCase['said'] = []): DamageCase {
  return { name, make: () => Buffer.from(make()), kept: ALL, said };
}

/** The line at an index and those behind it, without their line feeds. */
function glued(at: number, count: number): string {
  return lines()
    .map((line, index) => (index >= at && index < at + count - 1 ? line.trimEnd() : line))
    .join('');
}

function spoilt(found: Buffer, after: string, offset: number): Buffer {
  found[found.indexOf(after) + offset] = 0xff;
  return found;
}
