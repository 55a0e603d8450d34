import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, STREAM_OUT } from '../support/cli.ts';
import { hasTrace } from '../support/damage-run.ts';
import { inLanes } from '../support/lanes.ts';
import { makePlace } from '../support/place.ts';
import { figure } from './figures.ts';

/** Values of --mcp-config and --settings that cannot be meant; `not-json` and `folder` are there. */
const BAD = ['/no/such.json', '{', 'not-json', 'folder', '[]', '5', 'null', ''];
const BAD_SERVERS = ['{}', '{"servers":{}}', '{"mcpServers":5}', '{"mcpServers":{"x":5}}', '{"mcpServers":[]}'];
const BAD_SETTINGS = ['{"permissions":5}', '{"permissions":{"deny":"Bash"}}', '{"permissions":{"deny":[5]}}'];

const LAUNCHES: { flags: string[]; home?: string }[] = [
  ...[...BAD, ...BAD_SERVERS].map((value) => ({ flags: ['--mcp-config', value] })),
  ...[...BAD, ...BAD_SETTINGS].map((value) => ({ flags: ['--settings', value] })),
  ...['/proc/heddle', '/dev/null/heddle', 'not-json/heddle', 'not-json'].map((home) => ({ flags: [], home })),
];
const FORMATS = [['-p'], ['-p', '--output-format', 'json'], STREAM_OUT];

test('[P-20] what cannot be used is said, with an error; there is no success without an answer', async () => {
  const cases = LAUNCHES.flatMap((launch) => FORMATS.map((format) => ({ ...launch, format })));
  const runs = await inLanes(cases, 3, async ({ flags, home, format }) => {
    const place = await makePlace(() => 'The whole answer.');
    writeFileSync(join(place.cwd, 'not-json'), 'permissions: deny');
    mkdirSync(join(place.cwd, 'folder'));
    const env = home === undefined ? {} : { HEDDLE_HOME: resolve(place.cwd, home) };
    const run = await runCli([...format, 'go', ...flags], { place, env });
    const isAnswered = run.stdout.includes('The whole answer.');
    return {
      flags,
      home,
      format,
      isAnswered,
      isAloud: run.stderr + run.stdout !== '',
      trace: hasTrace(run),
      code: run.code,
    };
  });
  const silent = runs.filter((run) => !run.isAloud || run.trace || (run.code === 0 && !run.isAnswered));
  // A home that cannot be written to may cost the transcript, not the answer; a bad flag must cost the run.
  const taken = runs.filter((run) => run.home === undefined && run.code === 0);
  figure('P-20', `${runs.length} bad launches, ${silent.length} silent, ${taken.length} taken as good`);
  expect([silent, taken]).toEqual([[], []]);
});
