// Builds the library: modules that can be read, with maps to their sources.
import fs from 'node:fs/promises';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { EXTERNAL, LIBRARY } from './bundling.mjs';
import { guardImports, lateNames } from './late-parts.mjs';
import { checkAsModule } from './node-version.mjs';
import { placelessParser, zodOfForeignCode } from './plugins.mjs';
import { withHead, writeMaps } from './source-maps.mjs';

export const libraryEntries = {
  index: 'src/sdk/index.ts',
  engine: 'src/host/index.ts',
  wire: 'src/wire/index.ts',
  view: 'src/view/index.ts',
  'stores/jsonl': 'src/sessions/stores/jsonl-store.ts',
  'stores/memory': 'src/sessions/stores/memory-store.ts',
  'sdk-tools': 'src/wire/tools/sdk-tools.ts',
  testing: 'src/testing/index.ts',
  'load-part': 'src/wire/load-part.ts',
};

/** Has `loadPart`; an entry, so that it has a file of its own. */
const LOADER = 'dist/load-part.js';
/** Imported by every entry before anything else. */
const VERSION_CHECK = 'dist/node-version.js';

/** The files by name, relative to the root, and what the bundler says about them. */
export async function buildLibrary({ root, manifest }) {
  const common = { ...LIBRARY, absWorkingDir: root, outdir: 'dist', external: EXTERNAL };
  const shared = sharedModules({ root, sources: await sourcesOfSdk(common) });
  const { metafile, outputFiles } = await esbuild.build({
    ...common,
    entryPoints: libraryEntries,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [shared, zodOfForeignCode, placelessParser],
    logOverride: { 'ignored-bare-import': 'silent' }, // of shared modules; they are not ignored
  });
  const files = new Map();
  for (const { path: file, text } of outputFiles) {
    const name = path.relative(root, file).split(path.sep).join('/');
    files.set(name, name === LOADER ? text : withGuards(name, text, metafile.outputs[name]));
  }
  checkVersionFirst({ metafile, files, manifest });
  writeMaps({ metafile, files, bundles: Object.keys(metafile.outputs).filter((name) => name !== VERSION_CHECK) });
  return { metafile, files };
}

/** What `import 'heddle'` loads at once, without the modules that only the SDK has. */
async function sourcesOfSdk(common) {
  const { metafile } = await esbuild.build({ ...common, entryPoints: [libraryEntries.index], plugins: [nothingLate] });
  return Object.keys(metafile.inputs).filter((source) => /^src\/(?!sdk\/)/.test(source));
}

const nothingLate = {
  name: 'nothing-late',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path: name }) =>
      kind === 'dynamic-import' ? { path: name, external: true } : undefined,
    );
  },
};

const SHARED = 'shared-modules';
const TYPES_ONLY = libraryEntries['sdk-tools'];

/**
 * The bundler makes a chunk for each set of entries that share a module. With hundreds of parts that are loaded late the way
 * to the SDK would lead through forty small files. So every other module imports all of these: then they are one chunk.
 */
function sharedModules({ root, sources }) {
  const contents = sources.map((source) => `import "./${source}";`).join('\n');
  const alone = new Set([...sources, TYPES_ONLY].map((source) => path.join(root, source)));
  return {
    name: SHARED,
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path: file }) => {
        if (alone.has(file)) return undefined;
        return { contents: `${await fs.readFile(file, 'utf8')}\nimport "${SHARED}";\n`, loader: 'ts' };
      });
      build.onResolve({ filter: new RegExp(`^${SHARED}$`) }, () => ({ path: SHARED, namespace: SHARED }));
      build.onLoad({ filter: /./, namespace: SHARED }, () => ({ contents, resolveDir: root }));
      // Imports of what has no effects would be dropped.
      build.onResolve({ filter: /./, namespace: SHARED }, ({ path: name }) => ({
        path: path.join(root, name),
        sideEffects: true,
      }));
    },
  };
}

/** A file of ours that is missing means that the installation has changed. A program need not have every package. */
function withGuards(name, code, output) {
  const names = lateNames(output, (each) => (each.external ? each.path : wayTo(each.path, name)));
  if (names.length === 0) return code;
  const { text, sites } = guardImports(code, names, (each) => each.startsWith('.'));
  output.imports.push({ path: LOADER, kind: 'import-statement' });
  return withHead(text, `import { loadPart as __part } from "${wayTo(LOADER, name)}";\n${sites}\n`);
}

/** Modules are run in the order in which they are imported, but only once all of them are read. */
function checkVersionFirst({ metafile, files, manifest }) {
  const text = checkAsModule(manifest);
  files.set(VERSION_CHECK, text);
  metafile.outputs[VERSION_CHECK] = { imports: [], exports: [], inputs: {}, bytes: text.length };
  for (const entry of Object.keys(libraryEntries)) {
    const name = `dist/${entry}.js`;
    files.set(name, withHead(files.get(name), `import "${wayTo(VERSION_CHECK, name)}";\n`));
    metafile.outputs[name].imports.unshift({ path: VERSION_CHECK, kind: 'import-statement' });
  }
}

/** How one file imports another. */
function wayTo(file, from) {
  const way = path.posix.relative(path.posix.dirname(from), file);
  return way.startsWith('.') ? way : `./${way}`;
}
