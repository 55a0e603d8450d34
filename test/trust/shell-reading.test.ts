import { expect, test } from 'vitest';
import { readShell } from '../../src/permissions/commands/read-shell.ts';
import { whyUnknown } from '../../src/permissions/shell/shell-script.ts';
import { parseShell } from '../permissions/policy-for.ts';
import { traceInBash } from '../support/bash-trace.ts';
import { seededRandom } from '../support/fuzz.ts';
import { unlistedCommands } from '../support/listed.ts';
import { randomScript } from '../support/shell-scripts.ts';
import { batches, trustSize } from './size.ts';

const seed = trustSize('SEED', 1);

test.each(batches(trustSize('LINES', 60_000), 4000))(
  '[R-3] [R-4] bash starts nothing that is not listed: random scripts $from to $to',
  async ({ from, to }) => {
    const random = seededRandom(seed + from);
    const scripts = Array.from({ length: to - from }, () => randomScript(random));
    const known = scripts.filter((text) => whyUnknown(readShell(text, parseShell)) === null);
    const traces = await traceInBash(known);
    const surprises = known.flatMap((text, at) =>
      unlistedCommands(readShell(text, parseShell), traces[at] ?? []).map((argv) => ({ text, argv })),
    );
    expect(surprises, `HEDDLE_TRUST_SEED=${seed}`).toEqual([]);
  },
);
