// Builds the page of the explorer: dist/web/page.{html,js,css}. The server sends them, and `heddle sessions export --html`
// puts them into one file, so that nothing of the page is loaded from elsewhere.
import fs from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { collectLicenses } from './licenses.mjs';

const FOLDER = 'src/web/page';

/** The files by name, and what the bundler says about them. */
export async function buildPage({ root }) {
  if (!fs.existsSync(path.join(root, 'node_modules/preact'))) {
    console.error('built without the page of heddle web: its packages are missing, run npm ci');
    return { files: new Map(), metafile: { inputs: {}, outputs: {} } };
  }
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: { page: `${FOLDER}/main.tsx`, 'page-style': `${FOLDER}/page.css` },
    outdir: 'dist/web',
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // The package names its build for bundlers "browser"; React's names are for its types only.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
    preserveSymlinks: true,
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  const textOf = (name) => outputFiles.find((file) => path.basename(file.path) === name).text;
  const files = new Map([
    ['dist/web/page.js', textOf('page.js')],
    ['dist/web/page.css', textOf('page-style.css')],
    ['dist/web/page.html', fs.readFileSync(path.join(root, FOLDER, 'page.html'), 'utf8')],
    // The notices of what is inside go with every exported file.
    ['dist/web/notices.txt', collectLicenses(Object.keys(metafile.inputs))],
  ]);
  return { files, metafile };
}
