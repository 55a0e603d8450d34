import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { loadPart } from '../wire/load-part.ts';
import { openCodeCache } from './code-cache.ts';
import { printVersion } from './print-version.ts';

/**
 * The first file of the built command line (`dist/heddle.cjs`). It answers `--version`, or runs one of the bundles of
 * `dist/bundles`. A bundle is a script, not a module, because V8 can store the compiled code of a script: compiling
 * would take a third of a start.
 */
type Bundle = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  importModule: (name: string) => Promise<unknown>,
  part: typeof loadPart,
) => void;

function runBundle(name: string): void {
  const filename = join(__dirname, 'bundles', `${name}.cjs`);
  // The build makes sure that the bundle is ASCII, which latin1 reads fastest.
  const source = readFileSync(filename, 'latin1');
  const { code, store } = openCodeCache({ dist: __dirname, name, tag: tagOf(source) });
  const script = new Script(source, { filename, ...(code && { cachedData: code }) });
  process.once('exit', () => store(script));
  const bundle = script.runInThisContext() as Bundle;
  const module = { exports: {} };
  bundle(module.exports, require, module, filename, importModule, loadPart);
}

/** Passed in from here: in Node 20 a script whose code comes from a cache has no `import()`. */
async function importModule(name: string): Promise<unknown> {
  return name.startsWith('node:') ? require(name) : import(name);
}

/** A bundle begins with a comment: the digest of the rest. */
function tagOf(source: string): string {
  return source.slice('/*'.length, source.indexOf('*/'));
}

const [only, ...more] = process.argv.slice(2);
if (more.length === 0 && (only === '-v' || only === '--version')) {
  // A reader that closes early (`| head`) is not an error worth a stack.
  process.stdout.on('error', () => {
    process.exitCode = 1;
  });
  printVersion();
} else runBundle('cli');
