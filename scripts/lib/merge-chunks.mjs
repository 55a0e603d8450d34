// Puts chunks that are loaded together into one file.
//
// The bundler makes a chunk for each set of entry points that share a module; with dozens of parts that are loaded on
// demand the way to the first request led through fifty small files, and opening a module costs more than its bytes.
// The small files stay as signposts: what is loaded later imports from them and gets the same objects.
import crypto from 'node:crypto';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { BUNDLING } from './bundling.mjs';

/**
 * `files`: the bundler's files by path. `groups`: a file for each, with the chunks that its `sources` load, as far as no
 * group before has them. Left alone is what `apart` loads, and the entries, which import from the merged files. Returns
 * the signposts: which merged file each leads to, and what its exports are called there.
 */
export async function mergeChunks({ root, metafile, files, groups, apart }) {
  const build = { root, metafile, files, apart: reachable(metafile, apart), signposts: new Map() };
  for (const group of groups) await mergeGroup(build, group);
  const entries = Object.keys(metafile.outputs).filter((file) => !isChunk(file) && !build.apart.has(file));
  await Promise.all(entries.map((file) => shortenWay(build, file)));
  for (const [chunk, { text, home }] of build.signposts) {
    Object.assign(metafile.outputs[chunk], { inputs: {}, imports: [{ path: home, kind: 'import-statement' }] });
    write(build, chunk, text);
  }
  return build.signposts;
}

async function mergeGroup(build, { name, sources }) {
  const { metafile, signposts, apart } = build;
  const chunks = [...reachable(metafile, outputsOf(metafile, name, sources))].filter(
    (file) => isChunk(file) && !apart.has(file) && !signposts.has(file),
  );
  const texts = chunks.map((chunk) => [chunk, textOf(build, chunk)]);
  const asked = chunks.filter((chunk) => isAskedFor(metafile, chunk, chunks));
  const text = await bundle(asked.map((chunk, at) => exportsOf(metafile, chunk, at)).join('\n'), {
    folder: CHUNKS,
    inlined: new Map([...signpostTexts(build), ...texts]),
  });
  const hash = crypto.createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
  const home = `${CHUNKS}/${name}-${hash}.js`;
  const outputs = chunks.map((chunk) => metafile.outputs[chunk]);
  const isOutside = (each) => !isStatic(each) || !chunks.includes(each.path);
  metafile.outputs[home] = {
    imports: outputs.flatMap(({ imports }) => imports.filter(isOutside).map((each) => moved(build, each))),
    exports: [],
    inputs: Object.assign({}, ...outputs.map(({ inputs }) => inputs)),
  };
  write(build, home, text);
  for (const [at, chunk] of asked.entries()) {
    const names = namesOf(metafile.outputs[chunk], at);
    signposts.set(chunk, { home, names, text: signpost(names, path.basename(home)) });
  }
  for (const chunk of chunks.filter((each) => !signposts.has(each))) {
    build.files.delete(path.join(build.root, chunk));
    delete metafile.outputs[chunk];
  }
}

/** Whether a chunk is imported by others than those it is merged with. */
function isAskedFor({ outputs }, chunk, group) {
  const asks = ([file, { imports }]) => !group.includes(file) && imports.some((each) => each.path === chunk);
  return outputs[chunk].entryPoint !== undefined || Object.entries(outputs).some(asks);
}

/** Under names of their own, so that equal ones of two chunks do not meet. */
function exportsOf({ outputs }, chunk, at) {
  const names = Object.entries(namesOf(outputs[chunk], at)).map(([name, there]) => `${name} as ${there}`);
  return `export { ${names.join(', ')} } from './${path.basename(chunk)}';`;
}

function namesOf({ exports }, at) {
  return Object.fromEntries(exports.map((name, n) => [name, `m${at}_${n}`]));
}

function signpost(names, home) {
  const pairs = Object.entries(names).map(([name, there]) => `${there} as ${name}`);
  return `export { ${pairs.join(', ')} } from './${home}';\n`;
}

const CHUNKS = 'dist/chunks';

function isChunk(file) {
  return file.startsWith(`${CHUNKS}/`);
}

function isStatic({ kind, external }) {
  return kind === 'import-statement' && !external;
}

/** What the sources became in the build that the group is of: the command line's or the library's. */
function outputsOf({ outputs }, name, sources) {
  const [build] = name.split('-');
  const isOfBuild = (file) => !isChunk(file) || path.basename(file).startsWith(`${build}-`);
  return Object.keys(outputs).filter((file) => isOfBuild(file) && sources.includes(outputs[file].entryPoint));
}

/** These files, and all that they import statically. */
function reachable({ outputs }, from) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const each of outputs[file].imports) if (isStatic(each)) visit(each.path);
  };
  for (const file of from) visit(file);
  return found;
}

/** Lets an entry import from the merged files without the signposts between. */
async function shortenWay(build, file) {
  const output = build.metafile.outputs[file];
  const text = await bundle(textOf(build, file), { folder: path.dirname(file), inlined: signpostTexts(build) });
  output.imports = output.imports.map((each) => moved(build, each));
  write(build, file, text);
}

function moved({ signposts }, each) {
  return isStatic(each) ? { ...each, path: signposts.get(each.path)?.home ?? each.path } : each;
}

function signpostTexts({ signposts }) {
  return new Map([...signposts].map(([chunk, { text }]) => [chunk, text]));
}

/** Bundles a file of a folder with those chunks that it imports and that are to be part of it. */
async function bundle(contents, { folder, inlined }) {
  const inMemory = {
    name: 'chunks',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path: wanted, kind }) => {
        if (!wanted.startsWith('.')) return { path: wanted, external: true };
        const chunk = `${CHUNKS}/${path.basename(wanted)}`;
        if (kind === 'import-statement' && inlined.has(chunk)) return { path: chunk, namespace: 'chunk' };
        const place = path.posix.relative(folder, chunk);
        return { path: place.startsWith('.') ? place : `./${place}`, external: true };
      });
      build.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path: chunk }) => ({
        contents: inlined.get(chunk),
        loader: 'js',
      }));
    },
  };
  const { outputFiles } = await esbuild.build({
    ...BUNDLING,
    stdin: { contents, loader: 'js' },
    plugins: [inMemory],
  });
  return outputFiles[0].text;
}

function textOf({ root, files }, file) {
  return Buffer.from(files.get(path.join(root, file))).toString();
}

function write({ root, metafile, files }, file, text) {
  files.set(path.join(root, file), Buffer.from(text));
  metafile.outputs[file].bytes = Buffer.byteLength(text);
}
