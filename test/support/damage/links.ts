import type { Entry } from '../../../src/wire/entries.ts';
import {
  ALL,
  answer,
  block,
  call,
  changed,
  cutOut,
  type DamageCase,
  file,
  outcome,
  progress,
  prompt,
  SESSION,
  story,
  text,
  turn,
  until,
  without,
  wordsOf,
} from './story.ts';

/** The lines are whole, but what they say about each other is not. */
export const DAMAGED_LINKS: readonly DamageCase[] = [
  relinked('the root hangs from the leaf', { p1: 'z3' }, ['cycle']),
  relinked('a circle of two in the middle', { p2: 'h2' }, ['cycle']),
  relinked('two circles', { p1: 's1', p3: 'z3' }, ['cycle']),
  relinked('the root hangs from itself', { p1: 'p1' }, ['cycle']),
  relinked('a prompt hangs from itself', { p2: 'p2' }, ['cycle']),
  relinked('the leaf hangs from itself', { z3: 'z3' }, ['cycle']),
  relinked('everything hangs from itself', selves(), ['cycle']),
  relinked('an orphan at the root', { p1: 'lost' }, ['missing_parent']),
  relinked('an orphan in the middle', { p2: 'lost' }, ['missing_parent']),
  relinked('an orphan inside an answer', { a2: 'lost' }, ['missing_parent']),
  relinked('an orphaned result', { ra2: 'lost' }, ['missing_parent']),
  relinked('an orphan at the leaf', { z3: 'lost' }, ['missing_parent']),
  relinked('nothing but orphans', Object.fromEntries(story().map(({ uuid }) => [uuid, `lost-${uuid}`])), [
    'missing_parent',
  ]),
  relinked('parents that are numbers', { p2: 7, z2: 0 }, ['missing_parent']),
  relinked('parents that are objects and lists', { p2: {}, z2: ['z1'] }, ['missing_parent']),
  relinked('parents that are not given', { p2: undefined, s3: undefined }, ['missing_parent']),
  intact('uuids that are names of object members', renamed({ p2: '__proto__', z2: 'constructor', z1: 'toString' })),
  {
    name: 'a whole turn is lost in the middle',
    make: () => file(story().filter(({ uuid }) => !String(uuid).endsWith('2'))),
    kept: [...wordsOf(1), ...wordsOf(3)],
    said: ['missing_parent'],
  },
  {
    name: 'a prompt is lost',
    make: () => file(cutOut(['p2'])),
    kept: without('ask-2'),
    said: ['missing_parent'],
  },
  {
    name: 'an answer is lost between two prompts',
    make: () => file(cutOut(['z2'])),
    kept: without('done-2'),
    said: ['missing_parent'],
  },

  // Entries beside the conversation, newer than all of it.
  added('a newer sidechain', [
    prompt('k1', null, 'aside', { isSidechain: true, agentId: 'k' }),
    answer('k2', 'k1', 'also aside', { isSidechain: true, agentId: 'k', timestamp: '2999-01-01' }),
  ]),
  added('a newer sidechain that hangs from the conversation', [
    answer('k2', 'z3', 'aside', { isSidechain: true, timestamp: '2999-01-01' }),
  ]),
  {
    name: 'the conversation hangs from a sidechain',
    make: () =>
      file([
        ...until('z1'),
        prompt('k1', null, 'aside', { isSidechain: true, agentId: 'k' }),
        answer('k2', 'k1', 'also aside', { isSidechain: true, agentId: 'k' }),
        ...turn(2, 'k2'),
        ...turn(3, 'z2'),
      ]),
    kept: ALL,
    left: ['aside'],
    said: ['missing_parent'],
  },
  added('newer progress of an old call', [progress('k1', 'a1'), progress('k2', 'k1'), progress('k3', 'k2')]),
  added('newer progress of the last answer', [progress('k1', 'z3'), progress('k2', 'k1')]),
  added('a newer notice on an old branch', [{ ...progress('k1', 'z1'), type: 'system', subtype: 'informational' }]),
  added('an old permission, answered once more', [outcome('k1', 'a1', 'toolu_a1', 'denied', late())]),
  added('an old permission, answered once more, with progress below', [
    outcome('k1', 'a1', 'toolu_a1', 'denied', late()),
    progress('k2', 'k1'),
  ]),
  added('an old permission, answered once more, with an error below', [
    outcome('k1', 'a1', 'toolu_a1', 'denied', late()),
    answer('k2', 'k1', 'API Error', { isApiErrorMessage: true, error: 'unknown', ...late() }),
  ]),
  added('an empty branch: progress and an error on an old prompt', [
    progress('k1', 'p1'),
    answer('k2', 'k1', 'API Error', { isApiErrorMessage: true, error: 'unknown', ...late() }),
  ]),
  intact('prompts that hang from progress', [
    ...until('z1'),
    progress('k1', 'z1'),
    progress('k2', 'k1'),
    ...turn(2, 'k2'),
    { ...progress('k3', 'z2'), type: 'attachment', attachment: { type: 'date' } },
    ...turn(3, 'k3'),
  ]),

  // Calls and results.
  {
    name: 'parallel calls, and one result is missing',
    make: () => file(cutOut(['ra2'])),
    kept: without('out-a2'),
    interrupted: 1,
  },
  {
    name: 'parallel calls, and the result that the conversation went on from is missing',
    make: () => file(cutOut(['rb2'])),
    kept: without('out-b2'),
    said: ['missing_parent'],
    interrupted: 1,
  },
  {
    name: 'parallel calls without any result, and the conversation went on',
    make: () => file(changed({ z2: { parentUuid: 'b2' } }, cutOut(['ra2', 'rb2']))),
    kept: without('out-a2', 'out-b2'),
    interrupted: 2,
  },
  {
    name: 'a call is lost, its result is there',
    make: () => file(cutOut(['a2'])),
    kept: [...wordsOf(1), 'ask-2', 'say-2', 'out-b2', 'out-a2', 'done-2', ...wordsOf(3)],
    said: ['missing_parent'],
  },
  relinked('results one below the other', { rb2: 'ra2' }),
  relinked('the result of the first call came last', { ra2: 'b2', z2: 'ra2' }),
  relinked('a result hangs from the prompt', { ra2: 'p2' }, ['misplaced_result']),
  relinked('the last result hangs from the prompt', { rb3: 'p3', z3: 'rb3' }, ['misplaced_result']),
  relinked('a result hangs from the turn before', { ra3: 'z1' }, ['misplaced_result']),
  relinked('a result is a root', { ra3: null }, ['misplaced_result']),
  intact('results that stand before their calls', moved(['ra2', 'rb2'], 'a2')),
  intact('a result at the end of the file', moved(['ra1'], null)),
  intact('results behind the answer to them', moved(['ra3', 'rb3'], null)),
  intact('both results in one entry', [
    ...until('b2'),
    prompt('rb2', 'b2', [
      { type: 'tool_result', tool_use_id: 'toolu_a2', content: 'out-a2' },
      { type: 'tool_result', tool_use_id: 'toolu_b2', content: 'out-b2' },
    ]),
    ...story().slice(story().findIndex(({ uuid }) => uuid === 'z2')),
  ]),
  relinked('two calls that are both children of the text', { b2: 's2' }),
  relinked('the blocks of an answer are all children of the prompt', { h2: 'p2', s2: 'p2', a2: 'p2', b2: 'p2' }),
  intact(
    'an answer whose last words hang beside its first',
    [
      ...until('z2'),
      prompt('p3', 'z2', 'ask-3'),
      block('s3', 'p3', 'msg_3', text('say-3')),
      block('z3', 'p3', 'msg_3', text('done-3')),
    ],
    without('out-a3', 'out-b3'),
  ),
  {
    name: 'a result of a call that never was',
    make: () => file([...story(), outcome('k1', 'z3', 'toolu_nowhere', 'from nowhere')]),
    kept: [...ALL, 'from nowhere'],
  },
  {
    name: 'calls of several turns with the same id',
    make: () => file(story().map((entry) => JSON.parse(JSON.stringify(entry).replace(/toolu_([ab])\d/g, 'call_$1')))),
    kept: ALL,
  },

  // Branches.
  {
    name: 'two branches: the newer one is an edited prompt',
    make: () => file([...story(), prompt('q3', 'z2', 'edited'), answer('q4', 'q3', 'other')]),
    kept: [...wordsOf(1), ...wordsOf(2), 'edited', 'other'],
    left: wordsOf(3),
  },
  ...(
    [
      ['set back', '2020-01-01T00:00:00Z', '2025-06-01T12:00:00Z'],
      ['in the year 2999 on the old branch', '2025-06-01T12:00:00Z', '2999-01-01T00:00:00Z'],
      ['not a time', 'yesterday', '2025-06-01T12:00:00Z'],
      ['missing', undefined, '2025-06-01T12:00:00Z'],
      ['a number', 17, 99],
    ] as const
  ).map(([name, onNew, onOld]) => branchedAt(name, onNew, onOld)),
  {
    name: 'a dead attempt beside the answer',
    make: () =>
      file([
        ...until('p3'),
        block('d1', 'p3', 'msg_dead', text('half')),
        block('d2', 'd1', 'msg_dead', call('toolu_dead')),
        ...story().slice(story().findIndex(({ uuid }) => uuid === 'h3')),
      ]),
    kept: ALL,
    left: ['half'],
  },
  {
    name: 'a new root after the conversation',
    make: () => file([...story(), prompt('q1', null, 'anew'), answer('q2', 'q1', 'fresh')]),
    kept: ['anew', 'fresh'],
    left: ALL,
  },
  {
    name: 'a recorded leaf on the other branch',
    make: () =>
      file([...story(), prompt('q3', 'z1', 'edited'), { type: 'last-prompt', leafUuid: 'z3', sessionId: SESSION }]),
    kept: ALL,
    left: ['edited'],
  },
  intact('a recorded leaf that is not there', [...story(), { type: 'last-prompt', leafUuid: 'gone' }]),

  // Files without uuids.
  { name: 'an old file without uuids', make: () => file(unnamed(story())), kept: ALL, said: ['no_uuid'] },
  {
    name: 'an old file that begins with summaries',
    make: () => file([{ type: 'summary', summary: 'A loom', leafUuid: 'elsewhere' }, ...unnamed(story())]),
    kept: ALL,
    said: ['no_uuid'],
  },
  {
    name: 'an old file that was gone on with',
    make: () => file([...unnamed(until('z1')), ...turn(2, null), ...turn(3, 'z2')]),
    kept: ALL,
    said: ['no_uuid'],
  },
  {
    name: 'some entries without uuids',
    make: () =>
      file(story().map((entry) => (['s2', 'z2'].includes(String(entry.uuid)) ? unnamed([entry])[0] : entry) as Entry)),
    kept: ALL,
    said: ['missing_parent', 'no_uuid'],
  },
  {
    name: 'an old file that ends with open calls',
    make: () => file(unnamed(until('b3'))),
    kept: without('out-a3', 'out-b3', 'done-3'),
    said: ['no_uuid'],
    interrupted: 2,
  },
  {
    name: 'uuids that are empty, numbers or null',
    make: () =>
      file(changed({ z1: { uuid: '' }, p2: { uuid: '', parentUuid: '' }, z2: { uuid: 5 }, p3: { uuid: null } })),
    kept: ALL,
    said: ['missing_parent', 'no_uuid'],
  },
];

