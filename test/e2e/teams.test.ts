import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALL_DONE } from '../support/team-play.ts';
import { CALLED, PROMPTS, runLongTeammate } from '../support/team-work.ts';

/** How long a teammate works after the leader's first result. Longer than any grace period; a minute in test/trust. */
const WORK_MS = 4000;

describe('a teammate that works on after the first result', () => {
  test.each(PROMPTS)(
    '[TEAM-03, TEAM-10, STD-03] completes and reaches hooks, permissions and tools of the program: prompt as %s',
    async (prompt) => {
      const { place, lines, results, called, lastedMs } = await runLongTeammate(prompt, WORK_MS);
      expect(results.map(({ result }) => result)).toEqual([
        'Dispatched.',
        'I heard all of it.',
        ...results.slice(2, -1).map(() => expect.any(String)),
        ALL_DONE,
      ]);
      expect(called).toEqual(CALLED);
      expect(lastedMs).toBeGreaterThan(WORK_MS);
      expect(existsSync(join(place.cwd, 'made'))).toBe(true);
      console.log(prompt, lines.map((l) => `${l.type}/${l.subtype} ${JSON.stringify(l.result ?? '')}`));
    },
  );
});
