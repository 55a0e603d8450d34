import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolUse } from '../../src/testing/index.ts';
import { asOrdinaryUser } from '../support/as-user.ts';
import { breakages, putBroken, RULE_FILES, RULES, UNTRUSTED } from '../support/broken-rules.ts';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { hasTrace } from '../support/damage-run.ts';
import { seededRandom } from '../support/fuzz.ts';
import { makePlace, type Place } from '../support/place.ts';
import { put } from '../support/put.ts';
import { trustSize } from './size.ts';
import { tally } from './tally.ts';

const seed = trustSize('SEED', 18);
const BYPASS = ['--permission-mode', 'bypassPermissions'];
const broken = breakages(trustSize('POINTS', 30), seededRandom(seed));

describe(`[R-18, K53] broken files with rules fail closed, and aloud, seed ${seed}`, () => {
  const check = tally(['R-18'], 'broken files', 'open or silent');

  test.each(Object.entries(RULE_FILES).flatMap(([scope, file]) => broken.map((each) => ({ scope, file, ...each }))))(
    '$scope: $name',
    async ({ scope, file, ...breakage }) => {
      const place = await makePlace([toolUse('Bash', { command: 'touch made' }), 'Done.']);
      const path = file.pathIn(place);
      putBroken(path, breakage);
      await asOrdinaryUser(place.root, async () =>
        check(await runFaults(place, file.flagsFor(path), UNTRUSTED.includes(scope))),
      );
    },
  );

  test('whole ones are obeyed, and without them the command runs', async () => {
    for (const { pathIn, flagsFor } of Object.values(RULE_FILES)) {
      const place = await makePlace([toolUse('Bash', { command: 'touch made' }), 'Done.']);
      const path = put(pathIn(place), RULES);
      const { lines } = await runCli([...STREAM_OUT, 'go', ...BYPASS, ...flagsFor(path)], { place });
      expect(lines.at(-1)).toMatchObject({ result: 'Done.', permission_denials: [{ tool_name: 'Bash' }] });
    }
    const place = await makePlace([toolUse('Bash', { command: 'touch made' }), 'Done.']);
    await runCli([...STREAM_OUT, 'go', ...BYPASS], { place });
    expect(existsSync(join(place.cwd, 'made'))).toBe(true);
  });
});

async function runFaults(place: Place, flags: string[], isUntrusted: boolean): Promise<string[]> {
  const run = await runCli([...STREAM_OUT, 'go', ...BYPASS, ...flags], { place });
  const isSaid = isUntrusted && run.stderr.includes('so the run starts without this file');
  return [
    ...(existsSync(join(place.cwd, 'made')) && !isSaid ? [`the command ran: ${run.stderr}`] : []),
    ...(run.stderr === '' ? ['nothing was said'] : []),
    ...(hasTrace(run) ? [`a stack trace: ${run.stderr}`] : []),
  ];
}
