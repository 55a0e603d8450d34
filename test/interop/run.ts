import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { InteropCase, ReferenceVersion } from './case.ts';
import { CASES } from './cases/index.ts';
import { REVERSE_CASES } from './reverse-cases.ts';
import { type Reference, type ReferenceSdk, runCase } from './rig.ts';

// Runs every case with one version of the reference SDK; scripts/interop.mjs starts it, once for each version. With `--sdk`
// it is the other way round: our SDK drives the command line that is given.

const PATIENCE_MS = 20_000;

const { values } = parseArgs({
  options: {
    version: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
    cli: { type: 'string', default: '' },
    sdk: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    quiet: { type: 'boolean', default: false },
  },
});
const version = values.version as ReferenceVersion;
const tally = { passed: 0, failed: 0, skipped: 0 };

// The SDK may leave promises behind that nobody waits for; the case that notices says more.
process.on('unhandledRejection', (error) => say(`note    ${version}  a rejection nobody waited for: ${error}`));

const reference = await loadReference();
const cases = values.sdk === '' ? CASES : REVERSE_CASES;
for (const each of cases.filter(({ id }) => id.includes(values.only))) tally[await judge(each)]++;
process.send?.(tally, () => process.exit());

/** What is of no interest as long as everything works. */
function say(line: string): void {
  if (!values.quiet) console.log(line);
}

async function judge(each: InteropCase): Promise<keyof typeof tally> {
  const name = `${version.padEnd(7)}  ${each.id}`;
  if (each.only && each.only !== version) {
    say(`skipped ${name}: only ${each.only} has it`);
    return 'skipped';
  }
  const started = performance.now();
  try {
    await inTime(runCase(each, reference));
    say(`ok      ${name} (${Math.round(performance.now() - started)} ms)`);
    return 'passed';
  } catch (error) {
    console.log(`FAILED  ${name}: ${each.title}\n${storyOf(error).replace(/^/gm, '        ')}`);
    return 'failed';
  }
}

/** The message, and where in the cases it happened; nothing of the SDK's own code. */
function storyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ +at .*\/interop\/cases\//.test(line));
  return [error.message, ...frames].join('\n');
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It was not over after ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function loadReference(): Promise<Reference> {
  const { resolve } = createRequire(join(values.folder, 'package.json'));
  const load = async <Module>(specifier: string) => (await import(pathToFileURL(resolve(specifier)).href)) as Module;
  return {
    version,
    sdk: await load<ReferenceSdk>(values.sdk || `reference-${version}`),
    zod: await load<typeof import('zod')>('zod'),
    load,
    cli: values.cli,
    ours: values.sdk === '' ? values.cli : join(dirname(values.sdk), 'cli.js'),
  };
}
