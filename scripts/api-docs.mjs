#!/usr/bin/env node
// Writes docs/reference/api from the comments in the sources. With --check it prints, as JSON, what is wrong instead: functions
// and classes without a text or an example, pages that are out of date, examples that do not compile.
//
// A script of ours instead of a generator: the compiler is here already, and pages made from inferred schemas would be
// thousands of lines that nobody reads.
import fs from 'node:fs';
import path from 'node:path';
import { apiPages } from './lib/api-pages.mjs';
import { brokenSnippets } from './lib/doc-snippets.mjs';
import { readPublicApi } from './lib/public-api.mjs';
import { root } from './lib/tree.mjs';

const folder = path.join(root, 'docs/reference/api');
const api = readPublicApi();
const pages = apiPages(api);

if (process.argv.includes('--check')) check();
else write();

function write() {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, text] of pages) fs.writeFileSync(path.join(folder, name), text);
  console.log(`wrote ${pages.size} pages into docs/reference/api`);
}

function check() {
  const report = { undocumented: undocumented(), stale: stale(), broken: brokenSnippets(api) };
  console.log(JSON.stringify(report, null, 2));
  process.exitCode = Object.values(report).flat().length === 0 ? 0 : 1;
}

function undocumented() {
  return api.flatMap(({ specifier, items }) =>
    items
      .filter(({ kind }) => kind === 'function' || kind === 'class')
      .filter(({ doc, example }) => doc === '' || example === '')
      .map(({ name, doc }) => `${name} of ${specifier} has no ${doc === '' ? 'description' : 'example'}`),
  );
}

function stale() {
  const present = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  const extra = present.filter((name) => !pages.has(name));
  const different = [...pages].filter(([name, text]) => {
    const file = path.join(folder, name);
    return !fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== text;
  });
  return [...extra, ...different.map(([name]) => name)].map((name) => `docs/reference/api/${name}`);
}
