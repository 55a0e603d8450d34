import { expect, it } from 'vitest';
import { readShell } from '../../../src/permissions/commands/read-shell.ts';
import { whyUnknown } from '../../../src/permissions/shell/shell-script.ts';
import { traceInBash } from '../../support/bash-trace.ts';
import { seededRandom } from '../../support/fuzz.ts';
import { unlistedCommands } from '../../support/listed.ts';
import { randomScript } from '../../support/shell-scripts.ts';
import { parseShell } from '../policy-for.ts';

it('[R-3] [R-4] bash starts nothing that is not listed, in any script that counts as known', async () => {
  const random = seededRandom(20);
  const known = Array.from({ length: 2500 }, () => randomScript(random)).filter((text) => {
    const script = readShell(text, parseShell);
    return whyUnknown(script) === null && script.commands.length > 0;
  });
  expect(known.length, 'otherwise this proves little').toBeGreaterThan(300);
  const traces = await traceInBash(known);
  expect(traces.flat().length).toBeGreaterThan(500);
  const surprises = known.flatMap((text, at) =>
    unlistedCommands(readShell(text, parseShell), traces[at] ?? []).map((argv) => ({ text, argv })),
  );
  expect(surprises).toEqual([]);
}, 60_000);
