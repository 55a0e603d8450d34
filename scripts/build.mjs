#!/usr/bin/env node
// Builds dist/: the bundles with esbuild, the declarations with tsc, side by side.
//
//   node scripts/build.mjs              everything
//   node scripts/build.mjs --no-types   the bundles only (well under two seconds)
//   node scripts/build.mjs --if-stale   nothing, when dist/ is newer than what it is made of
//
// The library is modules, readable ones with maps to their sources (lib/library.mjs). The command line is a few scripts,
// which dist/heddle.cjs runs (lib/command-line.mjs, lib/outputs.mjs); in the end it runs some times, so that its compiled
// code is stored. dist/cli.js is another way in, for whoever knows that path. All begin with a look at the version of Node.
//
// Files are written only when they changed, entries after their chunks, so that a program that is running during a build
// keeps the chunks it may still import.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildCommandLine, codeTag, commandLineSources } from './lib/command-line.mjs';
import { publishDeclarations } from './lib/declarations.mjs';
import { buildLibrary, libraryEntries } from './lib/library.mjs';
import { collectLicenses } from './lib/licenses.mjs';
import { billOfMaterials } from './lib/sbom.mjs';
import { filesBelow, newestMtime, root } from './lib/tree.mjs';
import { warmUp } from './lib/warm-up.mjs';
import { buildPage } from './lib/web-page.mjs';

const dist = path.join(root, 'dist');
const SHEBANG = '#!/usr/bin/env node\n';
const PROGRAMS = ['dist/heddle.cjs', 'dist/cli.js'];
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** What the shell parser consists of (src/permissions/shell/shell-parser.ts); it lies beside the bundles. */
const wasmFiles = [
  'node_modules/web-tree-sitter/web-tree-sitter.wasm',
  'node_modules/tree-sitter-bash/tree-sitter-bash.wasm',
];

const { values: flags } = parseArgs({
  options: { 'no-types': { type: 'boolean', default: false }, 'if-stale': { type: 'boolean', default: false } },
});
const wantsTypes = !flags['no-types'];

if (flags['if-stale'] && isFresh()) process.exit(0);
requireEntries([...commandLineSources, ...Object.values(libraryEntries)]);

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
  const [library, commandLine, page] = await Promise.all([
    buildLibrary({ root, manifest }),
    buildCommandLine({ root, manifest, shebang: SHEBANG }),
    buildPage({ root }),
  ]);
  const metafile = {
    inputs: { ...library.metafile.inputs, ...commandLine.metafile.inputs, ...page.metafile.inputs },
    outputs: { ...library.metafile.outputs, ...commandLine.metafile.outputs },
  };
  const files = new Map([...library.files, ...commandLine.files, ...page.files]);
  files.set('dist/cli.js', `${SHEBANG}import './heddle.cjs';\n`);
  for (const file of wasmFiles) files.set(`dist/${path.basename(file)}.gz`, compressed(path.join(root, file)));
  const inputs = [...Object.keys(metafile.inputs), ...wasmFiles];
  files.set('dist/third-party-licenses.txt', collectLicenses(inputs));
  files.set('dist/sbom.cdx.json', billOfMaterials(inputs, manifest));
  writeChanged(files);
  for (const name of PROGRAMS) fs.chmodSync(path.join(root, name), 0o755);
  removeStale(files);
  // Last, and always: its time says when dist/ was up to date.
  fs.writeFileSync(path.join(dist, 'meta.json'), JSON.stringify(metafile));
}

/** The same bytes on every machine: the head of such a file could name a time and a system. */
function compressed(file) {
  const bytes = gzipSync(fs.readFileSync(file), { level: 9 });
  bytes[9] = 0xff;
  return bytes;
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
  const missing = entries.filter((file) => !fs.existsSync(path.join(root, file)));
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
  const isEntry = (name) => path.dirname(name) === 'dist';
  const entriesLast = [...files].sort(([a], [b]) => Number(isEntry(a)) - Number(isEntry(b)));
  for (const [name, contents] of entriesLast) {
    const file = path.join(root, name);
    if (fs.existsSync(file) && fs.readFileSync(file).equals(Buffer.from(contents))) continue;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(`${file}.new`, contents);
    fs.renameSync(`${file}.new`, file);
  }
}

/** What an earlier build has left: its files, and compiled code of bundles that are no more. */
function removeStale(files) {
  const tag = codeTag(files);
  const isStored = (name) => name.startsWith(`dist/code-cache/${tag}`);
  const isOther = (name) => /^dist\/(meta\.json$|types\/|types-of-tsc\/)/.test(name);
  const names = filesBelow('dist').filter((name) => !files.has(name) && !isOther(name) && !isStored(name));
  for (const name of names) fs.rmSync(path.join(root, name));
}
