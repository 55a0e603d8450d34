import { afterAll, describe, expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { trackedFiles } from '../../src/permissions/git-index.ts';
import { nodeRealPath } from '../../src/permissions/real-path.ts';
import { bash, policyFor, rules } from '../permissions/policy-for.ts';
import { type Form, readTable } from '../support/deny-corpus/forms.ts';
import { mutated } from '../support/deny-corpus/mutations.ts';
import { denyPlaces } from '../support/deny-corpus/place.ts';
import { EDIT_LOCKED, READ_ENV, type Target, TOUCH, textFor, thatWork } from '../support/deny-corpus/sessions.ts';
import { seededRandom } from '../support/fuzz.ts';
import { sampleOf } from '../support/shell-attacks.ts';

/**
 * The short form of `npm run trust -- deny`: every form is judged; only those that are not denied are run, without Heddle, to
 * see whether they would have done it.
 */
const places = denyPlaces();
afterAll(() => places.remove());

const STARTERS = (['wrappers', 'shells', 'programs', 'spellings'] as const).flatMap(readTable);
const ATTACKS: [Target, readonly Form[]][] = [
  [TOUCH, STARTERS],
  [READ_ENV, readTable('reads')],
  [EDIT_LOCKED, readTable('writes')],
];

describe.each(ATTACKS.map(([target, forms]) => ({ target, forms, rule: target.rule })))(
  'the corpus against $rule',
  ({ target, forms, rule }) => {
    test('[R-3] [R-4] [K44] what is not denied does nothing that the rule denies', async () => {
      const place = await places.make();
      const { cwd, env } = place;
      const context = { cwd, roots: [cwd], realPath: nodeRealPath, trackedFiles, ...(env.HOME && { home: env.HOME }) };
      const policy = policyFor({ ...context, mode: 'bypassPermissions', deny: rules(rule) });
      const random = seededRandom(3);
      const mutants = sampleOf(forms, 300, random).map((form) => mutated(form, random));
      const all = [...forms, ...mutants];
      const open = all.filter(
        (form, id) => decide(bash(textFor(form, target, id, place).text), policy).behavior !== 'deny',
      );
      place.close();
      // That little is let through is what makes this quick.
      expect(open.length).toBeLessThan(all.length / 10);
      const through = await thatWork(open, target, places);
      expect(through.map(({ text }) => text)).toEqual([]);
    });
  },
);
