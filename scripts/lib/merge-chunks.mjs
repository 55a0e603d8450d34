// Puts chunks that are loaded together into one file.
//
// The bundler makes a chunk for each set of entry points that share a module; with dozens of parts that are loaded on
// demand the way to the first request led through fifty small files, and opening a module costs more than its bytes.
// The small files stay as signposts: what is loaded later imports from them and gets the same objects.
import crypto from 'node:crypto';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { COMMAND_LINE, isOfLibrary, LIBRARY } from './bundling.mjs';
import { withHead } from './source-maps.mjs';

/**
 * `files`: the bundler's files by path. `groups`: a file for each, with the chunks that its `sources` load, as far as no
 * group before has them. Left alone is what `apart` loads, and the entries, which import from the merged files. Returns
 * the signposts: which merged file each leads to, and what its exports are called there.
 */
export async function mergeChunks({ root, metafile, files, groups, apart }) {
  const build = { root, metafile, files, apart: reachable(metafile, apart), signposts: new Map() };
  for (const group of groups) await mergeGroup(build, group);
  const entries = Object.keys(metafile.outputs).filter((file) => !isChunk(file) && !build.apart.has(file));
  for (const file of entries) shortenWay(build, file);
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
  const asked = namesInMerged(build, { name, chunks });
  const text = await bundle([...asked].map(exportsOf).join('\n'), {
    inlined: new Map([...signpostTexts(build), ...texts]),
    style: styleOf(name),
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
  for (const [chunk, names] of asked) {
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

/**
 * What each chunk that others ask for exports, by its name there and by the one in the merged file, where equal ones of
 * two chunks must not meet. In the library they keep their names as far as they can; the command line has short ones.
 */
function namesInMerged({ metafile }, { name: group, chunks }) {
  const asked = chunks.filter((chunk) => isAskedFor(metafile, chunk, chunks));
  const taken = new Set();
  const plain = (name, count = 1) => {
    const wanted = count === 1 && name !== 'default' ? name : `${name}_${count}`;
    if (taken.has(wanted)) return plain(name, count + 1);
    taken.add(wanted);
    return wanted;
  };
  const nameOf = (name, at, n) => (isOfLibrary(group) ? plain(name) : `m${at}_${n}`);
  const namesOf = ({ exports }, at) => Object.fromEntries(exports.map((name, n) => [name, nameOf(name, at, n)]));
  return new Map(asked.map((chunk, at) => [chunk, namesOf(metafile.outputs[chunk], at)]));
}

function exportsOf([chunk, names]) {
  const pairs = Object.entries(names).map(([name, there]) => `${name} as ${there}`);
  return `export { ${pairs.join(', ')} } from './${path.basename(chunk)}';`;
}

function signpost(names, home) {
  const pairs = Object.entries(names).map(([name, there]) => (name === there ? name : `${there} as ${name}`));
  return `export {\n  ${pairs.join(',\n  ')}\n} from './${home}';\n`;
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

/** Lets an entry import from the merged files without the signposts between: one statement for each file. */
function shortenWay(build, file) {
  const output = build.metafile.outputs[file];
  const [head] = IMPORTS_OF_OURS.exec(textOf(build, file));
  const wanted = new Map();
  for (const [, clause = '', specifier] of head.matchAll(IMPORT_OF_OURS)) {
    const { home, names } = build.signposts.get(`${CHUNKS}/${path.basename(specifier)}`) ?? {};
    const target = home ? `${path.posix.dirname(specifier)}/${path.basename(home)}` : specifier;
    const pairs = clause.split(',').map((pair) => pair.trim().split(/\s+as\s+/));
    const locals = pairs.filter(([name]) => name !== '').map(([name, local = name]) => [names?.[name] ?? name, local]);
    wanted.set(target, [...(wanted.get(target) ?? []), ...locals]);
  }
  const statements = [...wanted].map(([target, pairs]) => {
    if (pairs.length === 0) return `import "${target}";\n`;
    const clauses = pairs.map(([name, local]) => (name === local ? name : `${name} as ${local}`));
    return `import {\n  ${clauses.join(',\n  ')}\n} from "${target}";\n`;
  });
  output.imports = output.imports.map((each) => moved(build, each));
  write(build, file, withHead(textOf(build, file), { old: head, head: statements.join('') }));
}

/** What an entry of the library begins with, as the bundler writes it. */
const IMPORT_OF_OURS = /import (?:\{([^}]*)\} from )?"(\.[^"]*)";\n/g;
const IMPORTS_OF_OURS = new RegExp(`^(?:${IMPORT_OF_OURS.source})*`);

function moved({ signposts }, each) {
  return isStatic(each) ? { ...each, path: signposts.get(each.path)?.home ?? each.path } : each;
}

function signpostTexts({ signposts }) {
  return new Map([...signposts].map(([chunk, { text }]) => [chunk, text]));
}

/** Bundles chunks that are to be one file. */
async function bundle(contents, { inlined, style }) {
  const inMemory = {
    name: 'chunks',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path: wanted, kind }) => {
        if (!wanted.startsWith('.')) return { path: wanted, external: true };
        const chunk = `${CHUNKS}/${path.basename(wanted)}`;
        if (kind === 'import-statement' && inlined.has(chunk)) return { path: chunk, namespace: 'chunk' };
        return { path: `./${path.basename(chunk)}`, external: true };
      });
      build.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path: chunk }) => ({
        contents: keepHeadings(inlined.get(chunk)),
        loader: 'js',
      }));
    },
  };
  const { outputFiles } = await esbuild.build({
    ...style,
    legalComments: 'inline',
    stdin: { contents, loader: 'js' },
    plugins: [inMemory],
  });
  return plainHeadings(outputFiles[0].text);
}

/**
 * In the library the bundler writes above each module which file it is. It keeps no comments but those of licences, and
 * has its own heading for what it is given here. The lines stay as many as they are: maps count them.
 */
function keepHeadings(text) {
  return text.replace(/^\/\/ (?=(src|node_modules)\/)/gm, '//! ');
}

function plainHeadings(text) {
  return text.replace(/^\/\/ chunk:.*$/gm, '').replace(/^\/\/! /gm, '// ');
}

function styleOf(name) {
  return isOfLibrary(name) ? LIBRARY : COMMAND_LINE;
}

function textOf({ root, files }, file) {
  return Buffer.from(files.get(path.join(root, file))).toString();
}

function write({ root, metafile, files }, file, text) {
  files.set(path.join(root, file), Buffer.from(text));
  metafile.outputs[file].bytes = Buffer.byteLength(text);
}
