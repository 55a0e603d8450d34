/** How everything in dist/ is bundled. */
const COMMON = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  write: false,
  metafile: true,
  logLevel: 'warning',
  // Where node_modules is a link, packages keep their names: the licences and the tests go by them.
  preserveSymlinks: true,
};

/**
 * The command line, whose every start reads it. Identifiers stay as they are: a stack trace is readable, and `keepNames`
 * would add a call per function to every start. Node prints the line of an error that nobody catches: lines are short.
 */
export const COMMAND_LINE = { ...COMMON, format: 'cjs', minifySyntax: true, minifyWhitespace: true, lineLimit: 500 };

/**
 * The library is code that programs load, and that people step through and read in stack traces: with lines, and with
 * maps to the sources. The map is part of each file until `writeMaps` (source-maps.mjs) takes it out.
 */
export const LIBRARY = { ...COMMON, splitting: true, sourcemap: 'inline', sourcesContent: false };

/** Packages that lie outside of the bundles, and are loaded when they are needed. */
export const EXTERNAL = ['@vscode/ripgrep', 'diff', 'https-proxy-agent', 'zod/v3', 'zod/v4/*', 'zod-to-json-schema'];
