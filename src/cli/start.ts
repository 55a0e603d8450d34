import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { loadPart } from '../wire/load-part.ts';
import { installationChanged } from '../wire/part-errors.ts';
import { openCodeCache } from './code-cache.ts';
import { printVersion } from './print-version.ts';

/**
 * The first file of the built command line (`dist/heddle.cjs`). It answers `--version`, or runs `dist/bundles/print.cjs` or,
 * for a person at a terminal, `dist/bundles/tui.cjs`; the other bundles are read when the first door opens that leads to one of their modules. A bundle is a script, not a
 * module, because V8 can store the compiled code of a script: compiling would take a third of a start.
 */
type Bundle = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  importModule: (name: string) => Promise<unknown>,
  part: typeof loadPart,
  given: (file: string) => unknown,
) => void;

/** What a bundle exports (`scripts/lib/outputs.mjs`). */
interface Output {
  /** The bundles that are read with it. */
  reads: readonly string[];
  /** Its modules that others use, by its own name and the path of their source. */
  gives(): Record<string, () => object>;
  /** Its modules behind doors, by the path of their source. */
  doors: Record<string, () => Promise<unknown>>;
  /** Of the bundle of the command line. */
  main?: (argv: readonly string[]) => Promise<void>;
}

const open = new Map<string, Output>();
const given: Record<string, () => object> = {};
/** What keeps the compiled code of each bundle for the next start. */
const stores: (() => void)[] = [];
let tag: string | undefined;

function runBundle(name: string): Output {
  const filename = join(__dirname, 'bundles', `${name}.cjs`);
  // The build makes sure that the bundle is ASCII, which latin1 reads fastest.
  const source = readFileSync(filename, 'latin1');
  tag ??= tagOf(source);
  // Another version was installed since the start: its modules do not fit to those that run.
  if (tag !== tagOf(source)) throw installationChanged(filename);
  const { code, store } = openCodeCache({ dist: __dirname, name, tag });
  const script = new Script(source, { filename, ...(code && { cachedData: code }) });
  // One listener for all bundles: Node warns of a leak from the eleventh on.
  if (stores.length === 0) process.once('exit', storeAll);
  stores.push(() => store(script));
  const bundle = script.runInThisContext() as Bundle;
  const module = { exports: {} };
  bundle(module.exports, require, module, filename, importModule, loadPart, givenModule);
  return module.exports as Output;
}

function storeAll(): void {
  for (const store of stores) store();
}

/** A module of another bundle, which is read when the first of its modules is needed: `name#file`. */
function givenModule(key: string): unknown {
  if (!Object.hasOwn(given, key)) openBundle(key.slice(0, key.indexOf('#')));
  return given[key]?.();
}

/** Reads the bundle and those that are read with it, each once. */
function openBundle(name: string): Output {
  const known = open.get(name);
  if (known) return known;
  const output = runBundle(name);
  Object.assign(given, output.gives());
  open.set(name, output);
  for (const other of output.reads) openBundle(other);
  return output;
}

/** Passed in from here: in Node 20 a script whose code comes from a cache has no `import()`. */
async function importModule(name: string): Promise<unknown> {
  const [, bundle, file] = /^\.\/bundles\/(\w+)\.cjs#(.+)$/.exec(name) ?? [];
  if (bundle !== undefined && file !== undefined) return openBundle(bundle).doors[file]?.();
  return name.startsWith('node:') ? require(name) : import(name);
}

/** A bundle begins with a comment: the digest of all bundles of its build. */
function tagOf(source: string): string {
  return source.slice('/*'.length, source.indexOf('*/'));
}

/** A person sits at a terminal, as far as can be seen without reading all words; the terminal reads them itself. */
function isForTerminal([first = '', ...others]: readonly string[]): boolean {
  const { TERM, HEDDLE_UI, CLAUDE_AX_SCREEN_READER } = process.env;
  if (TERM === 'dumb' || HEDDLE_UI === 'plain' || CLAUDE_AX_SCREEN_READER === '1') return false;
  if (/^\w[\w-]*$/.test(first)) return false;
  if ([first, ...others].some((word) => OF_PROGRAMS.test(word))) return false;
  const { isatty } = process.getBuiltinModule('node:tty');
  return isatty(0) && isatty(1);
}

/** Most words that say that nobody wants the terminal. */
const OF_PROGRAMS = /^(-p|-h|-v|--(print|help|version|bg|plain|ax-screen-reader|(in|out)put-format.*))$/;

/** The terminal paints before it reads the engine. */
async function openTerminal(argv: readonly string[]): Promise<void> {
  const terminal = (await importModule(TERMINAL)) as { main: (argv: readonly string[]) => Promise<boolean> };
  if (!(await terminal.main(argv))) await runPrint(argv);
}

async function runPrint(argv: readonly string[]): Promise<void> {
  await openBundle('print').main?.(argv);
}

const TERMINAL = './bundles/tui.cjs#src/cli/interactive.ts';

const argv = process.argv.slice(2);
const [only, ...more] = argv;
if (more.length === 0 && (only === '-v' || only === '--version')) {
  // A reader that closes early (`| head`) is not an error worth a stack.
  process.stdout.on('error', () => {
    process.exitCode = 1;
  });
  printVersion();
} else if (isForTerminal(argv)) openTerminal(argv);
else runPrint(argv);
