// Lets every `import()` of the built library go through `loadPart` (src/wire/load-part.ts). In the sources it would have to
// be written at each of some two hundred places. Bundlers go on to see a plain `import()` of a file.
import path from 'node:path';
import { init, parse } from 'es-module-lexer';
import { withHead } from './source-maps.mjs';

/** The module that has `loadPart`; an entry of the library, so that it has a file of its own. */
export const LOADER = 'dist/load-part.js';

export async function guardLateParts({ root, metafile, files, bundles }) {
  await init;
  for (const bundle of bundles.filter((file) => file !== LOADER)) {
    const file = path.join(root, bundle);
    const text = Buffer.from(files.get(file)).toString();
    const guarded = guard(text, bundle);
    if (guarded === null) continue;
    files.set(file, Buffer.from(guarded));
    metafile.outputs[bundle].imports.push({ path: LOADER, kind: 'import-statement' });
  }
}

/** Null where nothing is loaded late. Modules of Node need no file. */
function guard(text, bundle) {
  const late = parse(text)[0].filter(({ d, n }) => d >= 0 && !n?.startsWith('node:'));
  if (late.length === 0) return null;
  let guarded = '';
  let at = 0;
  for (const [index, { ss, se }] of late.entries()) {
    guarded += `${text.slice(at, ss)}__part(__site${index}, () => ${text.slice(ss, se)})`;
    at = se;
  }
  const place = path.posix.relative(path.posix.dirname(bundle), LOADER);
  const sites = late.map(({ n }, index) => `__site${index} = ${JSON.stringify(n?.startsWith('.') ? { file: n } : {})}`);
  const head = [
    `import { loadPart as __part } from "${place.startsWith('.') ? place : `./${place}`}";`,
    `const ${sites.join(', ')};\n`,
  ];
  return withHead(guarded + text.slice(at), { old: '', head: head.join('\n') });
}
