#!/usr/bin/env node
// Builds dist/: the bundles with esbuild, the declarations with tsc, side by side.
//
//   node scripts/build.mjs              everything
//   node scripts/build.mjs --no-types   the bundles only (well under two seconds)
//   node scripts/build.mjs --if-stale   nothing, when dist/ is newer than what it is made of
//
// The command line and the library are two builds: sharing chunks between them would make every start of the CLI load
// a handful of small files instead of one. Files are written only when they changed, entries after their chunks, so that
// a CLI that is running during a build keeps the chunks it may still import.
//
// The library stays modules, readable ones with maps to their sources. The command line becomes scripts
// (lib/cli-scripts.mjs), which dist/heddle.cjs loads; it runs once in the end, so that its compiled code is kept.
// dist/cli.js is another way in, for whoever knows that path. All begin with a look at the version of Node.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { COMMAND_LINE, LIBRARY } from './lib/bundling.mjs';
import { keptName, makeScripts } from './lib/cli-scripts.mjs';
import { publishDeclarations } from './lib/declarations.mjs';
import { guardLateParts } from './lib/late-parts.mjs';
import { collectLicenses } from './lib/licenses.mjs';
import { mergeChunks } from './lib/merge-chunks.mjs';
import { checkAsModule, checkAsProgram } from './lib/node-version.mjs';
import { withHead, writeMaps } from './lib/source-maps.mjs';
import { newestMtime, root } from './lib/tree.mjs';
import { warmUp } from './lib/warm-up.mjs';

const dist = path.join(root, 'dist');
const cliEntries = { cli: 'src/cli/main.ts' };
const startFile = 'src/cli/start.ts';
const libraryEntries = {
  index: 'src/sdk/index.ts',
  engine: 'src/host/index.ts',
  wire: 'src/wire/index.ts',
  'stores/jsonl': 'src/sessions/jsonl-store.ts',
  'stores/memory': 'src/sessions/memory-store.ts',
  'sdk-tools': 'src/wire/sdk-tools.ts',
  testing: 'src/testing/index.ts',
  'load-part': 'src/wire/load-part.ts',
};

const SHEBANG = '#!/usr/bin/env node\n';
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
/** Imported by every entry of the library before anything else. */
const versionCheck = 'dist/node-version.js';
/** The first file must be read by Nodes that are too old, so that they can be told so. */
const firstFile = {
  ...COMMAND_LINE,
  format: 'cjs',
  target: 'node12.22',
  banner: { js: SHEBANG + checkAsProgram(manifest) },
};

/** A run of the command line, one that goes on with a session, the SDK, and its functions for stored sessions. */
const loadedTogether = [
  { name: 'cli-core', sources: ['src/cli/args.ts', 'src/cli/run.ts'] },
  {
    name: 'cli-resume',
    sources: [
      ...['src/host/find-source.ts', 'src/host/past.ts', 'src/tools/todo-restore.ts'],
      ...['src/sessions/transcript-reader.ts', 'src/sessions/transcript-tail.ts'],
    ],
  },
  { name: 'cli-list', sources: ['src/cli/commands/sessions.ts', 'src/cli/commands/sessions-list.ts'] },
  { name: 'lib-core', sources: ['src/sdk/index.ts', 'src/wire/load-part.ts'] },
  { name: 'lib-stored', sources: ['src/sdk/stored-sessions.ts'] },
];

/**
 * The MCP package uses most of zod, and a module that two parts share is in one chunk with all that either of them uses:
 * everybody would load it. Its own is left to the installed package, when a remote server is configured.
 */
const zodOfForeignCode = {
  name: 'zod-of-foreign-code',
  setup(build) {
    build.onResolve({ filter: /^zod(\/|$)/ }, ({ path: name, importer }) =>
      importer.includes('node_modules/@modelcontextprotocol/') ? { path: name, external: true } : undefined,
    );
  },
};

/**
 * Tree-sitter looks around where it lies, though it is handed all that it needs. In a program that was bundled again, and
 * is no module, there is no such place: any other will do.
 */
const anywhere = "(process.platform === 'win32' ? 'file:///C:/' : 'file:///')";
const placelessParser = {
  name: 'placeless-parser',
  setup(build) {
    build.onLoad({ filter: /\/web-tree-sitter\.js$/ }, ({ path: file }) => {
      const text = fs.readFileSync(file, 'utf8');
      if (!text.includes('import.meta.url')) throw new Error(`${file}: import.meta.url is not in it any more`);
      return { contents: text.replaceAll('import.meta.url', anywhere), loader: 'js' };
    });
  },
};

/** What the shell parser consists of (src/permissions/shell-parser.ts); it lies beside the bundles. */
const wasmFiles = [
  'node_modules/web-tree-sitter/web-tree-sitter.wasm',
  'node_modules/tree-sitter-bash/tree-sitter-bash.wasm',
];

const { values: flags } = parseArgs({
  options: { 'no-types': { type: 'boolean', default: false }, 'if-stale': { type: 'boolean', default: false } },
});
const wantsTypes = !flags['no-types'];

if (flags['if-stale'] && isFresh()) process.exit(0);
requireEntries({ ...cliEntries, startFile, ...libraryEntries });

const started = performance.now();
const results = await Promise.allSettled([bundle(), ...(wantsTypes ? [declarations()] : [])]);
const failures = results.filter((result) => result.status === 'rejected').map((result) => result.reason.message);
if (failures.length > 0) {
  console.error(`build failed:\n${failures.join('\n')}`);
  process.exit(1);
}
const warmth = await warmUp(dist);
if (warmth) console.error(`built, but the first start will be slower: ${warmth}`);
console.log(`built dist/ in ${Math.round(performance.now() - started)} ms`);

