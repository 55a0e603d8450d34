import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { ROOT } from './root.ts';

export interface Loaded {
  /** Bundle files, relative to the root: `dist/index.js`, `dist/chunks/…`. */
  files: string[];
  /** The bytes of these files. */
  bytes: number;
  /** Source modules with code in them: `src/…`, `node_modules/…`. */
  modules: string[];
  /** Packages that are left outside of the bundles and loaded with them. */
  externals: string[];
}

/** What the bundler wrote about dist/. */
export function readMetafile(): Metafile {
  const file = join(ROOT, 'dist/meta.json');
  if (!existsSync(file)) throw new Error('dist/ is missing: run `npm run build` first');
  return JSON.parse(readFileSync(file, 'utf8')) as Metafile;
}

/** Everything that is loaded when the given bundle files are, without counting what they `import()` later. */
export function loadedWith(metafile: Metafile, entries: readonly string[]): Loaded {
  const files = new Set<string>();
  const modules = new Set<string>();
  const externals = new Set<string>();
  let bytes = 0;
  const visit = (file: string): void => {
    if (files.has(file)) return;
    const output = metafile.outputs[file];
    if (!output) throw new Error(`${file} is not among the built files`);
    files.add(file);
    bytes += output.bytes;
    for (const [module, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) modules.add(module);
    for (const each of output.imports) {
      if (each.kind !== 'import-statement') continue;
      if (!each.external) visit(each.path);
      else if (!each.path.startsWith('node:')) externals.add(each.path);
    }
  };
  for (const entry of entries) visit(entry);
  return { files: [...files], bytes, modules: [...modules], externals: [...externals] };
}
