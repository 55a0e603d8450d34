// Puts the chunks that every run of the command line loads into one file.
//
// The bundler makes a chunk for each set of entry points that share a module; with dozens of parts that are loaded on
// demand the way to the first request led through fifty small files, and opening a module costs more than its bytes. The
// small files stay as signposts: what is loaded later imports from them and gets the same objects.
import crypto from 'node:crypto';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { BUNDLING } from './bundling.mjs';

/** `outputs`: the bundler's files by path from the root; `entries`: sources whose chunks are loaded by every run. */
export async function mergeChunks({ root, metafile, files, entries }) {
  // What the entry itself needs stays apart: `--version` must not load the rest.
  const first = reachable(metafile, ['dist/cli.js']);
  const chunks = [...reachable(metafile, chunksOf(metafile, entries))].filter((chunk) => !first.has(chunk));
  const texts = new Map(chunks.map((chunk) => [chunk, Buffer.from(files.get(path.join(root, chunk))).toString()]));
  const merged = await bundle(root, chunks, texts);
  const hash = crypto.createHash('sha256').update(merged).digest('hex').slice(0, 8).toUpperCase();
  const core = `dist/chunks/cli-core-${hash}.js`;
  files.set(path.join(root, core), Buffer.from(merged));
  metafile.outputs[core] = describe(metafile, chunks, Buffer.byteLength(merged));
  for (const [at, chunk] of chunks.entries()) {
    const output = metafile.outputs[chunk];
    const stub = signpost(output.exports, `m${at}`, path.basename(core));
    files.set(path.join(root, chunk), Buffer.from(stub));
    const imports = [{ path: core, kind: 'import-statement' }];
    metafile.outputs[chunk] = { ...output, bytes: Buffer.byteLength(stub), inputs: {}, imports };
  }
}

function chunksOf({ outputs }, entries) {
  const isWanted = ([file, { entryPoint }]) => file.startsWith('dist/chunks/cli-') && entries.includes(entryPoint);
  return Object.entries(outputs)
    .filter(isWanted)
    .map(([file]) => file);
}

/** These files, and all that they import statically. */
function reachable({ outputs }, from) {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    for (const each of outputs[file].imports) if (each.kind === 'import-statement' && !each.external) visit(each.path);
  };
  for (const file of from) visit(file);
  return found;
}

/** A namespace for each chunk, so that equal names in two of them do not meet. */
async function bundle(root, chunks, texts) {
  const lines = chunks.map((chunk, at) => `export * as m${at} from './${path.basename(chunk)}';`);
  const folder = path.join(root, 'dist/chunks');
  const inMemory = {
    name: 'chunks',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path: wanted, kind }) => {
        const chunk = `dist/chunks/${path.basename(wanted)}`;
        if (kind === 'import-statement' && texts.has(chunk)) return { path: chunk, namespace: 'chunk' };
        return { path: wanted, external: true };
      });
      build.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path: chunk }) => ({
        contents: texts.get(chunk),
        loader: 'js',
      }));
    },
  };
  const { outputFiles } = await esbuild.build({
    ...BUNDLING,
    stdin: { contents: lines.join('\n'), resolveDir: folder, loader: 'js' },
    plugins: [inMemory],
  });
  return outputFiles[0].text;
}

function describe(metafile, chunks, bytes) {
  const outputs = chunks.map((chunk) => metafile.outputs[chunk]);
  const isOutside = ({ path: wanted, kind, external }) =>
    kind !== 'import-statement' || external || !chunks.includes(wanted);
  return {
    imports: outputs.flatMap(({ imports }) => imports.filter(isOutside)),
    exports: chunks.map((_, at) => `m${at}`),
    inputs: Object.assign({}, ...outputs.map(({ inputs }) => inputs)),
    bytes,
  };
}

function signpost(names, namespace, core) {
  if (names.length === 0) return `import './${core}';\n`;
  return `import { ${namespace} } from './${core}';\nexport const { ${names.join(', ')} } = ${namespace};\n`;
}
