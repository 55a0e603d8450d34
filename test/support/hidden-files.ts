import type { JsonObject } from '../../src/util/json.ts';

/** A project with files that the rules hide, by path; `links` lead to them. */
export const HIDDEN_SECRET = 'password=hunter2';
export const HIDING_RULES = ['Read(./secrets/**)', 'Read(.env)', 'Read(./app/keys/**)'];
const HIDDEN = ['secrets/a.txt', 'secrets/deep/b.txt', '.env', 'src/.env', 'app/keys/c.txt'];
export const HIDING_FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(HIDDEN.map((name) => [name, `first\n${HIDDEN_SECRET}\nlast\n`])),
  'src/open.txt': 'first\npassword=none\nlast\n',
};
export const HIDING_LINKS: Readonly<Record<string, string>> = {
  'src/innocent.txt': '../secrets/a.txt',
  'src/folder': '../secrets',
  'src/app': '../app',
};

/** Searches that come across hidden files: they show nothing of them, and are not refused. */
export const SEARCHES: readonly (readonly [string, JsonObject])[] = [
  ['files', { pattern: 'password' }],
  ['lines', { pattern: 'password', output_mode: 'content' }],
  ['lines around', { pattern: 'first|last', output_mode: 'content', '-C': 2 }],
  ['counts', { pattern: 'password', output_mode: 'count' }],
  ['matches over lines', { pattern: 'first.password', output_mode: 'content', multiline: true }],
  ['a glob that names them', { pattern: 'password', output_mode: 'content', glob: '**/secrets/**' }],
  ['a glob for hidden files', { pattern: 'password', output_mode: 'content', glob: '.env' }],
  ['through ..', { pattern: 'password', output_mode: 'content', path: 'src/..' }],
  ['from above', { pattern: 'password', output_mode: 'content', path: '..' }],
  ['a directory reached by a link', { pattern: 'password', output_mode: 'content', path: 'src/app' }],
];

/** Searches that name a hidden file or its directory: refused. */
export const NAMED_SEARCHES: readonly (readonly [string, JsonObject])[] = [
  ['the file', { pattern: 'password', path: 'secrets/a.txt' }],
  ['a link to it', { pattern: 'password', path: 'src/innocent.txt' }],
  ['its directory', { pattern: 'password', path: 'secrets' }],
  ['below its directory', { pattern: 'password', path: 'src/../secrets/deep' }],
  ['a link to its directory', { pattern: 'password', path: 'src/folder' }],
  ['another case', { pattern: 'password', path: 'SECRETS/a.txt' }],
];

export const GLOBS: readonly string[] = [
  '**/*',
  '**/*.txt',
  'secrets/**',
  '**/.env',
  'src/../secrets/*',
  '../**/a.txt',
];
