import {
  ALL,
  answer,
  boundary,
  changed,
  type DamageCase,
  file,
  prompt,
  story,
  summary,
  turn,
  until,
  wordsOf,
} from './story.ts';

const shortened = () => [...until('z2'), boundary('b', 'z2'), summary('c', 'b', 'in short'), ...turn(3, 'c')];

/** Compactions: a resume may begin to read at the last boundary, if that is all it needs. */
export const DAMAGED_COMPACTIONS: readonly DamageCase[] = [
  {
    name: 'a boundary and its summary',
    make: () => file([...until('z2'), boundary('b', 'z2'), summary('c', 'b', 'in short'), ...turn(3, 'c')]),
    kept: ['in short', ...wordsOf(3)],
    left: [...wordsOf(1), ...wordsOf(2)],
  },
  {
    name: 'two boundaries',
    make: () =>
      file([
        ...until('z1'),
        boundary('b', 'z1'),
        summary('c', 'b', 'in short'),
        ...turn(2, 'c'),
        boundary('b2b', 'z2'),
        summary('c2', 'b2b', 'shorter'),
        ...turn(3, 'c2'),
      ]),
    kept: ['shorter', ...wordsOf(3)],
    left: ['in short', ...wordsOf(1), ...wordsOf(2)],
  },
  {
    name: 'the same boundary twice',
    make: () =>
      file([...until('z2'), boundary('b', 'z2'), boundary('b', 'z2'), summary('c', 'b', 'in short'), ...turn(3, 'c')]),
    kept: ['in short', ...wordsOf(3)],
    said: ['duplicate'],
    isBeforeSummary: true,
  },
  {
    name: 'a boundary whose summary was never written',
    make: () => file([...story(), boundary('b', 'z3')]),
    kept: ALL,
  },
  {
    name: 'a boundary whose summary is lost, and the conversation went on',
    make: () => file([...until('z2'), boundary('b', 'z2'), ...turn(3, 'lost')]),
    kept: ALL,
    said: ['missing_parent'],
  },
  {
    name: 'a boundary that points at itself',
    make: () => file([...until('z2'), boundary('b', 'b'), summary('c', 'b', 'in short'), ...turn(3, 'c')]),
    kept: ['in short', ...wordsOf(3)],
  },
  {
    name: 'the same boundary again behind its summary',
    make: () =>
      file([...until('z2'), boundary('b', 'z2'), summary('c', 'b', 'in short'), boundary('b', 'z2'), ...turn(3, 'c')]),
    kept: ['in short', ...wordsOf(3)],
    said: ['duplicate'],
  },
  {
    name: 'the same boundary again at the end',
    make: () => file([...shortened(), boundary('b', 'z2')]),
    kept: ['in short', ...wordsOf(3)],
    said: ['duplicate'],
  },
  {
    name: 'garbage before the boundary',
    make: () => Buffer.concat([Buffer.from('%%%\n{"type":"us\n'), file(shortened())]),
    kept: ['in short', ...wordsOf(3)],
    said: ['damage'],
    isBeforeSummary: true,
  },
  {
    name: 'a torn line behind the boundary',
    make: () =>
      Buffer.from(
        file(shortened())
          .toString()
          .replace(/\n(?=[^\n]*"uuid":"c")/, '\n{"type":"user","mess\n'),
      ),
    kept: ['in short', ...wordsOf(3)],
    said: ['damage'],
  },
  {
    name: 'a boundary on another branch than the one gone on with',
    make: () => file([...shortened(), prompt('q2', 'z1', 'edited'), answer('q3', 'q2', 'other')]),
    kept: [...wordsOf(1), 'edited', 'other'],
    left: [...wordsOf(2), ...wordsOf(3), 'in short'],
  },
  {
    name: 'a boundary that belongs to a sidechain',
    make: () => file([...until('z2'), { ...boundary('b', 'z2'), isSidechain: true, agentId: 'k' }, ...turn(3, 'z2')]),
    kept: ALL,
  },
  {
    name: 'a text that looks like a boundary',
    make: () =>
      file(changed({ z2: { note: JSON.stringify(boundary('b', 'z1')), data: boundary('b', 'z1') } }, story())),
    kept: ALL,
  },
  {
    name: 'a boundary with nothing but a sidechain behind it',
    make: () =>
      file([...story(), boundary('b', 'z3'), prompt('k1', 'b', 'aside', { isSidechain: true, agentId: 'k' })]),
    kept: ALL,
    left: ['aside'],
  },
  {
    name: 'a call before the boundary, its result behind it',
    make: () =>
      file([
        ...until('rb2').filter(({ uuid }) => uuid !== 'ra2'),
        boundary('b', 'rb2'),
        summary('c', 'b', 'in short'),
        ...story().filter(({ uuid }) => uuid === 'ra2'),
        ...turn(3, 'c'),
      ]),
    kept: ['in short', ...wordsOf(3)],
    left: wordsOf(2),
  },
  {
    name: 'a boundary that something hangs from twice',
    make: () => file([...shortened(), summary('c2', 'b', 'in other words'), prompt('q3', 'c2', 'ask-4')]),
    kept: ['in other words', 'ask-4'],
    left: [...wordsOf(3), 'in short'],
  },
];
