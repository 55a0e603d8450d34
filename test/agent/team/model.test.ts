import fc from 'fast-check';
import { test } from 'vitest';
import { command, deed, Run } from './history.ts';

test('[TEAM-02] [TEAM-08] [TEAM-10] whatever happens in whichever order, kills included: no mail is lost or comes twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 20, maxLength: 150 }),
      fc.array(deed, { maxLength: 20 }),
      fc.array(fc.nat(50), { maxLength: 12 }),
      async (commands, deeds, choices) => {
        const run = new Run(deeds);
        await run.begin();
        for (const each of commands) await run.obey(each);
        await run.finish(choices);
        run.check();
      },
    ),
    { numRuns: 400, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: true },
  );
}, 60_000);
