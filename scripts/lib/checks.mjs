// What `npm run check` and the tiers of tests look at, besides the tests themselves.

/** First of all: the other steps read dist/. */
export const buildStep = { name: 'build', command: ['scripts/build.mjs', '--if-stale'] };

/** The bundles alone, for tests that do not look at the declarations. */
export const bundleStep = { name: 'build without types', command: ['scripts/build.mjs', '--no-types', '--if-stale'] };

export const staticChecks = [
  {
    name: 'lint and format (biome)',
    command: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--colors=off', '.'],
  },
  { name: 'types (tsc)', command: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'] },
  {
    name: 'types of the page (tsc)',
    command: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.page.json'],
  },
  { name: 'published schemas up to date', command: ['scripts/schema.mjs', '--check'] },
  { name: 'every row of spec/ has a test, or a reason why not', command: ['scripts/spec.mjs', '--check'] },
  { name: 'nothing unused (knip)', command: ['node_modules/knip/bin/knip.js'] },
];

export const architectureStep = {
  name: 'architecture (test/arch)',
  command: ['node_modules/vitest/vitest.mjs', 'run', 'test/arch'],
};

/** Only what holds on any machine: multiples of the floor, which runs beside it, memory and bytes. */
export const costStep = {
  name: 'CPU and memory beside the floor (bench)',
  command: ['bench/run.mjs', '--runs', '3', '--only', 'hello,hello-cold,turns100,deltas', '--ratios', '--check'],
};