async function bundle() {
  const [cli, library, start] = await Promise.all([
    esbuild.build(options({ name: 'cli', entryPoints: cliEntries, style: COMMAND_LINE })),
    esbuild.build(options({ name: 'lib', entryPoints: libraryEntries, style: LIBRARY })),
    esbuild.build({ ...firstFile, absWorkingDir: root, entryPoints: [startFile] }),
  ]);
  const metafile = {
    inputs: { ...library.metafile.inputs, ...cli.metafile.inputs },
    outputs: { ...library.metafile.outputs, ...cli.metafile.outputs },
  };
  const files = new Map([...library.outputFiles, ...cli.outputFiles].map((file) => [file.path, file.contents]));
  // What the command line itself needs stays apart: `--version` must not load the rest.
  const entry = 'dist/cli.js';
  const signposts = await mergeChunks({ root, metafile, files, groups: loadedTogether, apart: [entry] });
  await makeScripts({ root, metafile, files, entry, signposts });
  const isBundle = (file) => files.has(path.join(root, file)) && !signposts.has(file);
  const bundles = Object.keys(metafile.outputs).filter(isBundle);
  await guardLateParts({ root, metafile, files, bundles });
  checkVersionFirst({ metafile, files });
  writeMaps({ root, metafile, files, bundles });
  files.set(path.join(dist, 'heddle.cjs'), start.outputFiles[0].contents);
  files.set(path.join(dist, 'cli.js'), Buffer.from(`${SHEBANG}import './heddle.cjs';\n`));
  for (const file of wasmFiles) files.set(path.join(dist, path.basename(file)), fs.readFileSync(path.join(root, file)));
  const sources = [...Object.keys(metafile.inputs), ...wasmFiles];
  files.set(path.join(dist, 'third-party-licenses.txt'), collectLicenses(sources));
  writeChanged(files);
  for (const name of ['heddle.cjs', 'cli.js']) fs.chmodSync(path.join(dist, name), 0o755);
  removeStale('chunks', files);
  removeStale('cli', files);
  // Last, and always: its time says when dist/ was up to date.
  fs.writeFileSync(path.join(dist, 'meta.json'), JSON.stringify(metafile));
}

/** Modules are run in the order in which they are imported, but only once all of them are read. */
function checkVersionFirst({ metafile, files }) {
  const text = checkAsModule(manifest);
  files.set(path.join(root, versionCheck), Buffer.from(text));
  metafile.outputs[versionCheck] = { imports: [], exports: [], inputs: {}, bytes: text.length };
  for (const name of Object.keys(libraryEntries)) {
    const file = `dist/${name}.js`;
    const place = path.posix.relative(path.dirname(file), versionCheck);
    const head = `import "${place.startsWith('.') ? place : `./${place}`}";\n`;
    const entry = Buffer.from(files.get(path.join(root, file))).toString();
    files.set(path.join(root, file), Buffer.from(withHead(entry, { old: '', head })));
    metafile.outputs[file].imports.unshift({ path: versionCheck, kind: 'import-statement' });
  }
}

function options({ name, entryPoints, style }) {
  return {
    ...style,
    absWorkingDir: root,
    entryPoints,
    outdir: 'dist',
    chunkNames: `chunks/${name}-[name]-[hash]`,
    splitting: true,
    // Zod's converters would drag their parts of zod into the chunk that the SDK shares; they are loaded on demand.
    external: ['@vscode/ripgrep', 'diff', 'https-proxy-agent', 'zod/v3', 'zod/v4/*', 'zod-to-json-schema'],
    plugins: [zodOfForeignCode, placelessParser],
    metafile: true,
  };
}

function declarations() {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stderr.on('data', (data) => {
      output += data;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`declarations:\n${output.trimEnd()}`));
      fs.mkdirSync(path.join(dist, 'types'), { recursive: true });
      publishDeclarations(path.join(dist, 'types-of-tsc'), path.join(dist, 'types'));
      // Its time is what --if-stale looks at.
      fs.writeFileSync(path.join(dist, 'types/made.tsbuildinfo'), '');
      resolve();
    });
  });
}

function requireEntries(entries) {
  const missing = Object.values(entries).filter((file) => !fs.existsSync(path.join(root, file)));
  if (missing.length === 0) return;
  console.error(`build failed: missing entry points:\n${missing.map((file) => `  ${file}`).join('\n')}`);
  process.exit(1);
}

function isFresh() {
  const sources = ['src', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts'];
  const builtAt = wantsTypes ? Math.min(mtime('meta.json'), mtime('types/made.tsbuildinfo')) : mtime('meta.json');
  return builtAt > newestMtime(sources);
}

function mtime(file) {
  return fs.statSync(path.join(dist, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function writeChanged(files) {
  const isEntry = (file) => path.dirname(file) === dist || path.basename(file) === 'main.js';
  const chunksFirst = [...files].sort(([a], [b]) => Number(isEntry(a)) - Number(isEntry(b)));
  for (const [file, contents] of chunksFirst) {
    if (fs.existsSync(file) && fs.readFileSync(file).equals(Buffer.from(contents))) continue;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(`${file}.new`, contents);
    fs.renameSync(`${file}.new`, file);
  }
}

/** Also what is kept of scripts that are no more. */
function removeStale(part, files) {
  const folder = path.join(dist, part);
  if (!fs.existsSync(folder)) return;
  const kept = new Set([...files].map(([file, contents]) => keptName(file, Buffer.from(contents))));
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(file) && !kept.has(entry.name)) fs.rmSync(file);
  }
}
