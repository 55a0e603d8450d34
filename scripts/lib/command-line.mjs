// Builds the command line: dist/heddle.cjs, which starts it, the bundles that it runs, and files for large packages.
import crypto from 'node:crypto';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { COMMAND_LINE, EXTERNAL } from './bundling.mjs';
import { guardImports, lateNames } from './late-parts.mjs';
import { checkAsProgram } from './node-version.mjs';
import { doorName, entryText, givenText, PRINT, planOutputs } from './outputs.mjs';
import { placelessParser, zodOfForeignCode } from './plugins.mjs';

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
const PARAMETERS = 'exports,require,module,__filename,__import,__part,__given';
const TAG_LENGTH = 16;

export const commandLineSources = [PRINT.entry, START, ...VENDOR.map(({ entry }) => entry)];

/** The files by name, relative to the root, and what the bundler says about them. */
export async function buildCommandLine({ root, manifest, shebang }) {
  const common = { ...COMMAND_LINE, absWorkingDir: root, external: EXTERNAL, outExtension: { '.js': '.cjs' } };
  const built = await Promise.all([
    buildBundles(root, common),
    esbuild.build({
      ...common,
      entryPoints: Object.fromEntries(VENDOR.map(({ name, entry }) => [name, entry])),
      outdir: 'dist/vendor',
      minifyIdentifiers: true, // nobody reads a stack of other packages by the names in them
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
  const [bundles, ...others] = built;
  const rest = others.flatMap(({ outputFiles }) =>
    outputFiles.map(({ path: file, text }) => [nameOf(root, file), text]),
  );
  return {
    metafile: merged(built),
    files: new Map([...bundles.files, ...rest.map(([name, text]) => [name, Buffer.from(text)])]),
  };
}

/** The bundles that the start file runs; all of them begin with the same tag. */
async function buildBundles(root, common) {
  // `import.meta` is for modules: without it the sources look at `__filename`.
  const options = { ...common, define: { 'import.meta.url': 'undefined' } };
  const whole = await esbuild.build({ ...options, entryPoints: [PRINT.entry], outdir: 'dist', plugins: [vendorApart] });
  const plan = planOutputs(whole.metafile.inputs);
  const exportsOf = await readExports(
    root,
    plan.outputs.flatMap(({ gives }) => gives),
  );
  const built = await Promise.all(
    plan.outputs.map((output) =>
      esbuild.build({
        ...options,
        stdin: {
          contents: entryText(output, exportsOf),
          resolveDir: root,
          sourcefile: `${output.name}.ts`,
          loader: 'ts',
        },
        outfile: `dist/bundles/${output.name}.cjs`,
        plugins: [vendorApart, otherOutputs({ root, output, ownerOf: plan.ownerOf, exportsOf })],
      }),
    ),
  );
  const metafile = merged(built);
  const scripts = built.map(({ outputFiles: [{ path: file, text }] }) => {
    const name = nameOf(root, file);
    return [name, asScript(name, text, metafile.outputs[name])];
  });
  return { metafile, files: withTag(scripts) };
}

/** The names that each of these modules exports. */
async function readExports(root, files) {
  const options = { ...COMMAND_LINE, absWorkingDir: root, bundle: false, format: 'esm' };
  const { metafile } = await esbuild.build({ ...options, entryPoints: files, outdir: 'dist', outbase: '.' });
  const outputs = Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]);
  const names = new Map(outputs);
  return (file) => names.get(file);
}

/** Imports of modules that another output holds. */
function otherOutputs({ root, output, ownerOf, exportsOf }) {
  return {
    name: 'other-outputs',
    setup(build) {
      build.onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path: name, resolveDir, kind }) => {
        const file = nameOf(root, path.resolve(resolveDir, name));
        const owner = ownerOf(file);
        if (owner === output.name || (kind !== 'dynamic-import' && output.copies.has(file))) return undefined;
        if (kind === 'dynamic-import') return { path: doorName(owner, file), external: true };
        return { path: file, namespace: 'given' };
      });
      build.onLoad({ filter: /^/, namespace: 'given' }, ({ path: file }) => ({
        contents: givenText(ownerOf(file), file, exportsOf(file)),
      }));
    },
  };
}

const nameOf = (root, file) => path.relative(root, file).split(path.sep).join('/');

function merged(built) {
  return {
    inputs: Object.assign({}, ...built.map(({ metafile }) => metafile.inputs)),
    outputs: Object.assign({}, ...built.map(({ metafile }) => metafile.outputs)),
  };
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

/** A function that takes what the start file hands it. */
function asScript(name, code, output) {
  const { text, sites } = guardImports(code, lateNames(output), () => true);
  const script = `(function(${PARAMETERS}){"use strict";${sites}${withoutImports(name, text, output)}})`;
  refuseUnlessAscii(script, name);
  return script;
}

/** Each script behind a comment: the digest of all of them. So those of two builds are never taken for one program. */
function withTag(scripts) {
  const hash = crypto.createHash('sha256');
  for (const [name, text] of scripts) hash.update(`${name} ${text.length} ${text}`);
  const tag = hash.digest('hex').slice(0, TAG_LENGTH);
  return scripts.map(([name, text]) => [name, Buffer.from(`/*${tag}*/${text}`)]);
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
export function codeTag(files) {
  return files
    .get(`dist/bundles/${PRINT.name}.cjs`)
    .subarray(2, 2 + TAG_LENGTH)
    .toString();
}
