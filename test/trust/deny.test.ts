import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Form, readTable } from '../support/deny-corpus/forms.ts';
import { mutated } from '../support/deny-corpus/mutations.ts';
import { denyPlaces } from '../support/deny-corpus/place.ts';
import {
  EDIT_LOCKED,
  GIT_TAG,
  MKDIR,
  READ_ENV,
  type Target,
  TOUCH,
  type Trial,
  thatGetThrough,
  thatWork,
} from '../support/deny-corpus/sessions.ts';
import { seededRandom } from '../support/fuzz.ts';
import { ROOT } from '../support/root.ts';
import { sampleOf } from '../support/shell-attacks.ts';
import { figure } from './figures.ts';
import { trustSize } from './size.ts';

/** Some thousand commands run one after the other. */
const TIME_MS = 3_600_000;

const seed = trustSize('SEED', 1);
const places = denyPlaces();
afterAll(() => places.remove());

const STARTERS = (['wrappers', 'shells', 'programs', 'spellings'] as const).flatMap(readTable);
const mutants = (forms: readonly Form[], count: number): Form[] => {
  const random = seededRandom(seed);
  return sampleOf(forms, count, random).map((form) => mutated(form, random));
};
const some = (forms: readonly Form[], count: number) => sampleOf([...new Set(forms)], count, seededRandom(seed));

interface Attack {
  target: Target;
  forms: readonly Form[];
  /** How many of them must turn out to work for the run to say something. */
  atLeast: number;
}

const ATTACKS: Attack[] = [
  { target: TOUCH, forms: [...STARTERS, ...mutants(STARTERS, trustSize('LINES', 400))], atLeast: 1000 },
  { target: MKDIR, forms: some(STARTERS, 120), atLeast: 80 },
  { target: GIT_TAG, forms: some(STARTERS, 120), atLeast: 70 },
  { target: READ_ENV, forms: [...readTable('reads'), ...mutants(readTable('reads'), 150)], atLeast: 400 },
  { target: EDIT_LOCKED, forms: [...readTable('writes'), ...mutants(readTable('writes'), 150)], atLeast: 400 },
];

const TRIALS: (Trial & { what: string; share: number })[] = [
  { what: 'bypassPermissions', mode: 'bypassPermissions', enforcement: 'parse', caller: 'main', share: 1 },
  { what: 'a host that allows all', mode: 'default', enforcement: 'parse', caller: 'main', share: 1 },
  { what: 'an agent', mode: 'bypassPermissions', enforcement: 'parse', caller: 'agent', share: 1 },
  { what: 'in the background', mode: 'bypassPermissions', enforcement: 'parse', caller: 'background', share: 0.3 },
  { what: 'a hook', mode: 'bypassPermissions', enforcement: 'parse', caller: 'hook', share: 0.3 },
  { what: 'the command line', mode: 'bypassPermissions', enforcement: 'parse', caller: 'command line', share: 1 },
  {
    what: 'the command line, both lines',
    mode: 'bypassPermissions',
    enforcement: 'kernel',
    caller: 'command line',
    share: 0.3,
  },
  { what: 'a command file', mode: 'bypassPermissions', enforcement: 'parse', caller: 'command file', share: 0.3 },
  {
    what: 'a script that only the kernel sees',
    mode: 'bypassPermissions',
    enforcement: 'kernel',
    caller: 'script',
    share: 0.5,
  },
  { what: 'both lines', mode: 'bypassPermissions', enforcement: 'kernel', caller: 'main', share: 1 },
];

interface Row {
  family: string;
  tried: number;
  working: number;
  line1: number;
  both: number;
}

const tables = new Map<string, Row[]>();
afterAll(() => writeTables());

describe.each(ATTACKS)('[R-3] [R-4] against $target.rule', ({ target, forms, atLeast }) => {
  const working: Form[] = [];
  const count = (family: string, key: 'line1' | 'both', by: number) => {
    const row = tables.get(target.rule)?.find((each) => each.family === family);
    if (row) row[key] += by;
  };

  test(
    'enough of the forms do what is denied when bash is given them',
    async () => {
      working.push(...(await thatWork(forms, target, places)));
      const families = [...new Set(forms.map(({ family }) => family))];
      const of = (list: readonly Form[], family: string) => list.filter((form) => form.family === family).length;
      tables.set(
        target.rule,
        families.map((family) => ({
          family,
          tried: of(forms, family),
          working: of(working, family),
          line1: 0,
          both: 0,
        })),
      );
      expect(working.length).toBeGreaterThanOrEqual(atLeast);
    },
    TIME_MS,
  );

  test('they get through where the rule is about something else: these sessions do run what they are asked for', async () => {
    const few = some(working, 20);
    const other = { ...target, rule: 'Bash(nosuch:*)' };
    const trial: Trial = { mode: 'bypassPermissions', enforcement: 'parse', caller: 'main' };
    // Not all: what cannot be read is denied by any rule.
    expect(await thatGetThrough(few, other, { places, trial })).not.toEqual([]);
  });

  test.each(TRIALS)('none gets through: $what', async ({ share, what, ...trial }) => {
    // A script that runs a command is the gap that docs/permissions.md names, and so is what git has stored of a file.
    const fit =
      trial.caller !== 'script'
        ? working
        : target.kind === 'command'
          ? []
          : working.filter(({ text }) => !usesGit(text));
    const tried = share === 1 ? fit : some(fit, Math.round(fit.length * share));
    const through = await thatGetThrough(tried, target, { places, trial });
    for (const { family } of through) count(family, trial.enforcement === 'kernel' ? 'both' : 'line1', 1);
    figure('R-3', `${target.rule}, ${what}: ${tried.length} forms, ${through.length} through`);
    expect(through.map(({ family, text }) => `${target.rule} | ${text} | ${family}`)).toEqual([]);
  });
});

/** For docs/trust.md. */
function writeTables(): void {
  const lines = [...tables].flatMap(([rule, rows]) => {
    const sum = (key: 'tried' | 'working' | 'line1' | 'both') => rows.reduce((all, row) => all + row[key], 0);
    const all = {
      family: '**all**',
      tried: sum('tried'),
      working: sum('working'),
      line1: sum('line1'),
      both: sum('both'),
    };
    const cells = [...rows, all].map(
      (row) => `| ${row.family} | ${row.tried} | ${row.working} | ${row.line1} | ${row.both} |`,
    );
    return [
      `\n\`${rule}\`\n`,
      '| class | tried | that work | through line 1 | through both |',
      '|---|---|---|---|---|',
      ...cells,
    ];
  });
  const file = join(ROOT, 'test-results/deny-classes.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n').trim()}\n`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Also where a form was written in base64. */
function usesGit(text: string): boolean {
  const coded = text.match(/[\w+/]{16,}={0,2}/g) ?? [];
  return [text, ...coded.map((each) => Buffer.from(each, 'base64').toString('latin1'))].some((each) =>
    /git/.test(each),
  );
}
