import type { Entry } from '../../../src/wire/entries.ts';
import {
  ALL,
  answer,
  block,
  call,
  changed,
  type DamageCase,
  file,
  lineOf,
  outcome,
  progress,
  prompt,
  story,
  text,
  until,
  without,
  wordsOf,
} from './story.ts';

const MEGABYTE = 1024 * 1024;

/** Files that are larger, deeper or wider than any program expects. */
export const HUGE_FILES: readonly DamageCase[] = [
  {
    name: 'a line of 100 MB',
    make: () => file(changed({ ra2: { toolUseResult: { stdout: 'x'.repeat(100 * MEGABYTE) } } })),
    kept: ALL,
  },
  {
    name: 'a torn line of 100 MB',
    make: () =>
      Buffer.concat([
        file(until('ra3')),
        Buffer.from(`{"type":"user","uuid":"rb3","x":"${'x'.repeat(100 * MEGABYTE)}`),
      ]),
    kept: without('out-b3', 'done-3'),
    said: ['damage'],
    interrupted: 1,
  },
  {
    name: 'a line of 5 MB of nothing but open braces',
    make: () =>
      Buffer.concat([
        file(until('z2')),
        Buffer.from(`${'{"a":'.repeat(MEGABYTE)}\n`),
        file(story().slice(until('z2').length)),
      ]),
    kept: ALL,
    said: ['damage'],
  },
  {
    name: 'nesting of 50,000 beside a message',
    make: () => nested(lineOf(story()[0] as Entry).replace('{', `{"deep":${deep('[', ']')},`)),
    kept: ALL,
  },
  {
    name: 'nesting of 50,000 in the input of a call',
    make: () =>
      Buffer.from(
        file(story())
          .toString()
          .replace('"run toolu_a2"', deep('{"a":', '}', '1')),
      ),
    kept: ALL,
  },
  {
    name: 'nesting of 50,000 in an unknown entry',
    make: () =>
      Buffer.concat([file(story()), Buffer.from(`{"type":"x","uuid":"k1","parentUuid":"z3","x":${deep('[', ']')}}\n`)]),
    kept: ALL,
  },
  {
    name: 'torn nesting of 50,000',
    make: () => Buffer.concat([file(story()), Buffer.from(`{"type":"x","x":${'[{"y":'.repeat(50_000)}`)]),
    kept: ALL,
    said: ['damage'],
  },
  {
    name: 'a chain of 20,000 messages',
    make: () => file(chain(20_000)),
    kept: ['<0>', '<9999>', '<19999>'],
  },
  {
    name: 'a chain of 20,000 orphans',
    make: () => file(chain(20_000).map((entry) => ({ ...entry, parentUuid: `lost-${entry.uuid}` }))),
    kept: ['<0>', '<9999>', '<19999>'],
    said: ['missing_parent'],
  },
  {
    name: 'a circle of 20,000 messages',
    make: () => file(chain(20_000).map((entry, at) => (at === 0 ? { ...entry, parentUuid: 'm19999' } : entry))),
    kept: ['<0>', '<9999>', '<19999>'],
    said: ['cycle'],
  },
  {
    name: 'a chain of 20,000 messages, the last one first',
    make: () => file(chain(20_000).reverse()),
    kept: ['<0>', '<9999>', '<19999>'],
  },
  {
    name: '20,000 branches',
    make: () =>
      file([
        ...until('z2'),
        ...many(20_000, (at) => prompt(`k${at}`, 'z2', `branch <${at}>`)),
        ...story().slice(until('z2').length),
      ]),
    kept: ALL,
    left: ['branch'],
  },
  {
    name: '20,000 roots',
    make: () => file([...many(20_000, (at) => prompt(`k${at}`, null, `root <${at}>`)), ...story()]),
    kept: ALL,
    left: ['root'],
  },
  {
    name: 'the same line 20,000 times',
    make: () => Buffer.from(file(story()) + lineOf(story()[3] as Entry).repeat(20_000)),
    kept: ALL,
    said: ['duplicate'],
  },
  {
    name: '150,000 entries of progress in one answer',
    make: () => {
      const last = `k${149_999}`;
      const steps = many(150_000, (at) => progress(`k${at}`, at === 0 ? 'b3' : `k${at - 1}`));
      return file([...until('b3'), ...steps, ...changed({ rb3: { parentUuid: last } }).slice(until('b3').length)]);
    },
    kept: ALL,
  },
  {
    name: 'a message of 150,000 blocks',
    make: () =>
      file(
        replaced(
          'p2',
          many(150_000, (at) => text(at === 77 ? 'ask-2' : '.')),
        ),
      ),
    kept: ALL,
  },
  {
    name: '3,000 parallel calls, every third without a result',
    make: () => {
      const calls = many(3000, (at) => block(`c${at}`, at === 0 ? 'p1' : `c${at - 1}`, 'msg_w', call(`toolu_${at}`)));
      const results = many(3000, (at) => outcome(`r${at}`, `c${at}`, `toolu_${at}`, `<${at}>`));
      return file([
        prompt('p1', null, 'ask-1'),
        ...calls,
        ...results.filter((_, at) => at % 3 !== 0),
        answer('z1', 'r2999', 'done-1'),
      ]);
    },
    kept: ['ask-1', '<1>', '<2>', '<2999>', 'done-1'],
    interrupted: 1000,
  },
  {
    name: '5,000 lines of garbage',
    make: () =>
      Buffer.concat([
        file(until('z2')),
        Buffer.from('{"type":"user","mess\n'.repeat(5000)),
        file(story().slice(until('z2').length)),
      ]),
    kept: [...wordsOf(1), ...wordsOf(2), ...wordsOf(3)],
    said: ['damage'],
  },
];

function nested(first: string): Buffer {
  return Buffer.concat([Buffer.from(first), file(story().slice(1))]);
}

function deep(open: string, close: string, inside = ''): string {
  return `${open.repeat(50_000)}${inside}${close.repeat(50_000)}`;
}

function chain(length: number): Entry[] {
  return many(length, (at) => {
    const parent = at === 0 ? null : `m${at - 1}`;
    return at % 2 === 0 ? prompt(`m${at}`, parent, `<${at}>`) : answer(`m${at}`, parent, `<${at}>`);
  });
}

function many<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

function replaced(uuid: string, content: unknown): Entry[] {
  return story().map((entry) => (entry.uuid === uuid ? { ...entry, message: { role: 'user', content } } : entry));
}
