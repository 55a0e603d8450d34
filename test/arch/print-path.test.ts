import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { type AnswerLike, toolUse } from '../../src/testing/index.ts';
import { madeOnce } from '../../src/util/made-once.ts';
import { type Loaded, loadedWith, readMetafile } from '../support/bundles.ts';
import { STREAM_OUT } from '../support/cli.ts';
import { type LoadedByRun, whatIsLoaded } from '../support/loaded.ts';
import { makePlace } from '../support/place.ts';
import { ROOT } from '../support/root.ts';
import { sourceFiles } from '../support/source-tree.ts';

const START = join(ROOT, 'dist/heddle.cjs');

/** What Node itself loads for a program that is empty differs from version to version: it is not counted. */
async function beyondNothing(program: [string, ...string[]], answers: AnswerLike[] = ['Hi']): Promise<LoadedByRun> {
  const place = await makePlace(answers);
  const empty = join(place.root, 'empty.cjs');
  writeFileSync(empty, '');
  const { builtIns: always } = await whatIsLoaded(place, [empty]);
  const { files, builtIns, sources } = await whatIsLoaded(place, program);
  return {
    files: files.map((file) => relative(ROOT, file)),
    builtIns: builtIns.filter((name) => !always.includes(name)),
    sources,
  };
}

/** Modules of Node for `process.stdout`, and what the start file names. */
const OF_EVERY_START = ['os', 'stream', 'stream/promises', 'string_decoder', 'vm'];
const OF_HELLO = [
  'crypto',
  'diagnostics_channel',
  'fs/promises',
  'http',
  'module',
  'net',
  'perf_hooks',
  'timers/promises',
];
/**
 * Of our own modules; 497 when this was measured. They are imported plainly unless src/doors.ts has a row for them, and
 * most cost next to nothing: 67 more took at most 2 ms of CPU. Time itself is measured by the bench; this number notices
 * a way that grows step by step.
 */
const MOST_SOURCES = 505;

test('`heddle --version` loads next to nothing', async () => {
  const { files, builtIns, sources } = await beyondNothing([START, '--version']);
  expect(files).toEqual(['dist/heddle.cjs']);
  expect(unexpected(builtIns, OF_EVERY_START)).toEqual([]);
  expect(sources).toEqual([]);
});

