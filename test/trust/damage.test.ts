import { describe, expect, test } from 'vitest';
import { cutFiles } from '../support/damage/cuts.ts';
import { HUGE_FILES } from '../support/damage/sizes.ts';
import { DAMAGE_CORPUS, type DamageCase } from '../support/damage-corpus.ts';
import { damageScript, resumeDamaged } from '../support/damage-run.ts';
import { seededRandom } from '../support/fuzz.ts';
import { makePlace } from '../support/place.ts';
import { batches, trustSize } from './size.ts';
import { tally } from './tally.ts';

const seed = trustSize('SEED', 9);
const CUTS = cutFiles(trustSize('POINTS', 200), seededRandom(seed));

const isHuge = ({ name }: DamageCase) => HUGE_FILES.some((huge) => huge.name === name);
const isNamed =
  (pattern: RegExp) =>
  ({ name }: DamageCase) =>
    pattern.test(name);
const isSaid =
  (...kinds: string[]) =>
  ({ said = [] }: DamageCase) =>
    said.some((kind) => kinds.includes(kind));

interface Group {
  ids: string[];
  title: string;
  takes(damaged: DamageCase): boolean;
  /** What the faults are called in the figure. */
  faults: string;
  mostMs?: number;
}

/** What of the corpus is about which invariant. Each file belongs to the first that takes it. */
const GROUPS: readonly Group[] = [
  {
    ids: ['S-18'],
    title: '[S-18] lines of 100 MB, nesting of 50,000, chains of 20,000: within 10 s and 1.5 GB',
    takes: (damaged) => isHuge(damaged) && !isNamed(/circle/)(damaged),
    faults: 'over 10 s or 1.5 GB',
  },
  {
    ids: ['S-13'],
    title: '[S-13] circles and entries that hang from themselves end, and everything is kept',
    takes: isSaid('cycle'),
    faults: 'lost or over 5 s',
    mostMs: 5000,
  },
  {
    ids: ['S-11'],
    title: '[S-11] records on one line are all recovered, or the loss is said',
    takes: isNamed(/on one line|glued|end in a carriage return$|raw line feed/),
    faults: 'silent losses',
  },
  { ids: ['S-12'], title: '[S-12] what is there twice is sent once', takes: isSaid('duplicate'), faults: 'doubles' },
  {
    ids: ['S-16', 'S-17'],
    title: '[S-16, S-17] of several branches the newest by the order of the file is taken, whatever the clocks say',
    takes: isNamed(/branch|leaf|new root|newer|an old permission|dead attempt/),
    faults: 'wrong leaves',
  },
  {
    ids: ['S-7'],
    title: '[S-7] calls without a result are answered as interrupted, and their text stays',
    takes: (damaged) =>
      (damaged.interrupted ?? 0) > 0 || isNamed(/parallel calls|with the (first|second) call/)(damaged),
    faults: 'dropped',
  },
  {
    ids: ['S-14'],
    title: '[S-14] what hangs from nothing is not lost',
    takes: (damaged) => isSaid('missing_parent', 'no_uuid')(damaged) || isNamed(/orphan|is lost/)(damaged),
    faults: 'losses',
  },
  {
    ids: ['S-25'],
    title: '[S-25] half characters do not reach the API',
    takes: isNamed(/surrogate|half of/),
    faults: 'sent',
  },
  {
    ids: ['S-15'],
    title: '[S-15] what nobody knows stays on disk and does not break the request',
    takes: isNamed(/unknown|__proto__|later version|make no sense|of other types|contradict/),
    faults: 'broken',
  },
  {
    ids: ['S-10'],
    title: '[S-10] torn, blank and garbled lines, marks and zero bytes cost what they stand on, and no more',
    takes: isNamed(/torn|line|mark|zero|space|comma|scalar|array|objects that|garbage|log|UTF-8|end|beginning/),
    faults: 'further losses',
  },
  {
    ids: ['S-6'],
    title: '[K15, S-6] whatever else is odd, the next request is one that the API takes',
    takes: () => true,
    faults: 'not taken',
  },
];

const groups = GROUPS.map((group) => ({
  ...group,
  files: DAMAGE_CORPUS.filter((damaged) => GROUPS.find(({ takes }) => takes(damaged)) === group),
}));

test('every invariant about files has files', () => {
  expect(groups.filter(({ files }) => files.length < 3).map(({ ids }) => ids)).toEqual([]);
});

describe.each(groups.map((group) => [group.title, group] as const))('%s', (_title, { ids, faults, files, mostMs }) => {
  const check = tally(ids, 'files', faults);

  test.each(files)('$name', async (damaged) => {
    check(await resumeDamaged(await makePlace(damageScript), damaged, mostMs));
  });
});

describe(`[S-9] cut anywhere, all whole lines come back and nothing is glued to the torn one, seed ${seed}`, () => {
  const check = tally(['S-9'], 'cuts', 'failures');

  test.each(batches(CUTS.length, 20))('cuts $from to $to', async ({ from, to }) => {
    for (const cut of CUTS.slice(from, to)) {
      const found = await resumeDamaged(await makePlace(damageScript), cut);
      check(found.map((fault) => `${cut.name}: ${fault}`));
    }
  });
});
