/** How everything in dist/ is bundled. */
const COMMON = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
};

/**
 * The command line, whose every start reads it. Identifiers are kept: a stack trace stays readable, and `keepNames`
 * would add a call per function to every start.
 */
export const COMMAND_LINE = { ...COMMON, minifySyntax: true, minifyWhitespace: true };

/**
 * The library is code that programs load, and that people step through and read in stack traces: with lines, and with
 * maps to the sources. The map is part of each file until `writeMaps` (source-maps.mjs) takes it out.
 */
export const LIBRARY = { ...COMMON, sourcemap: 'inline', sourcesContent: false };

/** Chunks and merged files of the library are named so. */
export function isOfLibrary(name) {
  return name.startsWith('lib-');
}