describe('a hello', () => {
  const hello = madeOnce(() => beyondNothing([START, ...STREAM_OUT, 'hello']));

  test('loads the start file and one bundle, and no package', async () => {
    const { files } = await hello();
    expect(files).toEqual(['dist/heddle.cjs', 'dist/bundles/print.cjs']);
  });

  test('loads no more modules of Node than these', async () => {
    const { builtIns } = await hello();
    expect(unexpected(builtIns, [...OF_EVERY_START, ...OF_HELLO])).toEqual([]);
  });

  test('runs no more of our modules than needed', async () => {
    const { sources } = await hello();
    expect(sources).toContain('src/cli/run/run.ts');
    expect(sources.length, sources.join('\n')).toBeLessThanOrEqual(MOST_SOURCES);
  });

  test.each([
    ['schemas (zod)', /^node_modules\/zod\//],
    ['MCP', /^src\/mcp\/|modelcontextprotocol/],
    ['hooks', /^src\/hooks\//],
    ['OpenTelemetry', /^src\/host\/telemetry\/|opentelemetry/],
    ['the SDK', /^src\/sdk\//],
    ['the testing kit', /^src\/testing\//],
  ])('the print path does not load %s', async (_name, pattern) => {
    const { sources } = await hello();
    expect(sources.filter((source) => pattern.test(source))).toEqual([]);
  });

  test('[TB-14, TUI-01] the print path does not load a user interface, nor the view', async () => {
    const { sources } = await hello();
    expect(sources.filter((source) => /^src\/(view|tui|web)\//.test(source))).toEqual([]);
  });
});

test.each([
  ['a command', 'echo hi'],
  ['a command that takes a parser', 'if true; then echo hi; fi'],
])('a run with %s loads one bundle more', async (_name, command) => {
  const answers = [toolUse('Bash', { command }), 'Hi'];
  const { files, sources } = await beyondNothing([START, ...STREAM_OUT, '--allowedTools', 'Bash', '--', 'go'], answers);
  expect(sources).toContain('src/util/process/process.ts');
  expect(files.filter((file) => file.startsWith('dist/bundles/'))).toEqual([
    'dist/bundles/print.cjs',
    'dist/bundles/shell.cjs',
  ]);
});

test('a model of another provider loads one bundle more', async () => {
  const { files, sources } = await beyondNothing([START, ...STREAM_OUT, '--model', 'offline', '--', 'hello']);
  expect(sources).toContain('src/model/offline/offline.ts');
  expect(files.filter((file) => file.startsWith('dist/bundles/'))).toEqual([
    'dist/bundles/print.cjs',
    'dist/bundles/models.cjs',
  ]);
});

test('no bundle of a first answer formats by the languages of Node: reading their tables takes 10 ms', () => {
  for (const name of ['print', 'models', 'common', 'shell']) {
    const text = readFileSync(join(ROOT, `dist/bundles/${name}.cjs`), 'latin1');
    expect(text, name).not.toMatch(/\.toLocale\w+\(|\bIntl\.(?!Segmenter)/);
  }
});

/** Node's own names for parts of its modules begin with a line. */
function unexpected(builtIns: string[], expected: string[]): string[] {
  return builtIns.filter((name) => !name.startsWith('_') && !expected.includes(name));
}

const metafile = readMetafile();

const PACKAGES: Readonly<Record<string, string[]>> = {
  'dist/bundles/print.cjs': [],
  'dist/bundles/shell.cjs': [],
  'dist/bundles/tui.cjs': ['@earendil-works/pi-tui', 'get-east-asian-width'],
  'dist/bundles/models.cjs': [],
  'dist/bundles/acp.cjs': [],
  'dist/bundles/server.cjs': ['@hono/node-server', 'hono', 'ws', 'zod'],
  'dist/bundles/editors.cjs': [],
  'dist/bundles/panels.cjs': [],
  'dist/bundles/rare.cjs': [],
  'dist/bundles/questions.cjs': [],
  'dist/bundles/typing.cjs': [],
  'dist/bundles/whole.cjs': [],
  'dist/bundles/answers.cjs': ['@speed-highlight/core', 'marked'],
};

describe('the bundles of the command line', () => {
  const bundles = Object.entries(metafile.outputs).filter(([name]) => name.startsWith('dist/bundles/'));
  const packagesOf = (inputs: object) =>
    new Set(Object.keys(inputs).flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []));

  test('are without the packages that few runs need, and the one that every start runs without any', () => {
    for (const [name, { inputs }] of bundles) {
      expect([...packagesOf(inputs)].sort(), name).toEqual(PACKAGES[name] ?? ['zod']);
    }
  });

  test('the print path loads no package that lies outside of the bundle (ripgrep, diff, proxy agent)', () => {
    const { imports } = metafile.outputs['dist/bundles/print.cjs'] ?? { imports: [] };
    const atOnce = imports.filter(({ kind, path }) => kind !== 'dynamic-import' && !path.startsWith('node:'));
    expect(atOnce.map(({ path }) => path)).toEqual([]);
  });

  const sourcesOf = ([, { inputs }]: (typeof bundles)[number]) =>
    Object.keys(inputs).filter((input) => /^src\//.test(input));
  const isTerminal = ([name]: (typeof bundles)[number]) => name === 'dist/bundles/tui.cjs';

  test('hold every module of ours once; only the terminal, which paints before the engine is read, has copies', () => {
    const sources = bundles.filter((each) => !isTerminal(each)).flatMap(sourcesOf);
    expect(sources).toContain('src/cli/main.ts');
    expect(sources.filter((source, at) => sources.indexOf(source) !== at)).toEqual([]);
  });

  /** What it says to the engine goes over a transport, as lines. */
  test('[TUI-03] the terminal has copies of few modules, and never asks for their classes', () => {
    const others = new Set(bundles.filter((each) => !isTerminal(each)).flatMap(sourcesOf));
    const copies = bundles
      .filter(isTerminal)
      .flatMap(sourcesOf)
      .filter((source) => others.has(source));
    expect(copies).toContain('src/util/json.ts');
    expect(copies.length).toBeLessThanOrEqual(40);
    expect(copies.filter((source) => /^src\/(agent|host|tools|model|permissions)\//.test(source))).toEqual([]);
    const files = sourceFiles();
    const texts = files.filter(({ path }) => copies.includes(path)).map(({ text }) => text);
    const classes = texts.flatMap((text) =>
      [...text.matchAll(/^export (?:abstract )?class (\w+)/gm)].map(([, name]) => name),
    );
    expect(classes).toContain('Peer');
    const asked = new RegExp(`instanceof (${classes.join('|')})\\b`);
    // Commands are in another bundle, whose classes are those of the engine.
    const ofTerminal = files.filter(({ path }) => /^src\/(tui|view|cli\/(?!commands\/))/.test(path));
    expect(ofTerminal.filter(({ text }) => asked.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

/** What `import "heddle"` loads, without the lines and blanks that make it readable. */
const SDK_BUDGET = 102_000;
/** Opening a module costs more than its bytes. */
const SDK_FILES = 9;
const sdk = loadedWith(metafile, ['dist/index.js']);

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

test('`import "heddle"` loads a handful of files, and no more modules of Node than these', async () => {
  const { files, builtIns } = await beyondNothing([join(ROOT, 'dist/index.js')]);
  expect(files.sort()).toEqual(sdk.files.sort());
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(SDK_FILES);
  expect(unexpected(builtIns, ['os', 'stream', 'stream/promises', 'string_decoder'])).toEqual([]);
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
