import { parseArgs } from 'node:util';
import { CLIENT_CHECKS } from './clients.ts';
import { DIFFERENTIAL_CHECKS } from './differential.ts';
import { withRig } from './rig.ts';

// Runs the checks of providers; `scripts/lib/provider-clients.mjs` starts it, and gets the outcomes as one message.

const PATIENCE_MS = 120_000;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '' },
    reference: { type: 'string', default: '' },
    cli: { type: 'string', default: '' },
  },
});
const outcomes: { name: string; ok: boolean; output: string }[] = [];
for (const [name, check] of Object.entries({ ...CLIENT_CHECKS, ...DIFFERENTIAL_CHECKS })) {
  const output = await inTime(withRig(values, check)).then(
    () => null,
    (error) => String(error instanceof Error ? error.stack : error),
  );
  outcomes.push({ name, ok: output === null, output: output ?? '' });
}
process.send?.(outcomes, () => process.exit());

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It was not over after ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
