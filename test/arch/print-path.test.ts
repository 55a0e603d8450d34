import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { chunkOf, type Loaded, loadedWith, readMetafile } from '../support/bundles.ts';
import { ROOT } from '../support/root.ts';

/** Minified bytes that `heddle -p` may load before it speaks to the model. Raise it only with a reason in the commit. */
const PRINT_BUDGET = 357_000;
/** The entry alone, which answers `--version` and picks the branch. */
const VERSION_BUDGET = 5_500;
/** What `import "heddle"` loads, without the lines and blanks that make it readable. */
const SDK_BUDGET = 100_000;

/** What is imported on the way from `cli/main` to the first model request. */
const PRINT_PATH = ['src/cli/args.ts', 'src/cli/run.ts'];

const metafile = readMetafile();
const version = loadedWith(metafile, ['dist/cli/main/main']);
const print = loadedWith(metafile, ['dist/cli/main/main', ...PRINT_PATH.map((source) => chunkOf(metafile, source))]);
const sdk = loadedWith(metafile, ['dist/index.js']);

test('`heddle --version` loads next to nothing', () => {
  expect(version.bytes, version.modules.join('\n')).toBeLessThanOrEqual(VERSION_BUDGET);
});

test('the print path stays within its byte budget', () => {
  expect(print.bytes, heaviest(print)).toBeLessThanOrEqual(PRINT_BUDGET);
});

test.each([
  ['schemas (zod)', /^node_modules\/zod\//],
  ['MCP', /^src\/mcp\/|modelcontextprotocol/],
  ['hooks', /^src\/hooks\//],
  ['OpenTelemetry', /^src\/host\/telemetry\/|opentelemetry/],
  ['the SDK', /^src\/sdk\//],
  ['the testing kit', /^src\/testing\//],
  ['a user interface', /^src\/(tui|web)\//],
])('the print path does not load %s', (_name, pattern) => {
  expect(print.modules.filter((module) => pattern.test(module))).toEqual([]);
});

test('the print path loads no package that lies outside of the bundle (ripgrep, diff, proxy agent)', () => {
  expect(print.externals).toEqual([]);
});

test('[ARC-01] `import "heddle"` loads no engine code', () => {
  expect(
    sdk.modules.filter((module) => /^src\/(agent|host|tools|model|permissions|cli|testing)\//.test(module)),
  ).toEqual([]);
  expect(sdk.externals).toEqual([]);
});

test('`import "heddle"` stays within its byte budget', async () => {
  const texts = sdk.files.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const packed = await Promise.all(
    texts.map((text) => transform(text, { minifySyntax: true, minifyWhitespace: true, format: 'esm' })),
  );
  const bytes = packed.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
  expect(bytes, heaviest(sdk)).toBeLessThanOrEqual(SDK_BUDGET);
});

/** The largest modules first: where to look when a budget is exceeded. */
function heaviest({ files }: Loaded): string {
  const sizes = files.flatMap((file) =>
    Object.entries(metafile.outputs[file]?.inputs ?? {}).map(([module, input]) => ({
      module,
      bytes: input.bytesInOutput,
    })),
  );
  sizes.sort((a, b) => b.bytes - a.bytes);
  return sizes
    .slice(0, 15)
    .map(({ module, bytes }) => `${bytes} ${module}`)
    .join('\n');
}