/** The story with other parents; nothing is lost. */
function relinked(name: string, parents: Record<string, unknown>, said: DamageCase['said'] = []): DamageCase {
  const changes = Object.fromEntries(Object.entries(parents).map(([uuid, parentUuid]) => [uuid, { parentUuid }]));
  return { name, make: () => file(changed(changes)), kept: ALL, said };
}

/** The story with something behind it that must not win. */
function added(name: string, entries: readonly Entry[]): DamageCase {
  return { name, make: () => file([...story(), ...entries]), kept: ALL, left: ['aside', 'denied', 'API Error'] };
}

function intact(name: string, entries: readonly Entry[], kept: readonly string[] = ALL): DamageCase {
  return { name, make: () => file(entries), kept };
}

function selves(): Record<string, string> {
  return Object.fromEntries(story().map(({ uuid }) => [String(uuid), String(uuid)]));
}

function renamed(names: Record<string, string>): Entry[] {
  const rename = (uuid: unknown) => (Object.hasOwn(names, String(uuid)) ? names[String(uuid)] : uuid);
  return story().map((entry) => ({ ...entry, uuid: rename(entry.uuid), parentUuid: rename(entry.parentUuid) }));
}

/** The lines of some entries stand before another one, or at the end. */
function moved(uuids: readonly string[], before: string | null): Entry[] {
  const rest = cutOut(uuids);
  const at = before === null ? rest.length : rest.findIndex(({ uuid }) => uuid === before);
  return rest.toSpliced(at, 0, ...story().filter(({ uuid }) => uuids.includes(String(uuid))));
}

function unnamed(entries: readonly Entry[]): Entry[] {
  return entries.map(({ uuid, parentUuid, sourceToolAssistantUUID, ...rest }) => rest as Entry);
}

function late(): { timestamp: string } {
  return { timestamp: '2999-01-01T00:00:00.000Z' };
}

/** An older branch `z2 → 3` and a newer one below `z1`, by the order of the file; the clock says otherwise. */
function branchedAt(name: string, onNew: unknown, onOld: unknown): DamageCase {
  const at = (timestamp: unknown) => (entry: Entry) => ({ ...entry, timestamp });
  const newer = [prompt('q2', 'z1', 'edited'), answer('q3', 'q2', 'other')];
  return {
    name: `branches whose clock is ${name}`,
    make: () => file([...story().map(at(onOld)), ...newer.map(at(onNew))]),
    kept: [...wordsOf(1), 'edited', 'other'],
    left: [...wordsOf(2), ...wordsOf(3)],
  };
}
