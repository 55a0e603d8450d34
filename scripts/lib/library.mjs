// Builds the library: modules that can be read, with maps to their sources.
import fs from 'node:fs/promises';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { EXTERNAL, LIBRARY } from './bundling.mjs';
import { guardImports, lateNames } from './late-parts.mjs';
import { checkAsModule } from './node-version.mjs';
import { builtInsWithoutRequire, placelessParser, zodOfForeignCode } from './plugins.mjs';
import { withHead, writeMaps } from './source-maps.mjs';

export const libraryEntries = {
  index: 'src/sdk/index.ts',
  engine: 'src/host/index.ts',
  wire: 'src/wire/index.ts',
  server: 'src/server/index.ts',
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
  const groups = await sharedGroups(common);
  const { metafile, outputFiles } = await esbuild.build({
    ...common,
    entryPoints: libraryEntries,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [sharedModules(root, groups), zodOfForeignCode, placelessParser, builtInsWithoutRequire],
    logOverride: { 'ignored-bare-import': 'silent' }, // of shared modules; they are not ignored
  });
  const files = new Map();
  for (const { path: file, text } of outputFiles) {
    const name = path.relative(root, file).split(path.sep).join('/');
    files.set(name, name === LOADER ? text : withGuards(name, text, metafile.outputs[name]));
  }
  checkVersionFirst({ metafile, files, manifest });
  writeMaps({ metafile, files, bundles: Object.keys(metafile.outputs).filter((name) => name !== VERSION_CHECK) });
  await shortenPackages({ metafile, files });
  return { metafile, files };
}

/** Files with nothing but other packages are read by nobody, and are a tenth of what an installation takes. */
async function shortenPackages({ metafile, files }) {
  for (const [name, { inputs }] of Object.entries(metafile.outputs)) {
    const ours = Object.entries(inputs).filter(
      ([source, { bytesInOutput }]) => /^src\//.test(source) && bytesInOutput > 0,
    );
    if (Object.keys(inputs).length === 0 || ours.length > 0) continue;
    const { code } = await esbuild.transform(files.get(name), {
      ...{ minify: true, format: 'esm', target: LIBRARY.target, legalComments: 'none', lineLimit: 160 },
    });
    files.set(name, code);
    metafile.outputs[name].bytes = Buffer.byteLength(code);
  }
}

/** What the SDK loads to read stored sessions, and what else it loads late. */
const STORED = 'src/sdk/stored/stored-sessions.ts';
const TYPES_ONLY = libraryEntries['sdk-tools'];
const OTHERS_LATE = [
  'src/sdk/host-callbacks.ts',
  'src/sdk/options/resolve-settings.ts',
  'src/sdk/subprocess/subprocess.ts',
  'src/sdk/tools/serve-tools.ts',
  'src/wire/messages/parse.ts',
];

/**
 * The bundler makes a chunk for each set of entries that share a module. With hundreds of parts that are loaded late the way
 * to the SDK would lead through forty small files, and that to stored sessions through twenty more. So there are two groups
 * of modules, and `importers` outside of a group, files that import one of its modules, import all of it: then it is one
 * chunk, or two.
 */
async function sharedGroups(common) {
  const [whole, sdk, late, stored] = await Promise.all([
    esbuild.build({ ...common, entryPoints: libraryEntries, plugins: [zodOfForeignCode, placelessParser] }),
    sourcesOf(common, [libraryEntries.index]),
    sourcesOf(common, OTHERS_LATE),
    sourcesOf(common, [STORED]),
  ]);
  const graph = Object.entries(whole.metafile.inputs).filter(([source]) => /^src\/.*\.ts$/.test(source));
  const isOfSdk = (source) => source.startsWith('src/sdk/');
  const ofAll = sdk.filter((source) => !isOfSdk(source));
  const ofStored = stored.filter((source) => !isOfSdk(source) && !sdk.includes(source) && !late.includes(source));
  const importsStored = ({ imports }) =>
    imports.some(({ kind, path: target }) => kind === 'import-statement' && ofStored.includes(target));
  const sourcesIf = (accepts) => graph.filter(accepts).map(([source]) => source);
  return [
    {
      name: 'shared',
      sources: ofAll,
      importers: sourcesIf(([source]) => source !== TYPES_ONLY && !ofAll.includes(source)),
    },
    {
      name: 'shared-stored',
      sources: ofStored,
      importers: sourcesIf(([source, input]) => !ofStored.includes(source) && importsStored(input)),
    },
  ];
}

/** What these entries load at once. */
async function sourcesOf(common, entryPoints) {
  const { metafile } = await esbuild.build({ ...common, entryPoints, plugins: [nothingLate] });
  return Object.keys(metafile.inputs).filter((source) => source.startsWith('src/'));
}

const nothingLate = {
  name: 'nothing-late',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path: name }) =>
      kind === 'dynamic-import' ? { path: name, external: true } : undefined,
    );
  },
};

function sharedModules(root, groups) {
  return {
    name: 'shared-modules',
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path: file }) => {
        const added = groups.filter(({ importers }) => importers.includes(path.relative(root, file)));
        if (added.length === 0) return undefined;
        const lines = added.map(({ name }) => `import "${name}";\n`);
        return { contents: `${await fs.readFile(file, 'utf8')}\n${lines.join('')}`, loader: 'ts' };
      });
      for (const { name, sources } of groups) {
        const contents = sources.map((source) => `import "./${source}";`).join('\n');
        build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }));
        build.onLoad({ filter: /./, namespace: name }, () => ({ contents, resolveDir: root }));
        // Imports of what has no effects would be dropped.
        build.onResolve({ filter: /./, namespace: name }, ({ path: source }) => ({
          path: path.join(root, source),
          sideEffects: true,
        }));
      }
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
