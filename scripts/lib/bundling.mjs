/**
 * How everything in dist/ is written. Identifiers are kept: a stack trace stays readable, and `keepNames` would add a call
 * per function to every start.
 */
export const BUNDLING = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
};
