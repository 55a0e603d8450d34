// Turns the modules of the command line into scripts, which src/cli/start.ts loads: V8 keeps the compiled code of a
// script, but of a module only from Node 22 on.
//
// A script is an object of functions, one for each module in it. Which script a module is in stands in its id, so that
// no table is needed: `#script/module`. It begins with a tag made of all that it says: V8 itself would take kept code for
// that of any script of the same length.
import crypto from 'node:crypto';
import path from 'node:path';
import { init, parse } from 'es-module-lexer';
import * as esbuild from 'esbuild';
import { COMMAND_LINE } from './bundling.mjs';

const TAG_LENGTH = 16;
const PARAMETERS = 'exports,require,module,__load,__import,__url';
const SIGNPOST_PARAMETERS = 'exports,require,module,__load,__import,__url,__handOn';

/**
 * Replaces the modules of the command line in `files` and in the metafile by scripts. `entry` is the module that is
 * loaded first; `signposts` are those of mergeChunks: each goes into the script that it leads to.
 */
export async function makeScripts({ root, metafile, files, entry, signposts }) {
  await init;
  const names = Object.keys(metafile.outputs).filter((file) => file === entry || file.startsWith('dist/chunks/cli-'));
  const places = new Map(names.map((file) => [file, placeOf(file, { entry, signposts })]));
  const textOf = (file) => Buffer.from(files.get(path.join(root, file))).toString();
  const bodies = await Promise.all(
    names.map((file) =>
      signposts.has(file) ? signpostBody(signposts.get(file), places) : moduleBody(textOf(file), file, places),
    ),
  );
  const scripts = new Map();
  for (const [at, file] of names.entries()) {
    const { script, name } = places.get(file);
    scripts.set(script, [...(scripts.get(script) ?? []), `${JSON.stringify(name)}:${bodies[at]}`]);
    metafile.outputs[file].bytes = bodies[at].length;
    files.delete(path.join(root, file));
  }
  for (const [script, functions] of scripts) {
    const text = `({${functions.join(',')}})`;
    refuseUnlessAscii(text, script);
    files.set(path.join(root, script), tagged(text));
  }
  rename(metafile, places);
}

/**
 * The loader reads scripts as one byte per character, because that is quicker. The bundler escapes other characters in
 * texts, but it leaves patterns and `String.raw` as they are: there the source has to.
 */
function refuseUnlessAscii(text, script) {
  const odd = /\P{ASCII}/u.exec(text);
  if (odd === null) return;
  const around = text.slice(Math.max(0, odd.index - 40), odd.index + 40).replaceAll('\n', ' ');
  throw new Error(`${script}: write the character ${odd[0]} as an escape in the source: …${around}…`);
}

/** `src/cli/start.ts` reads the tag: what stands in the first comment, however long. */
function tagged(text) {
  return Buffer.from(`/*${crypto.createHash('sha256').update(text).digest('hex').slice(0, TAG_LENGTH)}*/${text}`);
}

/** The name under which the code of a script is kept. */
export function keptName(script, contents) {
  return `${path.basename(script, '.js')}-${contents.subarray(2, 2 + TAG_LENGTH)}`;
}

function placeOf(file, { entry, signposts }) {
  const own = file === entry ? 'main' : path.basename(file, '.js').replace(/^cli-/, '');
  const script = signposts.get(file)?.home.replace(/^.*\/cli-|\.js$/g, '') ?? own;
  return { id: `#${script}/${own}`, name: own, script: `dist/cli/${script}.js`, output: `dist/cli/${script}/${own}` };
}

/** Hands on what another module has; the bundler would write ten times as much. */
function signpostBody({ home, names }, places) {
  const { id } = places.get(home);
  return `function(${SIGNPOST_PARAMETERS}){__handOn(exports,${JSON.stringify(id)},${JSON.stringify(names)})}`;
}

async function moduleBody(text, file, places) {
  const source = text.replace(/^#!.*\n/, '');
  const { code } = await esbuild.transform(withIds(source, file, places), {
    format: 'cjs',
    platform: 'node',
    target: COMMAND_LINE.target,
    minifySyntax: true,
    minifyWhitespace: true,
    define: { 'import.meta.url': '__url' },
  });
  return `function(${PARAMETERS}){${code.trimEnd()}\n}`;
}

/**
 * With ids instead of paths, and calls instead of `import()`, which a script does not have. What is imported from another
 * module of ours becomes a constant, because the bundler would ask that module again at every use; no two modules import
 * each other.
 */
function withIds(source, file, places) {
  let text = '';
  let at = 0;
  const replace = (from, to, by) => {
    text += source.slice(at, from) + by;
    at = to;
  };
  const idOf = (specifier) => JSON.stringify(places.get(path.posix.join(path.posix.dirname(file), specifier)).id);
  for (const { n: specifier, s, e, ss, se, d } of parse(source)[0]) {
    const isOurs = specifier?.startsWith('.');
    if (d === -1 && isOurs) replace(ss, se, `${constantsOf(source.slice(ss, s))}require(${idOf(specifier)})`);
    if (d < 0) continue;
    // `d` is where the bracket opens: `import(` ends there. What is named by a text must be installed.
    if (isOurs) replace(ss, e, `__load(${idOf(specifier)}`);
    else if (specifier === undefined) replace(ss, d, '__import');
    else replace(ss, se, `__import(${JSON.stringify(specifier)},true)`);
  }
  return text + source.slice(at);
}

/** `import{a as b}from"` to `const{a:b}=`; the bundler imports its own modules in no other way. */
function constantsOf(clause) {
  const [, names] = /^import(?:\s*\{(.*)\}\s*from)?\s*["']$/s.exec(clause) ?? fail(clause);
  return names === undefined ? '' : `const{${names.replace(/\s+as\s+/g, ':')}}=`;
}

function fail(clause) {
  throw new Error(`cli-scripts: an import that is not understood: ${clause}`);
}

function rename({ outputs }, places) {
  for (const [file, { output }] of places) {
    outputs[output] = outputs[file];
    delete outputs[file];
  }
  for (const { imports } of Object.values(outputs)) {
    for (const each of imports) each.path = places.get(each.path)?.output ?? each.path;
  }
}
