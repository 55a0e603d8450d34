// Builds the command line: dist/heddle.cjs, which starts it, the bundles that it runs, and files for large packages.
import crypto from 'node:crypto';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { COMMAND_LINE, EXTERNAL } from './bundling.mjs';
import { guardImports, lateNames } from './late-parts.mjs';
import { checkAsProgram } from './node-version.mjs';
import { placelessParser, zodOfForeignCode } from './plugins.mjs';

/** One file of dist/bundles for each; its compiled code has a file of its own, too. */
const BUNDLES = { cli: 'src/cli/main.ts' };

const START = 'src/cli/start.ts';

/**
 * Packages that few runs need have files of their own in dist/vendor: where no compiled code is stored yet, V8 reads all of
 * a bundle before it runs any of it. `imported` is how the sources import them.
 */
const VENDOR = [
  { name: 'ajv', imported: /^ajv\/dist\/2020\.js$/, entry: 'node_modules/ajv/dist/2020.js' },
  { name: 'web-tree-sitter', imported: /^web-tree-sitter$/, entry: 'node_modules/web-tree-sitter/web-tree-sitter.js' },
  { name: 'mcp', imported: /\/mcp-package\.ts$/, entry: 'src/mcp/mcp-package.ts' },
];

/** The parameters of a bundle; src/cli/start.ts calls it. */
const PARAMETERS = 'exports,require,module,__filename,__import,__part';
const TAG_LENGTH = 16;

export const commandLineSources = [...Object.values(BUNDLES), START, ...VENDOR.map(({ entry }) => entry)];

/** The files by name, relative to the root, and what the bundler says about them. */
export async function buildCommandLine({ root, manifest, shebang }) {
  const common = { ...COMMAND_LINE, absWorkingDir: root, external: EXTERNAL, outExtension: { '.js': '.cjs' } };
  const entries = VENDOR.map(({ name, entry }) => [name, entry]);
  const built = await Promise.all([
    // `import.meta` is for modules: without it the sources look at `__filename`.
    esbuild.build({
      ...common,
      entryPoints: BUNDLES,
      outdir: 'dist/bundles',
      define: { 'import.meta.url': 'undefined' },
      plugins: [vendorApart],
    }),
    esbuild.build({
      ...common,
      entryPoints: Object.fromEntries(entries),
      outdir: 'dist/vendor',
      plugins: [zodOfForeignCode, placelessParser],
    }),
    // Nodes that are too old must be able to read the first file, so that they can be told so.
    esbuild.build({
      ...common,
      entryPoints: { heddle: START },
      outdir: 'dist',
      target: 'node12.22',
      banner: { js: shebang + checkAsProgram(manifest) },
    }),
  ]);
  const metafile = {
    inputs: Object.assign({}, ...built.map(({ metafile }) => metafile.inputs)),
    outputs: Object.assign({}, ...built.map(({ metafile }) => metafile.outputs)),
  };
  const files = new Map();
  for (const { path: file, text } of built.flatMap(({ outputFiles }) => outputFiles)) {
    const name = path.relative(root, file).split(path.sep).join('/');
    const isBundle = name.startsWith('dist/bundles/');
    files.set(name, Buffer.from(isBundle ? asScript(name, text, metafile.outputs[name]) : text));
  }
  return { metafile, files };
}

/** What the sources import late becomes an import of a file in dist/vendor, as the start file finds it. */
const vendorApart = {
  name: 'vendor-apart',
  setup(build) {
    for (const { name, imported } of VENDOR) {
      build.onResolve({ filter: imported }, ({ kind, importer }) => {
        if (kind === 'dynamic-import') return { path: `./vendor/${name}.cjs`, external: true };
        return { errors: [{ text: `${importer} must import ${name} late: it has a file of its own` }] };
      });
    }
  },
};

/** A function, behind a comment with the digest of all that it says. */
function asScript(name, code, output) {
  const { text, sites } = guardImports(code, lateNames(output), () => true);
  const script = `(function(${PARAMETERS}){"use strict";${sites}${withoutImports(name, text, output)}})`;
  refuseUnlessAscii(script, name);
  return `/*${crypto.createHash('sha256').update(script).digest('hex').slice(0, TAG_LENGTH)}*/${script}`;
}

/**
 * The start file imports for the bundle: in Node 20 a script whose code comes from a cache has no `import()` of its own,
 * and `vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER` would print a warning there. What only looks like a call in a text
 * must not be changed.
 */
function withoutImports(name, text, { imports }) {
  const known = new Set(imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path));
  const calls = [...text.matchAll(/\bimport\((?:"([^"]+)"|\w+)\)/g)].filter(([, each]) => !each || known.has(each));
  if (calls.length !== text.split(/\bimport\(/).length - 1) {
    throw new Error(`${name}: "import(" stands in a text or a pattern; write it in another way`);
  }
  return text.replaceAll(/\bimport\(/g, '__import(');
}

/**
 * The start file reads bundles as one byte per character, because that is quicker. The bundler escapes other characters in
 * texts, but it leaves patterns and `String.raw` as they are: there the source has to.
 */
function refuseUnlessAscii(text, name) {
  const odd = /\P{ASCII}/u.exec(text);
  if (odd === null) return;
  const around = text.slice(Math.max(0, odd.index - 40), odd.index + 40).replaceAll('\n', ' ');
  throw new Error(`${name}: write the character ${odd[0]} as an escape in the source: …${around}…`);
}

/** The beginning of the names of folders in dist/code-cache that hold code of these files. */
export function codeTags(files) {
  const bundles = [...files].filter(([name]) => name.startsWith('dist/bundles/'));
  return bundles.map(([, contents]) => contents.subarray(2, 2 + TAG_LENGTH).toString());
}
